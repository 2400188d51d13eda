"""Plans against the graph: which have answers, and the answer in the form that was asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from queries.store.results import Term
from service.answering.match import Seed
from service.answering.plan.intent import Intent
from service.answering.plan.plans import Plan, distinct_paths
from service.answering.retrieve import Key, Retriever
from service.index.schema import Schema

MANY = 0.08


@dataclass(frozen=True, slots=True)
class Settled:
    """A plan and the ends that it has in the graph, those first that no word named."""

    plan: Plan
    answers: tuple[Term, ...]
    score: float


def settle(
    plans: Sequence[Plan], intent: Intent, retriever: Retriever, schema: Schema
) -> list[Settled]:
    """The plans that have answers, best first; one round trip."""
    ends = retriever.ends(distinct_paths(plans), schema)
    found = [_settled(plan, intent, ends) for plan in plans]
    return sorted((one for one in found if one.answers), key=lambda one: -one.score)


def _settled(plan: Plan, intent: Intent, ends: Mapping[Key, Mapping[Term, set[Seed]]]) -> Settled:
    typed = plan.answer_class if len(plan.paths) == 1 else ""
    sets = [ends[path.seed, path.hops, typed] for path in plan.paths]
    named = {term for path in plan.paths for term in path.seed.terms}
    answers = [term for term in sets[0] if all(term in other for other in sets[1:])]
    if any(path.returns for path in plan.paths):
        answers = [term for term in answers if term not in named]
    answers.sort(key=lambda term: term in named)
    crowd = MANY * max(0.0, math.log10(max(1, len(answers)) / 10))
    return Settled(plan, tuple(answers), plan.score - crowd)
