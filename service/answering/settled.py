"""A plan with the ends that it has in the graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from queries.store.results import Term
from service.answering.match import Seed
from service.answering.plan.plans import Plan
from service.answering.retrieve import Key

CROWD = 0.08


@dataclass(frozen=True, slots=True)
class Settled:
    """A plan and its answers in the graph, those first that the question does not name."""

    plan: Plan
    answers: tuple[Term, ...]
    score: float

    @classmethod
    def from_ends(cls, plan: Plan, ends: Mapping[Key, Mapping[Term, set[Seed]]]) -> Settled:
        """The plan with what all its paths lead to; a crowd of answers is less likely meant."""
        typed = plan.answer_class if len(plan.paths) == 1 else ""
        sets = [ends[path.seed, path.hops, typed] for path in plan.paths]
        named = {term for path in plan.paths for term in path.seed.terms}
        answers = [term for term in sets[0] if all(term in other for other in sets[1:])]
        if any(path.returns for path in plan.paths):
            answers = [term for term in answers if term not in named]
        answers.sort(key=lambda term: term in named)
        crowd = CROWD * max(0.0, math.log10(max(1, len(answers)) / 10))
        return cls(plan, tuple(answers), plan.score - crowd)
