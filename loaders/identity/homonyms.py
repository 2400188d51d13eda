"""Things that share a name: what the text adds to the name tells them apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loaders.identity.names import normalise

# What follows a name and tells which of several things it is.
_WHICH = re.compile(
    r"\s*\((?P<one>[^()]{2,40})\)"
    r"|,?\s+(?:near|close to|in the province of|vicino a|presso|in provincia di|bei|près de"
    r"|cerca de|en la provincia de)\s+(?P<two>[A-ZÀ-Þ][\w’'-]+(?:\s[A-ZÀ-Þ][\w’'-]+)*)"
    r"|\s+(?:del|of|vom|de|du)\s+(?:\d{1,2}\W{1,2}\w+\s+)?(?P<three>(?:18|19|20|21)\d\d)\b"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as it is written, what tells it from others, and where (any key of a chunk)."""

    name: str
    qualifier: str
    where: int


class Homonyms:
    """The qualifiers that a document gives to its names."""

    def __init__(self, mentions: Iterable[Mention]) -> None:
        self._everywhere: dict[str, dict[str, None]] = defaultdict(dict)
        self._here: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
        for one in mentions:
            if qualifier := normalise(one.qualifier):
                self._everywhere[normalise(one.name)][qualifier] = None
                self._here[normalise(one.name), one.where][qualifier] = None

    def qualifier(self, mention: Mention) -> str:
        """What belongs to the mentioned thing's name; "" where the name is enough, or all there is.

        A name without qualifier is that of the only qualified thing in its chunk, or else in the
        document.
        """
        if own := normalise(mention.qualifier):
            return own
        name = normalise(mention.name)
        for known in (self._here[name, mention.where], self._everywhere[name]):
            if len(known) == 1:
                return next(iter(known))
        return ""


def qualifier(name: str, text: str) -> str:
    """What a text adds to a name: "Castro near Bergamo", "Legge 10 del 1991"; or ""."""
    for start in _starts(name, text):
        found = _WHICH.match(text, start + len(name))
        said = str(next(filter(None, found.groups()))) if found else ""
        if said and not _abbreviates(said, name):
            return said
    return ""


def _starts(name: str, text: str) -> Iterator[int]:
    start = text.find(name)
    while name and start >= 0:
        yield start
        start = text.find(name, start + 1)


def _abbreviates(short: str, name: str) -> bool:
    letters = iter(name.casefold())
    return short.isupper() and all(letter in letters for letter in short.casefold())
