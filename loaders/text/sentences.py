"""Sentences of Italian, English, German, French and Spanish text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loaders.text.languages import FUNCTION_WORDS

# Abbreviations after which a sentence goes on, without their last full stop.
_ABBREVIATIONS = frozenset(
    """
    art artt n nn nr nrn num no nos cfr cf v vd vs p pp pag pagg cap capp cpv co lett lit let par
    cod dott dott.ssa dr dra prof proff profs ing avv arch geom rag sig sigg sig.ra sr sra srta sres
    on st ste sta s ss mr mrs ms mme mlle mm hr fr d.lgs dlgs d.l d.m d.p.r d.d d.g.r dir reg
    del delib prot rif all tab fig figg vol voll ed eds es esp ad.es p.es e.g i.e viz approx ca ca
    circa z.b d.h u.a bzw vgl abs abschn nr bspw ggf inkl exkl zzgl str tel fax max min ca sog sogg
    jan feb febr mar apr jun jul aug sep sept oct okt nov dec dez gen giu lug ago set ott dic janv
    févr avr juil déc ene abr dept div est inc ltd corp vs chap sec sect op ibid al ex env pl
    """.split()
)
# Abbreviations that may end a sentence as well: a capital after them begins a new one.
_CLOSING = frozenset(
    "etc ecc usw etw ss sgg seg segg ff spa s.p.a srl s.r.l a.c d.c a.m p.m".split()
)
_END = re.compile(r"""[.!?…]+["'»”’)\]]*(?=\s)|\n""")
_START = re.compile(r"""\s*["'«“‘(\[¿¡•–—-]*\s*(?P<first>\w)""")
_WORD = re.compile(r"\w+")
_LAST = re.compile(r"""[^\s"'«“‘(\[’/]+$""")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,4}\.)+[^\W\d_]{0,4}")
_STARTERS = frozenset().union(*FUNCTION_WORDS.values())


def sentences(text: str) -> list[str]:
    """The sentences of a text, stripped; a line's end always ends one."""
    return [text[start:end] for start, end in spans(text)]


def spans(text: str) -> list[tuple[int, int]]:
    """Character offsets (start, end) of each sentence, white space around it left out."""
    found = []
    start = 0
    for end in (*_boundaries(text), len(text)):
        piece = text[start:end]
        if stripped := piece.strip():
            begin = start + piece.index(stripped[0])
            found.append((begin, begin + len(stripped)))
        start = end
    return found


def _boundaries(text: str) -> Iterator[int]:
    for mark in _END.finditer(text):
        if mark.group() == "\n" or _ends(text, mark):
            yield mark.end()


def _ends(text: str, mark: re.Match[str]) -> bool:
    following = _START.match(text, mark.end())
    if following is None:
        return True
    first = following.group("first")
    if first.islower():
        return False
    if not mark.group().startswith(".") or mark.group().startswith(".."):
        return True
    word = _WORD.match(text, following.start("first"))
    starter = word is not None and word.group().lower() in _STARTERS and not first.isdigit()
    return _may_end(text[max(0, mark.start() - 40) : mark.start()], first, starter)


def _may_end(before: str, first: str, starter: bool) -> bool:
    """Whether the full stop after `before` ends a sentence whose next one begins with `first`."""
    last = _LAST.search(before)
    word = last.group() if last else ""
    folded = word.lower()
    if folded in _CLOSING:
        return not first.isdigit()
    if folded in _ABBREVIATIONS:
        return False
    if word.isdigit() and len(word) <= 2:  # an ordinal or the number of a list item
        return starter and last is not None and bool(before[: last.start()].strip())
    if len(word) == 1 or _DOTTED.fullmatch(word):  # an initial, an acronym
        return starter
    return True
