"""Whether a text says words, and where."""

from __future__ import annotations

import re
import unicodedata


def find(quote: str, text: str) -> tuple[int, int] | None:
    """Start and end in the text of the quote, white space being equal to any other; or None."""
    for form in dict.fromkeys(
        [quote, unicodedata.normalize("NFC", quote), unicodedata.normalize("NFD", quote)]
    ):
        words = map(re.escape, form.split())
        found = re.search(r"\s+".join(words), text) if form.strip() else None
        if found:
            return found.span()
    return None
