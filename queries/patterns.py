"""Regular expressions that may take for ever: some stores try every way to match, and cannot stop.

Refused are a repetition of what repeats (`(a+)+`), many repetitions in one pattern, and a pattern
that is only known when the query runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from queries.calls import arguments

if TYPE_CHECKING:
    from queries.guard import Token

_MOST = 8  # repetitions without end in one pattern
_PIECE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|.", re.DOTALL)


def endless(tokens: Sequence[Token]) -> tuple[Token, str] | None:
    """The first pattern of REGEX or REPLACE that may take for ever, and why; None without one."""
    for at, token in enumerate(tokens):
        if token.word not in {"regex", "replace"}:
            continue
        pattern = (*arguments(tokens, at), (), ())[1]
        if len(pattern) != 1 or pattern[0].kind != "text":
            return token, "its pattern must be written out as a string"
        if _repeats(_content(pattern[0].text)):
            return pattern[0], "its pattern repeats what repeats, which may take for ever"
    return None


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
