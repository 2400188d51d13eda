"""Plans against the graph, and the answer in the form that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyoxigraph import Literal

from queries.store.results import Term
from service.answering.comparison import compared, measures
from service.answering.extremes import chosen
from service.answering.plan.intent import Form, Intent
from service.answering.plan.plans import Plan, distinct_paths
from service.answering.plan.reading import Understood
from service.answering.retrieve import Retriever
from service.answering.sayings import sayings
from service.answering.settled import Settled
from service.answering.verdict import kinds, verdict
from service.index.schema import Schema

FALLEN = 0.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """The plans that have answers, best first, and the answer; `holds` where it is yes or no."""

    settled: tuple[Settled, ...]
    answers: tuple[Term, ...] = ()
    holds: bool | None = None


def settle(understood: Understood, plans: Sequence[Plan], retriever: Retriever) -> Outcome:
    """What the likeliest plan that has answers says; one round trip, two for an extreme."""
    intent, schema = understood.reading.intent, understood.known.schema
    paths = distinct_paths(plans)
    if intent.form is Form.VERDICT:
        paths += [(path, "") for path in kinds(understood)]
    paths += [(path, "") for path in measures(understood)]
    ends = retriever.ends(paths, schema)
    found = [Settled.from_ends(plan, ends) for plan in plans] + sayings(understood)
    settled = sorted((one for one in found if one.answers), key=lambda one: -one.score)
    weighed = compared(understood, ends)
    if weighed is not None:
        return Outcome((weighed[1], *settled), weighed[1].answers, weighed[0])
    if intent.form is Form.VERDICT:
        told = verdict(understood, plans, settled, ends)
        if told is None:
            return Outcome(tuple(settled))
        return Outcome((told[1], *settled), told[1].answers, told[0])
    if intent.extreme is not None or intent.bounds:
        extreme = chosen(understood, settled, retriever)
        if extreme is not None and extreme.score > settled[0].score - FALLEN:
            settled = [extreme, *settled]
    if not settled:
        return Outcome(())
    return Outcome(tuple(settled), _counted(settled[0], intent, schema))


def _counted(best: Settled, intent: Intent, schema: Schema) -> tuple[Term, ...]:
    """The answers, or their number where that is asked and is not what the graph states."""
    last = best.plan.paths[0].hops[-1]
    predicate = schema.predicates.get(last.predicate)
    stated = predicate is not None and predicate.numbers > 0.5 and not last.inverse
    if intent.form is not Form.COUNT or stated:
        return best.answers
    return (Literal(len(best.answers)),)
