"""What tells whether the best sentence of the documents answers a question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from service.answering.glossary import stem
from service.answering.ranking import Ranked, Search
from service.answering.widen import content_words
from service.index.normalise import normalise
from service.index.passages import Passages

_ALIKE = 0.6  # cosine from which a name of the documents is another language's for the question's
_NAME = re.compile(r"(?<=[\w,;:'’] )[A-ZÀ-Ý][^\W\d_]{2,}(?![\w])|(?<=['’])[A-ZÀ-Ý][^\W\d_]{2,}")
_SCORES, _LETTERS, _WORDS = 10.0, 100.0, 10.0  # what brings a hint to about 1
_SHORT = 3  # words of a question each of which must be known
_FEW = 1e-6


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints at one ranking of sentences, each a number about 0 to 1.

    `held` and `told` are how much of the question's words, the rarer the heavier, the best
    sentence's group holds, and the sentence itself; `missing` the rarity of the rarest word that
    the group has not, `unknown` the share of words that no document
    has, less of long questions; `score` and `sense` the
    sentence's own, `letters` what its words alone make; `apart` how far behind the next document
    is; `elsewhere` the names that the group has not; `long` the number of words; `abroad` that the
    documents' language is another one.
    """

    held: float
    told: float
    missing: float
    unknown: float
    score: float
    sense: float
    letters: float
    apart: float
    elsewhere: float
    long: float
    abroad: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """All of them in order."""
        return astuple(self)


HINTS = tuple(one.name for one in fields(Hints))


@dataclass(frozen=True)
class Reader:
    """Reads the hints at the ranking of one question in one search."""

    text: str
    language: str
    search: Search
    passages: Passages

    def hints(self, ranked: Sequence[Ranked]) -> Hints:
        """The hints at the first of the sentences."""
        best = ranked[0]
        words = content_words(self.text, self.language)
        holding = {word: self._holding(word) for word in words}
        groups = self.passages.languages().get(self.search.language, 0)
        weights = {
            word: 1.0 if self._abroad else math.log(1 + groups / (1 + number))
            for word, number in holding.items()
        }
        group = self._likenesses(words, f"{best.group.heading} {best.group.text}")
        own = self._likenesses(words, f"{best.group.heading} {best.sentence.text}")
        missing = (weight * (1 - group[word]) for word, weight in weights.items())
        names = names_in(self.text, self.language)
        told = f" {normalise(f'{best.group.heading} {best.group.text}')}"
        return Hints(
            held=_share(weights, group),
            told=_share(weights, own),
            missing=max(missing, default=0.0) / max(_FEW, *weights.values(), _FEW),
            unknown=_unknown(list(holding.values())),
            score=best.score / _SCORES,
            sense=best.sense,
            letters=best.letters / _LETTERS,
            apart=_apart(ranked) / _SCORES,
            elsewhere=float(sum(f" {stem(name)}" not in told for name in names)),
            long=len(words) / _WORDS,
            abroad=float(self._abroad),
        )

    @property
    def _abroad(self) -> bool:
        return self.search.language != self.language

    def _likenesses(self, words: Sequence[str], text: str) -> dict[str, float]:
        """For each word how surely the text holds it or what stands for it, 0 to 1."""
        padded = f" {normalise(text)} "
        return {
            word: max(
                (
                    likeness
                    for own, likeness in self._stands_for(word)
                    if all(f" {stem(part)}" in padded for part in own.split())
                ),
                default=0.0,
            )
            for word in words
        }

    def _stands_for(self, word: str) -> list[tuple[str, float]]:
        """The documents' words that stand for a word of the question, with their likeness."""
        if not self._abroad:
            return [(word, 1.0)]
        pairs = self.search.widened.pairs
        near = [(own, likeness) for own, asked, likeness in pairs if word in asked.split()]
        return [*near, (word, 1.0)] if not word.isalpha() or not near else near

    def _holding(self, word: str) -> int:
        """How many groups have the word; for another language, whether any word stands for it."""
        if self._abroad:
            return int(any(likeness >= _ALIKE for _, likeness in self._stands_for(word)))
        return self.passages.groups_with(stem(word), self.search.language)


def names_in(text: str, language: str) -> list[str]:
    """The words of a text that are written like names; none in German, that writes all nouns so."""
    return _NAME.findall(text) if language != "de" else []


def all_known(names: Sequence[str], searches: Sequence[Search], passages: Passages) -> bool:
    """Whether the documents have each of the names, or a word that is alike in another language."""
    alike = {
        word
        for search in searches
        for _, phrase, likeness in search.widened.pairs
        for word in phrase.lower().split()
        if likeness >= _ALIKE
    }
    return all(name.lower() in alike or passages.groups_with(stem(name)) for name in names)


def _unknown(holding: Sequence[int]) -> float:
    """The share of words that nothing holds, the less telling the more words there are."""
    number = max(1, len(holding))
    return sum(not groups for groups in holding) / number / max(1.0, number / _SHORT)


def _share(weights: dict[str, float], likenesses: dict[str, float]) -> float:
    total = sum(weights.values())
    held = sum(weight * likenesses[word] for word, weight in weights.items())
    return held / total if total else 0.0


def _apart(ranked: Sequence[Ranked]) -> float:
    """How much better the best document's sentence is than the next document's."""
    best = ranked[0]
    others = (one.score for one in ranked if one.group.document != best.group.document)
    return best.score - next(others, best.score - _SCORES / 2)
