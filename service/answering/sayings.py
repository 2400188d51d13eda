"""Entities found by what their texts say, where no relation leads to them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from queries.store.results import Term
from service.answering.match import Mention
from service.answering.plan.paths import INSTANCES, OF_CLASS, ClassMatch, Path
from service.answering.plan.plans import LEFT_OVER, LINK, Plan
from service.answering.plan.reading import Understood
from service.answering.settled import Settled

CLASSES, SURE = 4, 0.7
SAID = 0.4
NAMED = 0.5
NAMES = 2
NEARLY = 0.8
START = -0.2
OF_ANY_CLASS = -0.2

Said = Mapping[Term, set[str]]


def sayings(understood: Understood) -> list[Settled]:
    """For each class that is named, and for any, the entities that say most of the other words."""
    known = understood.known
    stems = _stems(understood)
    said = known.texts.saying(sorted(set(stems.values())))
    told = [
        _Search(understood, stems, match.words).best(
            {e: words for e, words in said.items() if match.iri in known.texts.classes[e]}, match
        )
        for match in understood.classes[:CLASSES]
        if match.score >= SURE
    ]
    terms = known.schema.classes.keys() | known.schema.predicates.keys()
    things = {e: words for e, words in said.items() if getattr(e, "value", "") not in terms}
    told.append(_Search(understood, stems, frozenset()).best(things, None))
    return [one for one in told if one is not None]


def _stems(understood: Understood) -> dict[int, str]:
    """The content words by position, without what inflects them."""
    words = understood.reading.words
    asking = understood.reading.intent.asking
    return {
        i: word.key[: -2 if len(word.key) > 6 else -1 if len(word.key) > 4 else None]
        for i, word in enumerate(words)
        if word.content and i not in asking and len(word.key) > 2
    }


@dataclass(frozen=True)
class _Search:
    understood: Understood
    stems: Mapping[int, str]
    known: frozenset[int]

    def best(self, said: Said, match: ClassMatch | None) -> Settled | None:
        """The entities that say most; None where none says anything telling."""
        telling = self._telling(said, match)
        weights = {
            entity: sum(telling.get(w, 0.0) for w in words) for entity, words in said.items()
        }
        most = max(weights.values(), default=0.0)
        if most <= 0:
            return None
        ranked = sorted(weights, key=lambda entity: -weights[entity])
        answers = tuple(entity for entity in ranked if weights[entity] >= NEARLY * most)
        others = {i: stem for i, stem in self.stems.items() if i not in self.known}
        covered = frozenset(i for i, stem in others.items() if stem in said[answers[0]])
        whole = sum(telling.get(stem, 1.0) for stem in set(others.values()))
        missed = len(others.keys() - covered) + NAMES * len(self._names - self.known)
        score = START + SAID * most / max(most, whole) - LEFT_OVER * missed
        score += (LINK / 2 + OF_CLASS) * match.score if match else OF_ANY_CLASS
        return Settled(self._plan(match, covered, score), answers, score)

    def _telling(self, said: Said, match: ClassMatch | None) -> dict[str, float]:
        """How much each word narrows, 0..1; less what is a name, since names are linked."""
        named = self._stems_of(self._names)
        wanted = self._stems_of(i for i in self.stems if i not in self.known)
        counts = Counter(word for words in said.values() for word in words & wanted)
        classes = self.understood.known.schema.classes
        size = max(len(said), classes.get(match.iri, 0) if match else sum(classes.values())) + 2
        return {
            word: math.log(size / n) / math.log(size) * (NAMED if word in named else 1.0)
            for word, n in counts.items()
        }

    @property
    def _names(self) -> frozenset[int]:
        """The words of sure names, which a relation should lead from instead."""
        mentions = self.understood.reading.mentions
        sure = (mention.words for mention in mentions if mention.exact and mention.score >= 1)
        return frozenset[int]().union(*sure)

    def _stems_of(self, positions: Iterable[int]) -> set[str]:
        return {self.stems[i] for i in positions if i in self.stems}

    def _plan(self, match: ClassMatch | None, covered: frozenset[int], score: float) -> Plan:
        anything = Mention(0, 0, "", (), 0.0)
        path = Path(match.seed if match else anything, (INSTANCES,), self.known, score=score)
        return Plan((path,), "", self.known | covered, score)
