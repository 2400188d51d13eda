"""Yes or no: whether what a question names is related as it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyoxigraph import NamedNode

from ontology.vocabulary import RDF
from queries.store.results import Term
from service.answering.match import Mention, Seed
from service.answering.plan.paths import Path
from service.answering.plan.plans import Plan
from service.answering.plan.reading import Understood
from service.answering.retrieve import Key
from service.answering.settled import Settled
from service.index.schema import Hop

KIND = Hop(RDF.type.value)


def kinds(understood: Understood) -> list[Path]:
    """Paths to the classes of what is named, for "is X a Y?"."""
    return [Path(mention, (KIND,)) for mention in understood.reading.mentions]


def verdict(
    understood: Understood,
    plans: Sequence[Plan],
    settled: Sequence[Settled],
    ends: Mapping[Key, Mapping[Term, set[Seed]]],
) -> tuple[bool, Settled] | None:
    """Whether the graph says so, and the plan that tells; None where it does not say."""
    linked = _linked(understood, plans, ends) or _of_kind(understood, ends)
    if linked is not None:
        return True, linked
    if not settled:
        return None
    best = settled[0]
    named = {mention.start for mention in understood.reading.mentions if mention.score >= 0.7}
    if len(named) > 1 or best.plan.paths[0].open_ended:
        return False, best
    return True, best


def _linked(
    understood: Understood,
    plans: Sequence[Plan],
    ends: Mapping[Key, Mapping[Term, set[Seed]]],
) -> Settled | None:
    """The likeliest plan that leads from one thing named to another."""
    for path in (path for plan in plans for path in plan.paths if path.words):
        reached = ends.get((path.seed, path.hops, ""), {})
        for mention in understood.reading.mentions:
            if not mention.overlaps(path.seed) and any(term in reached for term in mention.terms):
                answers = tuple(term for term in mention.terms if term in reached)
                plan = Plan((path,), words=path.words | mention.words, score=path.score)
                return Settled(plan, answers, 2 * path.score + mention.score)
    return None


def _of_kind(
    understood: Understood, ends: Mapping[Key, Mapping[Term, set[Seed]]]
) -> Settled | None:
    for match in understood.classes:
        for mention in understood.reading.mentions:
            reached = ends.get((mention, (KIND,), ""), {})
            term = NamedNode(match.iri)
            if term in reached and not match.words & mention.words:
                return _member(mention, term, match.score)
    return None


def _member(mention: Mention, term: NamedNode, score: float) -> Settled:
    path = Path(mention, (KIND,), score=score)
    return Settled(Plan((path,), score=score), (term,), score + mention.score)
