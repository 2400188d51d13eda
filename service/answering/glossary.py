"""Words of everyday and of the field in several languages, known by their stems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from service.answering.lexicon import table
from service.index.normalise import normalise

_LONGEST = 4  # words of an entry
_WORD = re.compile(r"[^\W\d_]+")
_ENDING = re.compile(r"(?:ing|ed|en|er|are|ere|ire|[aeiou]+)$")

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Glossary:
    """What words and phrases of one language, by their stems, are in another; surest first."""

    entries: Mapping[Stems, tuple[str, ...]]

    @classmethod
    def between(cls, source: str, target: str) -> Glossary:
        """The built-in glossary; an empty one where it has no such languages."""
        return _between(source, target)

    def with_entries(self, more: Iterable[tuple[str, str]]) -> Glossary:
        """This glossary and further words with their translations, which go before its own."""
        added: dict[Stems, tuple[str, ...]] = {}
        for source, target in more:
            added[_stems(source)] = (*added.get(_stems(source), ()), target)
        return Glossary({**self.entries, **added}) if added else self

    def found(self, text: str) -> dict[str, tuple[str, ...]]:
        """The entries that the text holds, longest first, with their translations."""
        words = [match.group() for match in _WORD.finditer(text)]
        return {" ".join(words[start:end]): told for start, end, told in self._spans(words)}

    def translate(self, text: str) -> str:
        """The text with every known word replaced by its first translation."""
        words = list(_WORD.finditer(text))
        parts, done = [], 0
        for start, end, told in self._spans([word.group() for word in words]):
            parts += [text[done : words[start].start()], told[0]]
            done = words[end - 1].end()
        return "".join([*parts, text[done:]])

    def _spans(self, words: Sequence[str]) -> list[tuple[int, int, tuple[str, ...]]]:
        stems = [stem(word) for word in words]
        spans, start = [], 0
        while start < len(words):
            for length in range(min(_LONGEST, len(words) - start), 0, -1):
                told = self.entries.get(tuple(stems[start : start + length]))
                if told:
                    spans.append((start, start + length, told))
                    start += length - 1
                    break
            start += 1
        return spans


def stem(word: str) -> str:
    """A word without case, accents and its ending, so that its inflections are one."""
    plain = normalise(word)
    if len(plain) < 5:
        return plain
    single = plain.removesuffix("s")
    short = _ENDING.sub("", single)
    return short if len(short) >= 4 else single


@cache
def _between(source: str, target: str) -> Glossary:
    entries: dict[Stems, tuple[str, ...]] = {}
    for row in table("glossary.tsv"):
        if source in row and target in row:
            for word in row[source]:
                entries.setdefault(_stems(word), row[target])
    return Glossary(entries)


def _stems(text: str) -> Stems:
    return tuple(stem(word) for word in _WORD.findall(text))
