"""What an extraction did, or would do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from loaders.extract.facts import Left

_CHARACTERS = 3.5  # of a token, in the languages that are read
_REPLY = 0.6  # tokens of a reply for each token of its chunk's text


@dataclass(frozen=True, slots=True)
class Report:
    """One document's: `asked` and `kept` are chunks by where their replies came from.

    `failed` are chunks without a usable reply and the reason; `left` are the statements that were
    rejected or kept apart; `stopped` tells why nothing was stored, "" where it was.
    """

    address: str
    title: str
    chunks: int
    facts: int = 0
    triples: int = 0
    asked: int = 0
    kept: int = 0
    calls: int = 0
    tokens: int = 0
    failed: tuple[tuple[int, str], ...] = ()
    left: tuple[Left, ...] = ()
    stopped: str = ""
    unchanged: bool = False
    seconds: float = 0.0

    @property
    def kept_apart(self) -> tuple[Left, ...]:
        """The statements that only miss the ontology."""
        return tuple(one for one in self.left if one.apart)

    @property
    def rejected(self) -> Counter[str]:
        """How many statements were rejected, by reason."""
        return Counter(one.reason for one in self.left if not one.apart)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking about a document's chunks would take; those with a reply cost nothing."""

    address: str
    title: str
    chunks: int
    calls: int
    tokens: int


def tokens(prompt: int, text: int) -> int:
    """About how many tokens a prompt of so many characters and the reply to its text make."""
    return round((prompt + _REPLY * text) / _CHARACTERS)
