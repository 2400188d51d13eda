"""How sure it is that the documents tell: from the corpus itself, not from asked questions."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from service.answering.glossary import stem
from service.answering.question import Question
from service.answering.ranking import WEIGHTS, Ranked, Search, rank
from service.answering.validity import Asked
from service.answering.widen import as_asked, content_words
from service.index.index import Index
from service.index.normalise import normalise
from service.index.passages import Probe

_PROBES = 40  # sentences that play questions nobody can answer: their own document is left out
_COVERED, _COVERED_SPREAD = 0.42, 0.22  # share of a question's words that a wrong group holds
_ENOUGH, _ENOUGH_ABROAD = 2.0, 1.2  # deviations from such questions at which an answer is even
_ENOUGH_WORDS = 1.0  # where only the words tell, without vectors
_PATIENCE = 30.0  # seconds before it is tried again whether the index is complete
_STEEP = 0.8
_ALIKE = 0.6  # cosine from which a name of the documents is another language's for the question's
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Ý][^\W\d_]{2,}(?![\w])")


@dataclass(frozen=True, slots=True)
class Null:
    """What scores and cosines the best sentence has where the documents do not tell."""

    score: float
    score_spread: float
    sense: float
    sense_spread: float


class Confidence:
    """Reads the ranking against what it gives for questions that the documents do not answer."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._kept: tuple[int, Null | None, float] = (-1, None, 0.0)

    def of(
        self, question: Question, asked: Asked, searches: Sequence[Search], ranked: Sequence[Ranked]
    ) -> float:
        """The probability, 0 to 1, that the best sentence answers; about even at 0.5."""
        if not ranked or not self._speaks_of(question, asked, searches, ranked[0]):
            return 0.0
        best = ranked[0]
        search = next(one for one in searches if one.language == best.group.language)
        words = content_words(question.text, question.language)
        held = [
            (self._share(words, search, question, text) - _COVERED) / _COVERED_SPREAD
            for text in (best.group.text, f"{best.group.heading} {best.sentence.text}")
        ]
        null = self._null()
        total, enough = sum(held), _ENOUGH_WORDS
        if null is not None and search.vector is not None:
            enough = _ENOUGH if search.language == question.language else _ENOUGH_ABROAD
            total += (best.score - null.score) / null.score_spread
            total += (best.sense - null.sense) / null.sense_spread
        return 1 / (1 + math.exp(-_STEEP * (total - enough)))

    def _speaks_of(
        self, question: Question, asked: Asked, searches: Sequence[Search], best: Ranked
    ) -> bool:
        """Whether the group speaks of the years, and the documents of the names."""
        group = best.group
        if asked.years and not (group.valid_from or group.valid_until):
            told = f"{group.heading} {group.text}"
            if not any(year in told for year in asked.years):
                return False
        names = _NAME.findall(question.text) if question.language != "de" else []
        known = {
            word
            for search in searches
            for _, phrase, likeness in search.widened.pairs
            for word in phrase.lower().split()
            if likeness >= _ALIKE
        }
        return all(
            name.lower() in known or self._index.passages.groups_with(stem(name)) for name in names
        )

    def _share(self, words: Sequence[str], search: Search, question: Question, text: str) -> float:
        """How much of the question's words, the rarer the heavier, a text holds; 0 to 1."""
        padded = f" {normalise(text)} "
        abroad = search.language != question.language
        total = held = 0.0
        for word in words:
            weight = 1.0 if abroad else self._rarity(word, search.language)
            total += weight
            held += weight * max(
                (
                    likeness
                    for own, likeness in _stands_for(word, search, abroad=abroad)
                    if all(f" {stem(part)}" in padded for part in own.split())
                ),
                default=0.0,
            )
        return held / total if total else 0.0

    def _rarity(self, word: str, language: str) -> float:
        groups = self._index.passages.languages().get(language, 0)
        holding = self._index.passages.groups_with(stem(word), language)
        return math.log(1 + groups / (1 + holding))

    def _null(self) -> Null | None:
        """The null of the index as it is; None while it is not embedded."""
        revision = self._index.revision
        with self._lock:
            known, null, again = self._kept
            if known != revision or (null is None and time.monotonic() > again):
                null = self._remembered() or (self._fitted() if self._index.complete else None)
                self._kept = (revision, null, time.monotonic() + _PATIENCE)
            return null

    def _remembered(self) -> Null | None:
        numbers = [self._index.remembered(_name(one.name)) for one in fields(Null)]
        return Null(*[one for one in numbers if one is not None]) if all(numbers) else None

    def _fitted(self) -> Null | None:
        probes = self._index.passages.probes(_PROBES)
        best = [found for probe in probes if (found := self._probed(probe))]
        if len(best) < _PROBES // 2:
            return None
        scores = np.array([(one.score, one.sense) for one in best])
        low, middle, high = np.percentile(scores, (25, 50, 75), axis=0)
        spread = np.maximum((high - low) / 1.35, 1e-3)
        null = Null(float(middle[0]), float(spread[0]), float(middle[1]), float(spread[1]))
        for one in fields(Null):
            self._index.remember(_name(one.name), getattr(null, one.name))
        return null

    def _probed(self, probe: Probe) -> Ranked | None:
        search = Search(probe.language, as_asked(probe.text, probe.language), probe.vector)
        ranked = rank(
            [search], self._index.passages, lambda group: group.document != probe.document
        )
        return ranked[0] if ranked else None


def _name(number: str) -> str:
    """What a number of the null is remembered as; other weights give another one."""
    return f"null {number} of {WEIGHTS}"


def _stands_for(word: str, search: Search, *, abroad: bool) -> list[tuple[str, float]]:
    """The documents' words that stand for a word of the question, with their likeness."""
    if not abroad:
        return [(word, 1.0)]
    near = [
        (own, likeness) for own, asked, likeness in search.widened.pairs if word in asked.split()
    ]
    return [*near, (word, 1.0)] if not word.isalpha() or not near else near
