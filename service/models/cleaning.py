"""Texts as embedding models can take them."""

from __future__ import annotations

import re

_CHARACTERS = 4000
_WORD = 60
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]+")
_LONG_WORD = re.compile(rf"(\S{{{_WORD}}})\S+")


def cleaned(text: str) -> str:
    """Return what a model can take: no control characters or lone surrogates, cut words, capped.

    An empty text becomes one space, so that it has a vector as well.
    """
    readable = _UNREADABLE.sub(" ", text[:_CHARACTERS])
    return _LONG_WORD.sub(r"\1", readable).strip() or " "
