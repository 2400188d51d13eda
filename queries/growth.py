"""How long the texts can become that a query makes of others: `CONCAT(?a, ?a)` doubles each time.

No store bounds that, and a server whose memory is full fails all who ask it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from queries.calls import arguments

if TYPE_CHECKING:
    from queries.guard import Token

LONGEST = 100_000_000  # characters
_STORED = 1_000  # characters that a text of the store is taken to have
_PASSES = 100  # definitions stand before those that they use in nested queries only


@dataclass(frozen=True, slots=True)
class Made:
    """A variable and what its text is made of: others, how often, and texts of the query."""

    variable: str
    parts: Counter[str]
    texts: int
    replacements: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def length(self, lengths: dict[str, float]) -> float:
        """All parts one after the other, and what replaces for each character of that."""
        total = self.texts + sum(n * lengths.get(part, _STORED) for part, n in self.parts.items())
        for texts, parts in self.replacements:
            total *= max(1.0, texts + sum(lengths.get(part, 1.0) for part in parts))
        return total


def longest(tokens: Sequence[Token]) -> float:
    """At most how many characters a text has that the query's `(… AS ?variable)` make."""
    made = list(_made(tokens))
    lengths: dict[str, float] = {}
    for _ in range(_PASSES):
        before = dict(lengths)
        for one in made:
            length = min(one.length(lengths), 10.0 * LONGEST)
            lengths[one.variable] = max(lengths.get(one.variable, 0.0), length)
        if lengths == before or max(lengths.values()) > LONGEST:
            break
    return max(lengths.values(), default=0.0)


def _made(tokens: Sequence[Token]) -> Iterator[Made]:
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.text == "(":
            opened.append(at)
        elif token.text == ")" and opened:
            start = opened.pop()
            if at - start > 3 and tokens[at - 2].word == "as":
                yield _of(tokens[at - 1].text[1:], tokens[start + 1 : at - 2])


def _of(variable: str, expression: Sequence[Token]) -> Made:
    texts, parts = _held(expression)
    replacements = tuple(
        _held((*arguments(expression, at), (), (), ())[2])
        for at, token in enumerate(expression)
        if token.word == "replace"
    )
    return Made(variable, Counter(parts), texts, replacements)


def _held(tokens: Sequence[Token]) -> tuple[int, tuple[str, ...]]:
    """The characters of the texts, and the variables."""
    texts = sum(len(token.text) - 2 for token in tokens if token.kind == "text")
    return texts, tuple(token.text[1:] for token in tokens if token.kind == "variable")
