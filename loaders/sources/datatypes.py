"""Whether a literal's words are in its datatype's lexical space."""

from __future__ import annotations

import re
from datetime import date

import pyoxigraph as ox

from ontology.vocabulary import XSD

_ZONE = r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?"
_TIME = r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)"
_DATE = r"(-?(?:[1-9]\d{3,}|0\d{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_YEAR = r"-?(?:[1-9]\d{3,}|0\d{3})"
_FORMS = {
    "integer": r"[+-]?\d+",
    "decimal": r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)",
    "double": r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|INF)|NaN",
    "float": r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|INF)|NaN",
    "boolean": r"true|false|0|1",
    "date": _DATE + _ZONE,
    "dateTime": f"{_DATE}T{_TIME}{_ZONE}",
    "time": _TIME + _ZONE,
    "gYear": _YEAR + _ZONE,
    "gYearMonth": f"{_YEAR}-(?:0[1-9]|1[0-2]){_ZONE}",
    "duration": r"-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?"
    r"(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
    "anyURI": r"[^\s<>\"{}|\\^`]*",
}
_INTEGERS = {
    "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedLong": (0, 2**64 - 1),
}
_PATTERNS = {
    ox.NamedNode(XSD.namespace + name): re.compile(form) for name, form in _FORMS.items()
} | {ox.NamedNode(XSD.namespace + name): re.compile(_FORMS["integer"]) for name in _INTEGERS}
_RANGES = {ox.NamedNode(XSD.namespace + name): bounds for name, bounds in _INTEGERS.items()}


def is_well_typed(literal: ox.Literal) -> bool:
    """False where the datatype is XML Schema's and its lexical space lacks these words."""
    datatype = literal.datatype
    pattern = _PATTERNS.get(datatype)
    if pattern is None:
        return True
    words = literal.value.strip(" \t\r\n")
    match = pattern.fullmatch(words)
    if match is None:
        return False
    if datatype in _RANGES:
        return _within(words, *_RANGES[datatype])
    return _is_day(match) if datatype in (XSD.date, XSD.dateTime) else True


def _within(words: str, low: int, high: int | None) -> bool:
    if len(words) > 30:
        return high is None and not words.startswith("-")
    return low <= int(words) and (high is None or int(words) <= high)


def _is_day(match: re.Match[str]) -> bool:
    year, month, day = (int(part) for part in match.groups()[:3])
    if not 1 <= year <= 9999:
        return True
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
