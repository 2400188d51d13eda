"""Pairs of entities that may be one: alike in name or sense, of one kind, nothing against it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from pyoxigraph import NamedNode
from rapidfuzz import fuzz

from loaders.identity.names import normalise
from loaders.ports import Embedder, Vectors

_ALIKE = 0.5
_COMMON = 200  # entities that share a piece of a name which then tells nothing
_ROWS = 1_000
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity with its names, classes and those above them; `extracted` as against curated."""

    node: NamedNode
    names: tuple[str, ...]
    kinds: frozenset[NamedNode]
    extracted: bool

    @property
    def name(self) -> str:
        """The name it is shown by."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entities that may be one; `score` is from 0 to 1."""

    one: Candidate
    other: Candidate
    score: float


def pairs(candidates: Sequence[Candidate], embedder: Embedder | None) -> list[Pair]:
    """The likely pairs with at least one extracted entity, best first."""
    near = _near_in_sense(candidates, embedder) if embedder and len(candidates) > 2 else {}
    found = []
    for one, other in {*_near_in_letters(candidates), *near}:
        left, right = candidates[one], candidates[other]
        if not _may_be_one(left, right):
            continue
        sense = np.clip((near.get((one, other), 0.0) - 0.4) / 0.6, 0, 1)
        score = 1 - (1 - _letters(left, right)) * (1 - float(sense))
        if score >= _ALIKE:
            found.append(Pair(left, right, round(score, 3)))
    return sorted(found, key=lambda pair: (-pair.score, pair.one.name, pair.other.name))


def _may_be_one(one: Candidate, other: Candidate) -> bool:
    """Whether kinds agree, numbers agree, and neither has what tells it from the other."""
    if not (one.extracted or other.extracted) or bool(one.kinds) != bool(other.kinds):
        return False
    if one.kinds and one.kinds.isdisjoint(other.kinds):
        return False
    numbers = [set(re.findall(r"\d+", " ".join(each.names))) for each in (one, other)]
    which = [_qualifiers(each) for each in (one, other)]
    return numbers[0] == numbers[1] and (which[0] == which[1] or not all(which))


def _qualifiers(candidate: Candidate) -> set[str]:
    return {found[1].casefold() for name in candidate.names if (found := _QUALIFIED.search(name))}


_QUALIFIED = re.compile(r"\(([^()]+)\)$")


def _letters(one: Candidate, other: Candidate) -> float:
    best = max(
        fuzz.token_sort_ratio(normalise(a).lower(), normalise(b).lower())
        for a in one.names
        for b in other.names
    )
    return float(np.clip((best - 60) / 40, 0, 1))


def _near_in_letters(candidates: Sequence[Candidate]) -> Iterator[tuple[int, int]]:
    """Pairs whose names share a rare piece of five letters."""
    having: dict[str, set[int]] = defaultdict(set)
    for number, candidate in enumerate(candidates):
        for piece in _pieces(candidate.names):
            having[piece].add(number)
    for numbers in having.values():
        if len(numbers) <= _COMMON:
            ordered = sorted(numbers)
            yield from ((a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :])


def _pieces(names: Iterable[str]) -> set[str]:
    padded = (f" {normalise(name).lower()} " for name in names)
    return {name[i : i + 5] for name in padded for i in range(max(1, len(name) - 4))}


def _near_in_sense(
    candidates: Sequence[Candidate], embedder: Embedder
) -> dict[tuple[int, int], float]:
    """The nearest others of each by centred cosine, as pairs of numbers in order."""
    vectors = _centred(embedder.passages([one.name for one in candidates]))
    near: dict[tuple[int, int], float] = {}
    for start in range(0, len(vectors), _ROWS):
        scores = vectors[start : start + _ROWS] @ vectors.T
        for row, others in enumerate(np.argsort(-scores, axis=1)[:, : _NEAREST + 1]):
            for other in map(int, others):
                pair = (min(start + row, other), max(start + row, other))
                if pair[0] != pair[1]:
                    near[pair] = float(scores[row, other])
    return near


def _centred(vectors: Vectors) -> Vectors:
    apart = vectors - vectors.mean(axis=0)
    norms = np.linalg.norm(apart, axis=1, keepdims=True)
    return np.asarray(apart / np.maximum(norms, 1e-9), np.float32)
