"""Values as texts and models write them, as typed literals."""

from __future__ import annotations

import re
from enum import StrEnum

from pyoxigraph import Literal, NamedNode

from loaders.extract import validity
from ontology.vocabulary import RDF, RDFS, XSD


class Kind(StrEnum):
    """What a statement's object is."""

    ENTITY = "entity"
    NUMBER = "number"
    DATE = "date"
    TEXT = "text"
    BOOLEAN = "boolean"


_COMMA = ("it", "de", "fr", "es")  # where a comma stands before the decimals
_NUMBER = re.compile(
    r"(?P<number>[-+−]?\d[\d.,'’\u00a0\u202f ]*\d|[-+−]?\d)(?P<unit>.*)", re.DOTALL
)
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?")
_GROUPS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
_INTEGERS = frozenset(
    NamedNode(XSD.namespace + name)
    for name in ("integer", "int", "long", "nonNegativeInteger", "positiveInteger")
)
_NUMBERS = _INTEGERS | {XSD.decimal, XSD.double, NamedNode(XSD.namespace + "float")}
_KINDS = {
    Kind.NUMBER: XSD.decimal,
    Kind.DATE: XSD.date,
    Kind.BOOLEAN: XSD.boolean,
}
_BOOLEANS = {
    "true": "true", "yes": "true", "sì": "true", "ja": "true", "oui": "true", "sí": "true",
    "false": "false", "no": "false", "nein": "false", "non": "false",
}  # fmt: skip
_UNITS = {
    spelling: unit
    for unit, spellings in {
        "€": "eur euro euros",
        "%": "percent per.cento prozent pour.cent por.ciento",
        "CHF": "fr. franchi francs franken swiss.francs franchi.svizzeri",
        "h": "hour hours ora ore stunde stunden heure heures hora horas",
        "days": "day giorno giorni tag tage tagen jour jours día días",
        "°C": "gradi degrees grad degrés grados °c",
        "kWh": "kilowattora kilowatt-hours kilowattstunden",
        "m²": "m2 mq metri.quadrati square.metres",
    }.items()
    for spelling in (unit, *spellings.split())
}


def split(text: str) -> tuple[str, str]:
    """A number and the unit that is written after it; no unit where there is no number."""
    found = _NUMBER.fullmatch(text.strip())
    return (found["number"], found["unit"].strip()) if found else (text, "")


def unit(text: str) -> str:
    """A unit in the form in which spellings of it are equal."""
    spelling = ".".join(text.split())
    return _UNITS.get(spelling) or _UNITS.get(spelling.casefold()) or text.strip()


def literal(
    text: str, kind: Kind, datatypes: frozenset[NamedNode], *, quote: str, language: str
) -> Literal | None:
    """The text as a literal of one of the datatypes, or of its kind where any will do."""
    known = datatypes - {RDFS.Literal}
    for datatype in sorted(known, key=str) or (_KINDS.get(kind, RDF.langString),):
        if value := _typed(text, datatype, quote, language):
            return value
    return None


def _typed(text: str, datatype: NamedNode, quote: str, language: str) -> Literal | None:
    if datatype in _NUMBERS:
        return _number(text, datatype, quote, language)
    if datatype == XSD.date:
        found = validity.day(text)
        return Literal(found.isoformat(), datatype=datatype) if found else None
    if datatype == XSD.boolean:
        value = _BOOLEANS.get(text.casefold())
        return Literal(value, datatype=datatype) if value else None
    if datatype == XSD.gYear:
        return Literal(text, datatype=datatype) if re.fullmatch(r"\d{4}", text) else None
    if datatype == RDF.langString:
        return Literal(text, language=language) if text in quote else Literal(text)
    return Literal(text) if datatype == XSD.string else Literal(text, datatype=datatype)


def _number(text: str, datatype: NamedNode, quote: str, language: str) -> Literal | None:
    """By the text's own conventions where it stands so in the text, else as programs write it."""
    number = _GROUPS.sub("", split(text)[0].replace("−", "-"))
    copied = split(text)[0] in quote
    if copied and language in _COMMA:
        number = re.sub(r"\.(?=\d{3}(?!\d))", "", number).replace(",", ".")
    else:
        number = re.sub(r",(?=\d{3}(?!\d))", "", number)
    if not _PLAIN.fullmatch(number):
        return None
    whole, _, decimals = number.removeprefix("+").partition(".")
    if not decimals.strip("0"):
        return Literal(whole, datatype=XSD.integer)
    return None if datatype in _INTEGERS else Literal(f"{whole}.{decimals}", datatype=XSD.decimal)
