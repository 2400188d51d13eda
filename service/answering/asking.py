"""How a question asks: for a number, a date, a list, a yes or no."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources


class Asks(StrEnum):
    """The kind of answer that a question's words ask for."""

    NUMBER = "number"
    DATE = "date"
    LIST = "list"
    MANNER = "manner"
    REASON = "reason"
    DEFINITION = "definition"
    YES_NO = "yes_no"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Phrases:
    """A language's question phrases by what they ask for, and its yes and no.

    `names` ask for something that has a name; `numbers` are written as words.
    """

    asks: dict[Asks, tuple[str, ...]]
    names: frozenset[str]
    numbers: frozenset[str]
    yes: str
    no: str
    affirms: tuple[str, ...]
    denies: tuple[str, ...]


@cache
def phrases(language: str) -> Phrases:
    """The phrases of a language; English for one that has none."""
    folder = resources.files("service.answering").joinpath("languages")
    file = folder.joinpath(f"{language}.toml")
    if not file.is_file():
        return phrases("en")
    told = tomllib.loads(file.read_text("utf-8"))["asks"]
    asks = {kind: tuple(told[kind]) for kind in Asks if kind in told}
    return Phrases(
        asks=asks,
        names=frozenset(told["names"]),
        numbers=frozenset(told["numbers"].split()),
        yes=told["yes"],
        no=told["no"],
        affirms=tuple(told["affirms"]),
        denies=tuple(told["denies"]),
    )


def asks_for(text: str, language: str) -> Asks:
    """What a question asks for; a yes or no only where it begins with such words."""
    said = phrases(language).asks
    plain = " ".join(re.findall(r"[\w'-]+", text.lower().replace("’", "'")))
    for kind in (Asks.DATE, Asks.NUMBER, Asks.DEFINITION, Asks.REASON, Asks.LIST, Asks.MANNER):
        if any(_holds(phrase, plain) for phrase in said.get(kind, ())):
            return kind
    if any(plain.startswith(f"{phrase} ") for phrase in said.get(Asks.YES_NO, ())):
        return Asks.YES_NO
    return Asks.OPEN


def _holds(phrase: str, plain: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", plain) is not None
