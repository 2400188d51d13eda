"""Instances of a class found by what their texts say, where no relation leads to them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from queries.store.results import Term
from service.answering.plan.paths import INSTANCES, OF_CLASS, ClassMatch, Path
from service.answering.plan.plans import LEFT_OVER, LINK, Plan
from service.answering.plan.reading import Understood
from service.answering.retrieve import Retriever
from service.answering.settled import Settled

CLASSES = 4
LARGEST = 3000
SAID = 0.4
NEARLY = 0.8
START = -0.2


def sayings(understood: Understood, retriever: Retriever) -> list[Settled]:
    """For each class that is named, its instances that say most of the other words."""
    classes = [
        match
        for match in understood.classes[:CLASSES]
        if understood.known.schema.classes.get(match.iri, 0) <= LARGEST
    ]
    stems = _stems(understood)
    if not classes or not stems:
        return []
    found = retriever.saying([match.iri for match in classes], sorted(set(stems.values())))
    settled = (_of_class(match, found.get(match.iri, {}), stems, understood) for match in classes)
    return [one for one in settled if one is not None]


def _stems(understood: Understood) -> dict[int, str]:
    """The content words by position, without what inflects them."""
    words = understood.reading.words
    asking = understood.reading.intent.asking
    return {
        i: word.key[: -2 if len(word.key) > 6 else -1 if len(word.key) > 4 else None]
        for i, word in enumerate(words)
        if word.content and i not in asking and len(word.key) > 2
    }


def _of_class(
    match: ClassMatch,
    said: Mapping[Term, set[str]],
    stems: Mapping[int, str],
    understood: Understood,
) -> Settled | None:
    others = {i: stem for i, stem in stems.items() if i not in match.words}
    named = frozenset[int]().union(
        *(m.words for m in understood.reading.mentions if m.exact and m.score >= 1)
    )
    wanted = {stem for i, stem in others.items() if i not in named}
    counts = Counter(stem for stems_said in said.values() for stem in stems_said & wanted)
    size = understood.known.schema.classes.get(match.iri, 1) + 1
    telling = {stem: math.log(size / n) / math.log(size) for stem, n in counts.items()}
    weights = {
        entity: sum(telling[stem] for stem in stems_said & wanted)
        for entity, stems_said in said.items()
    }
    most = max(weights.values(), default=0.0)
    if most <= 0:
        return None
    ranked = sorted(weights, key=lambda entity: -weights[entity])
    answers = tuple(entity for entity in ranked if weights[entity] >= NEARLY * most)
    covered = frozenset(i for i, stem in others.items() if stem in said[answers[0]])
    missed = len(others.keys() - covered) + 2 * len(named - match.words)
    share = most / max(most, sum(telling.get(stem, 1.0) for stem in wanted))
    score = START + (LINK / 2 + OF_CLASS) * match.score + SAID * share - LEFT_OVER * missed
    return Settled(_plan(match, covered, score), answers, score)


def _plan(match: ClassMatch, covered: frozenset[int], score: float) -> Plan:
    path = Path(match.seed, (INSTANCES,), match.words, score=score)
    return Plan((path,), "", match.words | covered, score)
