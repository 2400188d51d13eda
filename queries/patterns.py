"""Regular expressions that may take for ever: some stores try every way to match, and cannot stop.

Refused are a repetition of what repeats (`(a+)+`), many repetitions in one pattern, and a pattern
that is only known when the query runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from queries.guard import Token

_MOST = 8  # repetitions without end in one pattern
_FAR = 1_000  # words and signs of a call that are looked through
_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|.", re.DOTALL)


def endless(tokens: Sequence[Token]) -> tuple[Token, str] | None:
    """The first pattern of REGEX or REPLACE that may take for ever, and why; None without one."""
    for call, pattern in _patterns(tokens):
        if len(pattern) != 1 or pattern[0].kind != "text":
            return call, "its pattern must be written out as a string"
        if _repeats(_content(pattern[0].text)):
            return pattern[0], "its pattern repeats what repeats, which may take for ever"
    return None


def _patterns(tokens: Sequence[Token]) -> Iterator[tuple[Token, Sequence[Token]]]:
    """Each call of REGEX and REPLACE with its second argument."""
    for at, token in enumerate(tokens):
        if token.word not in {"regex", "replace"}:
            continue
        depth, commas = 0, []
        for place in range(at + 1, min(at + _FAR, len(tokens))):
            text = tokens[place].text
            depth += (text in {"(", "[", "{"}) - (text in {")", "]", "}"})
            if depth == 1 and text == ",":
                commas.append(place)
            if depth < 1 or len(commas) > 1:
                end = commas[1] if len(commas) > 1 else place
                yield token, tokens[commas[0] + 1 : end] if commas else ()
                break
        else:
            yield token, ()


def _content(text: str) -> str:
    quotes = 3 if text[:3] in {'"""', "'''"} else 1
    return text[quotes:-quotes].replace("\\\\", "\\")


def _repeats(pattern: str) -> bool:
    """Whether a group that repeats is repeated, or too much is."""
    groups = [False]  # whether something in it repeats
    closed = False  # whether a group that repeats was closed just before
    endless_ = 0
    for piece in _PIECE.finditer(pattern):
        sign, (least, comma, most) = piece[0], piece.groups(default="")
        if sign == "(":
            groups.append(False)
        elif sign == ")" and len(groups) > 1:
            closed = groups.pop()
            groups[-1] |= closed
            continue
        elif sign in {"*", "+"} or (least and (comma or int(least) > 1)):
            if closed:
                return True
            groups[-1] = True
            endless_ += sign in {"*", "+"} or bool(comma and not most)
        closed = closed and sign == "?"
    return endless_ > _MOST
