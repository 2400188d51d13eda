"""Words for dates, numbers and measures in several languages, from one to the other."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_FIGURE = r"(?<!\w)(?:\d[\d.,/:°–-]*%?|[A-Z]\+*)(?!\w)"
_HAS_FIGURE = re.compile(_FIGURE)


@cache
def table(name: str) -> tuple[dict[str, tuple[str, ...]], ...]:
    """The rows of a word list in `languages`: each language's cell as its alternatives."""
    text = resources.files("service.answering").joinpath("languages", name).read_text("utf-8")
    rows = csv.DictReader(io.StringIO(text), delimiter="\t")
    return tuple({key: tuple(cell.split("|")) for key, cell in row.items()} for row in rows)


def generic_questions(language: str) -> list[str]:
    """Questions on everyday matters, the same ones in each language; none for an unknown one."""
    return [row[language][0] for row in table("parallel.tsv") if language in row]


def generic_words(language: str) -> list[str]:
    """The lexicon's words of a language, the same ones in each."""
    return [row[language][0] for row in table("lexicon.tsv") if language in row]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Replaces known words and phrases of one language by those of another."""

    words: Mapping[str, str]
    pattern: re.Pattern[str]
    measures: re.Pattern[str]

    @classmethod
    def between(cls, source: str, target: str) -> Lexicon:
        """The built-in lexicon; an empty one where it has no such languages."""
        return _between(source, target)

    @classmethod
    def from_words(cls, words: Mapping[str, str]) -> Lexicon:
        """A lexicon of lower-case words or phrases and what stands for each."""
        longest = sorted(words, key=len, reverse=True)
        alternatives = "|".join(_flexible(word) for word in longest) or "(?!)"
        word = rf"(?<!\w)(?i:{alternatives})(?!\w)"
        measures = rf"(?:(?:{word}|{_FIGURE})[^\S\n]*)+"
        return cls(words, re.compile(word), re.compile(measures))

    def translate(self, text: str) -> str:
        """The text with every known word replaced."""
        plain = text.replace("’", "'")
        return self.pattern.sub(lambda found: self._word(found.group()), plain)

    def translate_measures(self, text: str) -> str:
        """The text with the known words replaced beside figures: amounts, dates, classes."""

        def told(run: re.Match[str]) -> str:
            return self.translate(run.group()) if _HAS_FIGURE.search(run.group()) else run.group()

        return self.measures.sub(told, text)

    def _word(self, found: str) -> str:
        if len(found) == 1 and found.isupper():  # a class, a zone, an initial
            return found
        return self.words[" ".join(found.lower().split())]


@cache
def _between(source: str, target: str) -> Lexicon:
    words: dict[str, str] = {}
    for row in table("lexicon.tsv"):
        if source in row and target in row:
            words.update(dict.fromkeys(map(str.lower, row[source]), row[target][0]))
    return Lexicon.from_words(words)


def _flexible(word: str) -> str:
    return re.escape(word).replace(r"\ ", r"\s+")
