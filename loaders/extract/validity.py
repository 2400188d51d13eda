"""Days and periods as texts write them, in Italian, English, German, French and Spanish."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "gennaio january januar janvier enero",
            "febbraio february februar février febrero",
            "marzo march märz mars",
            "aprile april avril abril",
            "maggio may mai mayo",
            "giugno june juni juin junio",
            "luglio july juli juillet julio",
            "agosto august août",
            "settembre september septembre septiembre",
            "ottobre october oktober octobre octubre",
            "novembre november noviembre",
            "dicembre december dezember décembre diciembre",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?:1[89]|20|21)\d\d"
_DATE = re.compile(
    rf"""\b(?:
    (?P<y1>{_YEAR})-(?P<m1>\d\d)-(?P<d1>\d\d)
    |(?P<d2>\d{{1,2}})(?:°|º|er|\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?P<n2>{_MONTH})\s+
     (?:del?\s+)?(?P<y2>{_YEAR})
    |(?P<n3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>{_YEAR})
    |(?P<d4>\d{{1,2}})[./](?P<m4>\d{{1,2}})[./](?P<y4>{_YEAR})
    |(?P<n5>{_MONTH})\s+(?:del?\s+)?(?P<y5>{_YEAR})
    |(?P<y6>{_YEAR})-(?P<m6>\d\d)
    |(?P<y7>{_YEAR})
    )(?![\w/-])""",
    re.IGNORECASE | re.VERBOSE,
)
_UNTIL = re.compile(
    r"\b(?:fino (?:al|a)(?: tutto)?(?: il)?|entro(?: il| la fine del)?|non oltre il|until|through"
    r"|up to|by|no later than|bis(?: zum| ende)?|jusqu['’]au|avant le|hasta(?: el)?"
    r"|(?:dal|from|von|du|desde|del)\b.{4,25}\b(?:al|to|au|a))\s*(?:l['’])?$",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:dal(?:l['’])?|a partire dal(?:l['’])?|decorrere dal(?:l['’])?|from|since|as of|starting"
    r"|ab(?: dem)?|seit(?: dem)?|à partir du|depuis(?: le)?|dès(?: le)?|desde(?: el)?"
    r"|a partir del?)\s*$",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?:per (?:il|l['’]anno)|nel(?:l['’]anno)?|for|in|during|im jahr|für|en|pour|para)\s*$",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"(?P<count>\d+)\s+(?P<months>mesi|months|monaten?|mois|meses)?"
    r"(?:giorni|days|tagen?|jours|días)?\s+(?:da\w*['’]?|of|from|after|nach|ab|dem|de|du|le"
    r"|desde|el|\s)+$",
    re.IGNORECASE,
)
_LEAD = 40


@dataclass(frozen=True, slots=True)
class Period:
    """First and last day, None where it is open."""

    start: date | None = None
    end: date | None = None


def day(text: str, *, last: bool = False) -> date | None:
    """The day that a text names: a year or month gives its first day, or its last."""
    for place, first, final in _dates(text):
        if term := _TERM.search(text[:place]):
            return _after(first, term)
        return final if last else first
    return None


def period(text: str) -> Period:
    """When a text says that it holds; nothing where it names more than one time, or none."""
    found = [_period(text[max(0, place - _LEAD) : place], *days) for place, *days in _dates(text)]
    starts = {one.start for one in found if one.start}
    ends = {one.end for one in found if one.end}
    if len(starts) > 1 or len(ends) > 1:
        return Period()
    start, end = next(iter(starts), None), next(iter(ends), None)
    return Period() if start and end and start > end else Period(start, end)


def _period(lead: str, first: date, last: date) -> Period:
    if term := _TERM.search(lead):
        return Period(end=_after(first, term))
    if _UNTIL.search(lead):
        return Period(end=last)
    if _FROM.search(lead):
        return Period(start=first)
    return Period(first, last) if first != last and _IN.search(lead) else Period()


def _dates(text: str) -> Iterator[tuple[int, date, date]]:
    """Place, first and last day of each date, month or year that the text names."""
    for found in _DATE.finditer(text):
        parts = {name[0]: value for name, value in found.groupdict().items() if value}
        month = _MONTHS[parts["n"].lower()] if "n" in parts else int(parts.get("m", 0))
        year = int(parts["y"])
        try:
            if "d" in parts:
                first = last = date(year, month, int(parts["d"]))
            elif month:
                first = date(year, month, 1)
                last = first.replace(day=calendar.monthrange(year, month)[1])
            else:
                first, last = date(year, 1, 1), date(year, 12, 31)
        except ValueError:
            continue
        yield found.start(), first, last


def _after(start: date, term: re.Match[str]) -> date:
    count = int(term["count"])
    if not term["months"]:
        return start + timedelta(days=min(count, 36_500))
    year, month = divmod(start.year * 12 + start.month - 1 + min(count, 1_200), 12)
    return date(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))
