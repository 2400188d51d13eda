"""The answer that settled plans give: values, the facts behind them, and what stands around."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from pyoxigraph import Literal, NamedNode

from ontology.vocabulary import RDF
from queries.store.results import Term
from service.answering.holding import Holding, accounted
from service.answering.match import Mention
from service.answering.plan.paths import INSTANCES
from service.answering.plan.reading import Understood
from service.answering.plan.words import grammar
from service.answering.question import Question
from service.answering.reply import FactAnswer, Match, Value
from service.answering.retrieve import Retriever
from service.answering.settle import Outcome
from service.answering.settled import Settled
from service.answering.signs import Signs
from service.answering.surety import Surety
from service.answering.validity import Asked
from service.answering.verbalise import Names, Statement, answer_text, context_facts, is_number
from service.index.labels import Labels

SHOWN, ALL = 12, 60
CONSIDERED = 4
NAMED, NEAREST, SAID = 6, 5, 10
_VALUES = 100
_SURE_AT, _STEEP = 0.25, 3.3

Item = TypeVar("Item")


def tell(
    question: Question,
    outcome: Outcome,
    understood: Understood,
    retriever: Retriever,
    labels: Labels,
    *,
    surety: Surety,
) -> FactAnswer:
    """The best plan's answer, and facts of the likeliest plans and entities as context."""
    names = Names(labels, question.language)
    settled: Sequence[Settled] = outcome.settled
    entities = _entities(settled, understood.reading.mentions)
    ways, beside, reified = _looked_up(settled, entities, retriever)
    asked = Asked.from_question(question)
    holding = Holding(asked, reified)
    answers = holding.answers(outcome.answers, ways[0]) if ways else ()
    if asked.years and outcome.holds is None and (place := _dated(settled, ways, holding)):
        settled, ways = _first(settled, place), _first(ways, place)
        answers = holding.answers(settled[0].answers, ways[0])
    evidence = [
        _measured(one, understood.known.schema.unit(one.predicate.value, question.language))
        for one in (holding.of(ways[0]) if ways else [])
    ]
    known = holding.dated() if not answers else []
    told = holding.of(s for way in ways for s in way) + known + holding.of(beside)
    predicates = _predicates(settled)
    told_of = (term for s in told for term in (s.subject, s.predicate, s.object))
    matched = (*map(NamedNode, predicates), *(term for term, _ in entities))
    names.learn((*matched, *answers[:_VALUES], *told_of))
    signs = (
        Signs.of(settled, understood, accounted(understood.reading.words, asked, evidence))
        if answers
        else None
    )
    values = _values(answers, outcome.holds, names, question.language)
    units = {s.object.value: s.unit for s in evidence if s.unit and isinstance(s.object, Literal)}
    meant = {
        names.of(s.object): names.predicate(s.predicate) for s in evidence if is_number(s.object)
    }
    return FactAnswer(
        text=answer_text(values, question.language, units, meant),
        values=values,
        facts=tuple(names.fact(statement) for statement in evidence),
        confidence=surety.of(signs.numbers) if signs else 0.0,
        entities=tuple(Match(t.value, names.of(t), score) for t, score in entities),
        predicates=tuple(Match(p, names.of(NamedNode(p)), s) for p, s in predicates.items()),
        context=tuple(context_facts(told, names)),
    )


def _measured(statement: Statement, unit: str) -> Statement:
    if statement.unit or not unit or not is_number(statement.object):
        return statement
    return statement._replace(unit=unit)


def _dated(
    settled: Sequence[Settled], ways: Sequence[Sequence[Statement]], holding: Holding
) -> int:
    """The place of the likeliest plan of which a statement is dated and holds; 0 without one."""
    for place, (one, way) in enumerate(zip(settled, ways, strict=False)):
        dated = any(form.valid_from or form.valid_until for form in holding.of(way))
        if dated and holding.answers(one.answers, way):
            return place
    return 0


def _first(row: Sequence[Item], place: int) -> list[Item]:
    return [row[place], *row[:place], *row[place + 1 :]]


def _looked_up(
    settled: Sequence[Settled],
    entities: Sequence[tuple[NamedNode, float]],
    retriever: Retriever,
) -> tuple[list[list[Statement]], list[Statement], list[Statement]]:
    """The ways to the answers of the likeliest plans, what is around, what is reified; at once."""
    run = retriever.threads.submit
    ways = run(_ways, settled[:CONSIDERED], retriever)
    answers = [t for one in settled[:1] for t in one.answers[:NEAREST] if isinstance(t, NamedNode)]
    named = [entity for entity, _ in entities[:NAMED]]
    said = [term for one in settled for term in _said(one)]
    around = run(retriever.around, ([*named, *answers], named), said)
    reified = retriever.relationships([*named, *answers])
    return ways.result(), around.result(), reified


def _values(
    answers: Sequence[Term], holds: bool | None, names: Names, language: str
) -> tuple[Value, ...]:
    if holds is not None and answers:
        return (Value(value=grammar(language).say["yes" if holds else "no"]),)
    return tuple(names.value(term) for term in answers[:_VALUES])


def _said(one: Settled) -> list[NamedNode]:
    """The first entities of a plan that no relation leads to, only what texts say."""
    if one.plan.seeds[0].terms:
        return []
    return [term for term in one.answers[:SAID] if isinstance(term, NamedNode)]


def _ways(considered: Sequence[Settled], retriever: Retriever) -> list[list[Statement]]:
    """For each plan the statements on all its paths to its answers."""
    shown = [(one, SHOWN if place else ALL) for place, one in enumerate(considered)]
    pairs = [(path, one.answers[:most]) for one, most in shown for path in one.plan.paths]
    walks = iter(retriever.walks(pairs))
    return [_led_to(one, [s for _ in one.plan.paths for s in next(walks)]) for one in considered]


def _led_to(one: Settled, statements: list[Statement]) -> list[Statement]:
    """Without saying that something is of its class, where a step leads on from there."""
    if one.plan.paths[0].hops[0] == INSTANCES and len(one.plan.paths[0].hops) > 1:
        return [statement for statement in statements if statement.predicate != RDF.type]
    return statements


def _entities(
    settled: Sequence[Settled], mentions: Sequence[Mention]
) -> list[tuple[NamedNode, float]]:
    """The entities that the question names, those of the best plan first, and its classes."""
    used = [path for one in settled[:1] for path in one.plan.paths]
    things = [path.seed for path in used if path.hops[0] != INSTANCES]
    classes = [path.seed for path in used if path.hops[0] == INSTANCES]
    order = (*things, *sorted((*mentions, *classes), key=lambda m: -m.score))
    found: dict[NamedNode, float] = {}
    for mention in order:
        for term in mention.terms:
            if isinstance(term, NamedNode):
                found.setdefault(term, round(mention.score, 4))
    return list(found.items())


def _predicates(settled: Sequence[Settled]) -> dict[str, float]:
    """The predicates of the likeliest plans, by how sure these are."""
    found: dict[str, float] = {}
    for one in settled[:SHOWN]:
        for path in one.plan.paths:
            for hop in path.hops:
                found.setdefault(hop.predicate, _likelihood(one))
    return found


def _likelihood(one: Settled) -> float:
    """How likely a plan is meant, 0..1, by its score."""
    return round(1 / (1 + math.exp(-_STEEP * (one.score - _SURE_AT))), 4)
