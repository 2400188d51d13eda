"""Regular expressions that may take for ever: some stores try every way to match, and cannot stop.

Refused are a repetition of what repeats (`(a+)+`), more ways to match than can be tried
(`(a+){25}`), a reference to what was matched, and a pattern that is only known when the query runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from queries.calls import arguments

if TYPE_CHECKING:
    from queries.guard import Token

_LENGTH = 1_000  # characters that a text is taken to have: in how many ways `.*` matches
_MOST = _LENGTH**3  # ways; to try them takes seconds
_PIECE = re.compile(
    r"""
    \\(?P<escaped>.)
  | \[\^?\]?(?:\\.|[^\]\\])*\]
  | (?P<repeats>[*+?]|\{(?P<least>\d+)(?P<open>,?)(?P<most>\d*)\})[?+]?
  | \((?:\?:)?
  | .
    """,
    re.DOTALL | re.VERBOSE,
)


def endless(tokens: Sequence[Token]) -> tuple[Token, str] | None:
    """The first pattern of REGEX or REPLACE that may take for ever, and why; None without one."""
    for at, token in enumerate(tokens):
        if token.word not in {"regex", "replace"}:
            continue
        words = arguments(tokens, at)
        pattern = (*words, (), ())[1]
        flags = words[2 if token.word == "regex" else 3 :]
        for written in (pattern, *flags):
            if len(written) != 1 or written[0].kind != "text":
                return token, "its pattern must be written out as a string"
        if any("x" in _content(flag[0].text) for flag in flags):
            return flags[0][0], "its pattern must be written without spaces and the flag x"
        if why := _fault(_content(pattern[0].text)):
            return pattern[0], why
    return None


def _content(text: str) -> str:
    quotes = 3 if text[:3] in {'"""', "'''"} else 1
    return text[quotes:-quotes].replace("\\\\", "\\")


@dataclass(slots=True)
class _Group:
    """What stands in one pair of brackets, in how many ways it matches, and its last piece."""

    ways: int = 1  # of the pieces before the last
    branches: int = 0  # of the alternatives before this one
    repeats: bool = False
    last: int = 1
    last_repeats: bool = False

    def add(self, ways: int = 1, *, repeats: bool = False) -> None:
        """Take the next piece."""
        self.ways *= self.last
        self.last, self.last_repeats = ways, repeats
        self.repeats |= repeats

    def branch(self) -> None:
        """Begin the next alternative."""
        self.branches = self.matches
        self.ways = self.last = 1

    @property
    def matches(self) -> int:
        """In how many ways it matches so far."""
        return self.branches + self.ways * self.last


def _fault(pattern: str) -> str:
    """Why it may take for ever, "" where it cannot."""
    anchored = pattern.startswith("^")
    groups = [_Group(ways=1 if anchored else _LENGTH)]  # else it may begin at each character
    for piece in _PIECE.finditer(pattern):
        sign, group = piece[0], groups[-1]
        if piece["escaped"] and piece["escaped"] in "123456789k":
            return "its pattern refers to what was matched, which may take for ever"
        if sign.startswith("("):
            groups.append(_Group())
        elif sign == ")" and len(groups) > 1:
            closed = groups.pop()
            groups[-1].add(closed.matches, repeats=closed.repeats)
        elif sign == "|":
            group.branch()
        elif not piece["repeats"]:
            group.add()
        elif not _repeat(group, piece):
            return "its pattern repeats what repeats, which may take for ever"
        if groups[-1].matches > _MOST:
            return "its pattern matches in too many ways, which may take for ever"
    return ""


def _repeat(group: _Group, piece: re.Match[str]) -> bool:
    """Repeat the group's last piece; False where that has no end."""
    if piece["repeats"] == "?":
        group.last += 1
        return True
    least = int(piece["least"] or 0)
    if not piece["least"] or (piece["open"] and not piece["most"]):
        endless_, group.last = group.last_repeats, group.last * _LENGTH
        group.repeats = group.last_repeats = True
        return not endless_
    most = int(piece["most"] or least)
    group.last = group.last ** min(most, _LENGTH) * (max(most - least, 0) + 1)
    group.repeats = group.last_repeats = group.last_repeats or most > 1
    return True
