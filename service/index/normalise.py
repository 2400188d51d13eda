"""Texts made comparable: folding, words, character n-grams, and names out of IRIs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

_ACCENTS = re.compile("[\u0300-\u036f]+")
_APART = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-zà-öø-ÿ0-9])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINTS = re.compile(r"[_.+\s-]+")
_WORDS = re.compile(r"[^\W_]+")
_SHORT = 3
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_EXPLAINED = re.compile(r"^(?P<long>[^()]*[^()\s])\s*\((?P<short>[^()]{2,80})\)$")
_DASHED = re.compile(r"^(?P<long>.+?)\s+[-–—]\s+(?P<short>.+)$")


def normalise(text: str) -> str:
    """Return the text without accents, case and punctuation, words parted by one space."""
    if text.isascii():
        folded = text.lower()
    else:
        folded = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return _APART.sub(" ", folded).strip()


def grams(text: str, sizes: Sequence[int] = (3,)) -> list[str]:
    """Return the character n-grams of the normalised text, words bounded by `_`, in order."""
    padded = f"_{normalise(text).replace(' ', '_')}_"
    return [padded[i : i + size] for size in sizes for i in range(len(padded) - size + 1)]


def proper(text: str, language: str) -> bool:
    """Whether the text is written like the name of one thing, as "Tour de France 2024" is.

    Every longer word has a capital or a digit, and two at least; not in German, whose nouns all do.
    """
    words = [w for w in _WORDS.findall(text) if len(w) > _SHORT or not w.islower()]
    named = [word for word in words if word[0].isupper() or not word.isalpha()]
    return not language.startswith("de") and len(words) == len(named) >= 2


def local_name(iri: str) -> str:
    """Return the words of the IRI's last part, or "" when it has none that can be read."""
    if iri.startswith("urn:uuid:"):
        return ""
    last = re.split(r"[/#]", iri.rstrip("/#"))[-1]
    if "/" not in iri and "#" not in iri:
        last = last.rpartition(":")[2]
    words = _HUMP.sub(" ", _JOINTS.sub(" ", unquote(last))).strip()
    return words if _LETTERS.search(words) else ""


def variants(label: str) -> Iterator[str]:
    """Yield the other names a label carries: "Pompa di calore (PdC)" is both of its parts.

    What stands in parentheses or behind a dash counts only where one part abbreviates the
    other; what stands before parentheses always does: "Mercury (planet)" is also "Mercury".
    """
    if found := _EXPLAINED.match(label):
        yield found["long"]
        if _abbreviates(found["short"], found["long"]):
            yield found["short"]
    elif (found := _DASHED.match(label)) and _abbreviates(found["short"], found["long"]):
        yield found["long"]
        yield found["short"]


def _abbreviates(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    letters = [letter for letter in short if letter.isalpha()]
    if " " in short or not 2 <= len(letters) <= 10 or " " not in long:
        return False
    capitals = sum(letter.isupper() for letter in letters)
    initials = iter([word[0] for word in normalise(long).split()])
    spelled = all(letter in initials for letter in normalise(short).replace(" ", ""))
    return capitals >= 2 and (spelled or capitals == len(letters))
