"""The answer that settled plans give: values, the facts behind them, and what stands around."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyoxigraph import NamedNode

from ontology.vocabulary import RDF
from service.answering.match import Mention, Seed
from service.answering.plan.paths import INSTANCES
from service.answering.plan.reading import Understood
from service.answering.plan.words import grammar
from service.answering.question import Question
from service.answering.reply import FactAnswer, Match, Value
from service.answering.retrieve import Retriever
from service.answering.settle import Outcome
from service.answering.settled import Settled
from service.answering.verbalise import Names, Statement, answer_text, context_facts
from service.index.labels import Labels

SHOWN, ALL = 12, 60
CONSIDERED = 4
_VALUES = 100
_SURE_AT, _STEEP = 0.75, 3.0


def tell(
    question: Question,
    outcome: Outcome,
    understood: Understood,
    retriever: Retriever,
    labels: Labels,
) -> FactAnswer:
    """The best plan's answer, and facts of the likeliest plans and entities as context."""
    names = Names(labels, question.language)
    settled, mentions = outcome.settled, understood.reading.mentions
    best = settled[0] if settled else None
    ways = [_ways(one, retriever, ALL) for one in settled[:1]]
    ways += [_ways(one, retriever, SHOWN) for one in settled[1:CONSIDERED]]
    entities = _entities(settled, mentions)
    beside = _beside(settled, entities, retriever)
    evidence = ways[0] if ways else []
    context = context_facts([s for way in ways for s in way] + beside, names)
    values = _values(outcome, names, question.language)
    return FactAnswer(
        text=answer_text(values, question.language),
        values=values,
        facts=tuple(names.fact(statement) for statement in evidence),
        confidence=_confidence(best),
        entities=tuple(Match(t.value, names.of(t), score) for t, score in entities),
        predicates=_predicates(settled, names),
        context=tuple(context),
    )


def _values(outcome: Outcome, names: Names, language: str) -> tuple[Value, ...]:
    if outcome.holds is not None:
        return (Value(value=grammar(language).say["yes" if outcome.holds else "no"]),)
    answers = outcome.answers[:_VALUES]
    names.learn(answers)
    return tuple(names.value(term) for term in answers)


def _ways(one: Settled, retriever: Retriever, shown: int) -> list[Statement]:
    found = [s for path in one.plan.paths for s in retriever.walks(path, one.answers[:shown])]
    if one.plan.paths[0].hops[0] == INSTANCES and len(one.plan.paths[0].hops) > 1:
        return [statement for statement in found if statement.predicate != RDF.type]
    return found


def _entities(
    settled: Sequence[Settled], mentions: Sequence[Mention]
) -> list[tuple[NamedNode, float]]:
    """The entities that the question names, those of the best plan first."""
    used = [path.seed for one in settled[:1] for path in one.plan.paths]
    order = (*used, *sorted(mentions, key=lambda m: -m.score))
    found: dict[NamedNode, float] = {}
    for mention in order:
        for term in mention.terms:
            if isinstance(term, NamedNode):
                found.setdefault(term, round(mention.score, 4))
    return list(found.items())


def _beside(
    settled: Sequence[Settled], entities: Sequence[tuple[NamedNode, float]], retriever: Retriever
) -> list[Statement]:
    """What leaves the answers and what surrounds the entities."""
    answers = [t for one in settled[:1] for t in one.answers[:5] if isinstance(t, NamedNode)]
    named: list[Seed] = [entity for entity, _ in entities[:6]]
    return retriever.around([*named, *answers], named)


def _predicates(settled: Sequence[Settled], names: Names) -> tuple[Match, ...]:
    found: dict[str, float] = {}
    for one in settled[:SHOWN]:
        for path in one.plan.paths:
            for hop in path.hops:
                found.setdefault(hop.predicate, _confidence(one))
    return tuple(Match(iri, names.of(NamedNode(iri)), score) for iri, score in found.items())


def _confidence(best: Settled | None) -> float:
    """How sure the answer is, 0..1, by the plan's score."""
    if best is None:
        return 0.0
    return round(1 / (1 + math.exp(-_STEEP * (best.score - _SURE_AT))), 4)
