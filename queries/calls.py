"""The arguments of a function call among a query's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from queries.guard import Token

_FAR = 1_000  # words and signs of a call that are looked through


def arguments(tokens: Sequence[Token], at: int) -> list[Sequence[Token]]:
    """Those of the function that is named at this place; none where its brackets do not close."""
    found: list[Sequence[Token]] = []
    depth, start = 0, at + 2
    for place in range(at + 1, min(at + _FAR, len(tokens))):
        text = tokens[place].text
        depth += (text in {"(", "[", "{"}) - (text in {")", "]", "}"})
        if depth < 1 or (depth == 1 and text == ","):
            found.append(tokens[start:place])
            start = place + 1
        if depth < 1:
            return found
    return []
