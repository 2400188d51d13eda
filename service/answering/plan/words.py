"""A question as words, and the words that shape questions in each language."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

LANGUAGES = ("en", "it", "de", "fr", "es")
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]+)[\"“”„«»]|(?<!\w)['‘]([^'‘’]{3,})['’](?!\w)")


def fold(text: str) -> str:
    """The text without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@dataclass(frozen=True, slots=True)
class Word:
    """One word: as written, folded, where it stands, and what its writing tells."""

    text: str
    key: str
    start: int
    end: int
    capital: bool
    quoted: bool
    genitive: bool
    content: bool


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of one language that shape a question; phrases are folded word tuples."""

    stop: frozenset[str]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    kinds: Mapping[str, tuple[tuple[str, ...], ...]]
    means: Mapping[str, tuple[str, ...]]
    measure: Mapping[str, tuple[str, ...]]
    say: Mapping[str, str]


def keys(text: str) -> tuple[str, ...]:
    """The folded words of a text, in order."""
    return tuple(_WORD.findall(fold(text)))


@cache
def grammar(language: str) -> Grammar:
    """The grammar of a language (ISO 639-1); English for a language that has none."""
    name = language if language in LANGUAGES else "en"
    file = resources.files(__package__) / "languages" / f"{name}.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    lists = {key: tuple(map(keys, value)) for key, value in table.items() if type(value) is list}
    return Grammar(
        stop=frozenset(keys(table["stop"])),
        phrases=lists,
        kinds={kind: tuple(map(keys, value)) for kind, value in table["kind"].items()},
        means={kind: keys(value) for kind, value in table["means"].items()},
        measure={keys(word)[0]: keys(value) for word, value in table["measure"].items()},
        say=table["say"],
    )


def read(text: str, language: str) -> tuple[Word, ...]:
    """The words of a question in order."""
    stop = grammar(language).stop
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    words: list[Word] = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        surface = match.group()
        inside = any(left <= start and end <= right for left, right in quoted)
        genitive = surface in "sS" and start > 0 and text[start - 1] in "'’"
        capital = surface[0].isupper() and (bool(words) or (len(surface) > 1 and surface.isupper()))
        key = fold(surface)
        content = key not in stop and not genitive
        words.append(Word(surface, key, start, end, capital, inside, genitive, content))
    return tuple(words)


def find(words: tuple[Word, ...], phrases: tuple[tuple[str, ...], ...]) -> tuple[int, int] | None:
    """Where the first of the phrases stands, as word positions [start, end), or None."""
    row = tuple(word.key for word in words)
    for start in range(len(row)):
        for phrase in phrases:
            if row[start : start + len(phrase)] == phrase:
                return start, start + len(phrase)
    return None


def alike(left: str, right: str) -> float:
    """How likely two folded words are forms of one word, 0..1, by their common beginning."""
    if left == right:
        return 1.0
    shorter, longer = sorted((len(left), len(right)))
    common = next((i for i in range(shorter) if left[i] != right[i]), shorter)
    if common < 4 or common < 0.7 * shorter or common < 0.5 * longer:
        return 0.0
    return 0.55 + 0.4 * common / longer
