"""Broken sentences of the documents as questions: with their document there, and without it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from service.answering.centring import Vector
from service.answering.hints import Hints, Reader
from service.answering.ranking import Search, rank
from service.answering.widen import as_asked, content_words
from service.index.passages import Group, Passages, Probe

_PROBES = 60
_FEWEST = 20
_KEPT = (0.4, 0.9)  # share of a sentence's words that are kept
_OTHERS = (0.0, 1.2)  # words from elsewhere for each word that is kept
_LIKENESS = (0.3, 0.8)  # cosines between the sentence and the question


def soundings(passages: Passages) -> Iterator[tuple[Hints, bool]]:
    """The hints at each question, and whether the documents answer it; none where there are few."""
    probes = passages.probes(_PROBES)
    if len(probes) < _FEWEST:
        return
    chance = random.Random(3)  # noqa: S311  the same soundings each time
    for probe in probes:
        text = _broken(probe, probes, chance)
        vector = _turned(probe.vector, chance.choice(probes).vector, chance)
        search = Search(probe.language, as_asked(text, probe.language), vector)
        reader = Reader(text, probe.language, search, passages)
        for there in (True, False):
            ranked = rank([search], passages, _all if there else _without(probe.document))
            if ranked:
                yield reader.hints(ranked), there


def _all(_group: Group) -> bool:
    return True


def _without(document: str) -> Callable[[Group], bool]:
    return lambda group: group.document != document


def _broken(probe: Probe, probes: Sequence[Probe], chance: random.Random) -> str:
    """Some of the sentence's words, with some of others'."""
    words = content_words(probe.text, probe.language) or [probe.text]
    kept = chance.sample(words, max(1, round(chance.uniform(*_KEPT) * len(words))))
    same = [one for one in probes if one.language == probe.language]
    others = [
        chance.choice(content_words(chance.choice(same).text, probe.language) or [""])
        for _ in range(round(chance.uniform(*_OTHERS) * len(kept)))
    ]
    return " ".join([*kept, *others])


def _turned(vector: Vector, other: Vector, chance: random.Random) -> Vector:
    """A vector that is only so near to the sentence's, in the direction of another's."""
    likeness = chance.uniform(*_LIKENESS)
    noise = np.random.default_rng(chance.getrandbits(32)).standard_normal(len(vector))
    noise = noise / np.linalg.norm(noise) + other
    noise -= (noise @ vector) * vector
    noise /= max(float(np.linalg.norm(noise)), 1e-6)
    return np.asarray(likeness * vector + np.sqrt(1 - likeness**2) * noise, np.float32)
