"""Pairs of entities that may be one: alike in name or sense, of one kind, nothing against it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from pyoxigraph import NamedNode
from rapidfuzz import fuzz

from loaders.identity.names import normalise
from loaders.ports import Embedder, Vectors

_ALIKE = 0.5
_COMMON = 200  # entities that share a piece of a name which then tells nothing
_ROWS = 1_000
_SURE = 0.7  # centred cosine of names in two languages that surely mean the same
_FEW = 3  # names of a language that count as many of any


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity with its names, classes and those above them; `extracted` as against curated.

    `names` are texts with their languages, "" where that is not told.
    """

    node: NamedNode
    names: tuple[tuple[str, str], ...]
    kinds: frozenset[NamedNode]
    extracted: bool

    @property
    def name(self) -> str:
        """The name it is shown by."""
        return self.names[0][0]

    @property
    def texts(self) -> list[str]:
        """All its names."""
        return [text for text, _ in self.names]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be one; `score` is from 0 to 1."""

    one: Candidate
    other: Candidate
    score: float


def pairs(candidates: Sequence[Candidate], embedder: Embedder | None) -> list[Pair]:
    """The likely pairs with at least one extracted entity, best first.

    Likeness of letters and, between languages, of sense are fused; within a language sense alone
    does not tell a washing machine from a dishwasher.
    """
    senses = _translations(candidates, embedder) if embedder else {}
    found = []
    for one, other in {*_near_in_letters(candidates), *senses}:
        left, right = candidates[one], candidates[other]
        if not _may_be_one(left, right):
            continue
        sense = min(max(senses.get((one, other), 0.0) / _SURE, 0), 1)
        score = 1 - (1 - _letters(left, right)) * (1 - sense)
        if score >= _ALIKE:
            found.append(Pair(left, right, round(score, 3)))
    return sorted(found, key=lambda pair: (-pair.score, pair.one.name, pair.other.name))


def _may_be_one(one: Candidate, other: Candidate) -> bool:
    """Whether kinds agree, numbers agree, and neither has what tells it from the other."""
    if not (one.extracted or other.extracted) or bool(one.kinds) != bool(other.kinds):
        return False
    if one.kinds and one.kinds.isdisjoint(other.kinds):
        return False
    numbers = [set(re.findall(r"\d+", " ".join(each.texts))) for each in (one, other)]
    which = [_qualifiers(each) for each in (one, other)]
    return numbers[0] == numbers[1] and (which[0] == which[1] or not all(which))


def _qualifiers(candidate: Candidate) -> set[str]:
    return {found[1].casefold() for name in candidate.texts if (found := _QUALIFIED.search(name))}


_QUALIFIED = re.compile(r"\(([^()]+)\)$")


def _letters(one: Candidate, other: Candidate) -> float:
    best = max(
        fuzz.token_sort_ratio(normalise(a).lower(), normalise(b).lower())
        for a in one.texts
        for b in other.texts
    )
    return float(np.clip((best - 60) / 40, 0, 1))


def _near_in_letters(candidates: Sequence[Candidate]) -> Iterator[tuple[int, int]]:
    """Pairs whose names share a rare piece of five letters."""
    having: dict[str, set[int]] = defaultdict(set)
    for number, candidate in enumerate(candidates):
        for piece in _pieces(candidate.texts):
            having[piece].add(number)
    for numbers in having.values():
        if len(numbers) <= _COMMON:
            ordered = sorted(numbers)
            yield from ((a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :])


def _pieces(names: Iterable[str]) -> set[str]:
    padded = (f" {normalise(name).lower()} " for name in names)
    return {name[i : i + 5] for name in padded for i in range(max(1, len(name) - 4))}


def _translations(
    candidates: Sequence[Candidate], embedder: Embedder
) -> dict[tuple[int, int], float]:
    """The cosine of pairs that are each other's nearest in another language, as pairs in order."""
    owners: dict[str, list[int]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for number, candidate in enumerate(candidates):
        for language, text in {language: text for text, language in candidate.names[::-1]}.items():
            owners[language].append(number)
            texts[language].append(text)
    vectors = _centred({language: embedder.passages(said) for language, said in texts.items()})
    found: dict[tuple[int, int], float] = {}
    for one, other in combinations(sorted(texts), 2):
        for a, b, score in _mutual(vectors[one], vectors[other]):
            ends = sorted((owners[one][a], owners[other][b]))
            found[ends[0], ends[1]] = max(score, found.get((ends[0], ends[1]), 0.0))
    return {pair: score for pair, score in found.items() if pair[0] != pair[1]}


def _mutual(ones: Vectors, others: Vectors) -> Iterator[tuple[int, int, float]]:
    """Rows that are each other's nearest, with their cosine."""
    nearest, back = _nearest(ones, others), _nearest(others, ones)
    for a, b in enumerate(nearest):
        if back[b] == a:
            yield a, int(b), float(ones[a] @ others[b])


def _nearest(ones: Vectors, others: Vectors) -> list[int]:
    blocks = (ones[start : start + _ROWS] for start in range(0, len(ones), _ROWS))
    return [int(best) for block in blocks for best in np.argmax(block @ others.T, axis=1)]


def _centred(groups: Mapping[str, Vectors]) -> dict[str, Vectors]:
    """Each language's vectors around its own middle, or near that of all where they are few."""
    if not groups:
        return {}
    middle = np.concatenate(list(groups.values())).mean(axis=0)
    centred = {}
    for language, vectors in groups.items():
        share = len(vectors) / (len(vectors) + _FEW)
        apart = vectors - (share * vectors.mean(axis=0) + (1 - share) * middle)
        norms = np.linalg.norm(apart, axis=1, keepdims=True)
        centred[language] = np.asarray(apart / np.maximum(norms, 1e-9), np.float32)
    return centred
