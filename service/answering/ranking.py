"""Which sentences of the documents a question is about, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from service.answering.centring import Vector
from service.answering.widen import Widened
from service.index.normalise import normalise
from service.index.passages import Group, Passages, Sentence

_BY_LETTERS = 300  # groups of a language that share most letters with the question
_BY_SENSE = 100  # groups of a language nearest to it
_READ = 40  # groups that are read sentence by sentence
WEIGHTS = (1.0, 1.0, 0.5, 0.3)  # of a group's letters and sense, a sentence's sense and letters
_GROUP_LETTERS, _GROUP_SENSE, _SENSE, _LETTERS = WEIGHTS
_FIRST_WORDS, _BEGINS = 5, 10.0  # of a definition, and what they count if they hold all
_SHARE = 1.0  # weight of the logarithm of a language's share
_PRIOR = 10.0  # scores of all languages that steady the mean and spread of one language's

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for in one language: weighted letters, and the centred question.

    `share` is how much of all documents is in that language, 0 to 1.
    """

    language: str
    widened: Widened
    vector: Vector | None
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence in its group, and how well the two fit the question.

    `letters` and `sense` are its own share of the question's letters (0 to 1) and its cosine.
    """

    sentence: Sentence
    group: Group
    score: float
    letters: float
    sense: float


def rank(
    searches: Sequence[Search],
    passages: Passages,
    allowed: Callable[[Group], bool],
    *,
    defining: bool = False,
) -> list[Ranked]:
    """The sentences of the best groups that are allowed, best first.

    Those that define what is asked about begin with it: where a definition is wanted, their first
    words count most.
    """
    found = [scored for search in searches for scored in _groups(search, passages, allowed)]
    totals = _GROUP_LETTERS * _standard(
        [(one.group.language, one.letters) for one in found]
    ) + _GROUP_SENSE * _standard([(one.group.language, one.sense) for one in found])
    shares = {search.language: math.log(search.share) for search in searches}
    totals += _SHARE * np.array([shares[one.group.language] for one in found])
    best = sorted(zip(totals.tolist(), found, strict=True), key=lambda pair: -pair[0])[:_READ]
    by_language = {search.language: search for search in searches}
    ranked = _sentences([(group.group, score) for score, group in best], by_language, passages)
    return sorted(ranked, key=lambda one: -_begun(one, by_language)) if defining else ranked


@dataclass(frozen=True, slots=True)
class _Found:
    group: Group
    letters: float
    sense: float


def _groups(
    search: Search, passages: Passages, allowed: Callable[[Group], bool]
) -> Iterable[_Found]:
    letters = passages.lexical(search.widened.tokens, search.language, _BY_LETTERS)
    numbers = dict.fromkeys(letters)
    sense: Mapping[int, float] = {}
    if search.vector is not None:
        numbers |= dict.fromkeys(passages.nearest(search.vector, search.language, _BY_SENSE))
        sense = passages.group_cosines(search.vector, search.language, numbers)
    for group in passages.groups(numbers):
        if allowed(group):
            yield _Found(group, letters.get(group.number, 0.0), sense.get(group.number, 0.0))


def _sentences(
    groups: Sequence[tuple[Group, float]], searches: Mapping[str, Search], passages: Passages
) -> list[Ranked]:
    read = [(one, group, score) for group, score in groups for one in passages.sentences(group)]
    senses, letters = [], []
    for language, search in searches.items():
        texts = {one.number: one.text for one, group, _ in read if group.language == language}
        if search.vector is not None:
            cosines = passages.sentence_cosines(search.vector, language, texts)
            senses.append(cosines)
        letters.append(_shared(search.widened.tokens, texts))
    sense = {number: value for part in senses for number, value in part.items()}
    shared = {number: value for part in letters for number, value in part.items()}
    own = _SENSE * _standard([(g.language, sense.get(s.number, 0.0)) for s, g, _ in read])
    own += _LETTERS * _standard([(g.language, shared[s.number]) for s, g, _ in read])
    ranked = [
        Ranked(one, group, score + more, shared[one.number], sense.get(one.number, 0.0))
        for (one, group, score), more in zip(read, own.tolist(), strict=True)
    ]
    return sorted(ranked, key=lambda one: -one.score)


def _begun(ranked: Ranked, searches: Mapping[str, Search]) -> float:
    """The score, and how much of the question's letters the sentence's first words hold."""
    tokens = searches[ranked.group.language].widened.tokens
    begin = f"_{'_'.join(normalise(ranked.sentence.text).split()[:_FIRST_WORDS])}_"
    held = sum(weight for token, weight in tokens.items() if token in begin)
    return ranked.score + _BEGINS * held / (sum(tokens.values()) or 1.0)


def _standard(scores: Sequence[tuple[str, float]]) -> Scores:
    """Scores as deviations from their language's mean, steadied by all languages' together."""
    values = np.array([score for _, score in scores], np.float64)
    if not len(values):
        return values
    languages = np.array([language for language, _ in scores])
    mean, spread = values.mean(), values.var()
    standard = np.empty_like(values)
    for language in set(languages.tolist()):
        mine = languages == language
        weight = mine.sum() / (mine.sum() + _PRIOR * (len(values) > mine.sum()))
        centre = weight * values[mine].mean() + (1 - weight) * mean
        width = weight * values[mine].var() + (1 - weight) * spread
        standard[mine] = (values[mine] - centre) / math.sqrt(width + 1e-9)
    return standard


def _shared(weights: Mapping[str, float], texts: Mapping[int, str]) -> dict[int, float]:
    """How much of the weight of the question's n-grams each text holds (BM25 over the texts)."""
    if not texts:
        return {}
    padded = [f"_{normalise(text).replace(' ', '_')}_" for text in texts.values()]
    lengths = np.array([len(text) for text in padded], np.float64)
    room = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    total = np.zeros(len(padded))
    for token, weight in weights.items():
        counts = np.array([text.count(token) for text in padded], np.float64)
        holding = int((counts > 0).sum())
        if holding:
            rarity = math.log(1 + (len(padded) - holding + 0.5) / (holding + 0.5))
            total += weight * rarity * counts * 2.2 / (counts + room)
    return dict(zip(texts, total.tolist(), strict=True))
