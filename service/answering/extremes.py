"""The most, the least, or those within bounds: answers chosen by a number or date of theirs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pyoxigraph import Literal, NamedNode

from queries.store.results import Term
from service.answering.match import Mention
from service.answering.plan.intent import Bound, Intent
from service.answering.plan.paths import INSTANCES, Path
from service.answering.plan.reading import Understood
from service.answering.plan.words import alike
from service.answering.retrieve import Retriever
from service.answering.settled import Settled
from service.index.schema import Hop, Predicate

LEAST = 0.3
HINTED = 0.9
MOST = 1000
BASES = 8


def chosen(understood: Understood, settled: list[Settled], retriever: Retriever) -> Settled | None:
    """The likeliest plan's answers that are extreme or within bounds; one round trip."""
    best: tuple[float, Settled, tuple[Hop, ...]] | None = None
    instances = [one for one in settled if one.plan.paths[0].hops == (INSTANCES,)]
    for base in (*settled[:BASES], *instances[:BASES]):
        things = [term for term in base.answers if isinstance(term, NamedNode)]
        if len(things) < 2 or not base.plan.seeds[0].terms:
            continue
        sure, key = _key(understood, base)
        if sure >= LEAST and (best is None or sure + base.score > best[0]):
            best = sure + base.score, base, key
    if best is None:
        return None
    score, base, key = best
    things = [term for term in base.answers if isinstance(term, NamedNode)][:MOST]
    dated = understood.known.schema.predicates[key[-1].predicate].dates > 0.5
    sizes = _values(things, key, understood, retriever)
    answers = _select(sizes, understood.reading.intent, dated)
    return replace(base, answers=tuple(answers), score=score) if answers else None


def _key(understood: Understood, base: Settled) -> tuple[float, tuple[Hop, ...]]:
    """The property, up to two steps away, that the question compares by."""
    schema = understood.known.schema
    scored: list[tuple[float, tuple[Hop, ...]]] = []
    for first in _next(understood, base.plan.paths[0]):
        predicate = schema.predicates[first.predicate]
        own = _fits(understood, base, predicate)
        if ordered(predicate) and not first.inverse:
            scored.append((own, (first,)))
        for second in schema.following.get(first, {}):
            further = schema.predicates[second.predicate]
            if ordered(further) and not second.inverse:
                score = max(own, _fits(understood, base, further)) - 0.05
                scored.append((score, (first, second)))
    return max(scored, default=(0.0, ()), key=lambda pair: pair[0])


def _next(understood: Understood, path: Path) -> Iterable[Hop]:
    schema = understood.known.schema
    last = path.hops[-1]
    if last != INSTANCES:
        return schema.following.get(last, {})
    iri = path.seed.terms[0].value
    return [Hop(p.iri) for p in schema.predicates.values() if iri in p.domain]


def ordered(predicate: Predicate) -> bool:
    """Whether its values are numbers or dates."""
    return predicate.numbers > 0.5 or predicate.dates > 0.5


def _fits(understood: Understood, base: Settled, predicate: Predicate) -> float:
    extreme = understood.reading.intent.extreme
    taken = base.plan.paths[0].words | base.plan.paths[0].seed.words
    return named(understood, predicate, extreme.hints if extreme else (), taken)


def named(
    understood: Understood, predicate: Predicate, hints: Iterable[str], taken: frozenset[int]
) -> float:
    """How well words not taken name the property, or an adjective's measure does, 0..1."""
    term = understood.known.vocabulary.predicates[predicate.iri]
    hinted = any(alike(hint, word) > 0.8 for hint in hints for f in term.forms for word in f)
    spoken = [pair.score for pair in understood.support.of(term) if not pair.words & taken]
    return max([HINTED if hinted else 0.0, *spoken])


def _values(
    things: list[NamedNode], key: tuple[Hop, ...], understood: Understood, retriever: Retriever
) -> Mapping[Term, float]:
    seed = Mention(0, 0, "", tuple(things), 1.0)
    path = Path(seed, key)
    ends = retriever.ends([(path, "")], understood.known.schema, len(things))[seed, key, ""]
    found: dict[Term, float] = {}
    for value, bearers in ends.items():
        size = number(value)
        if size is not None:
            found.update(dict.fromkeys(bearers, size))
    return found


def number(term: Term) -> float | None:
    """A literal's number, a date's digits; None for what has no order."""
    if not isinstance(term, Literal):
        return None
    try:
        return float(term.value)
    except ValueError:
        digits = term.value[:10].replace("-", "")
        return float(digits) if digits.isdigit() else None


def _select(keys: Mapping[Term, float], intent: Intent, dated: bool) -> list[Term]:
    kept = [t for t, number in keys.items() if all(_within(b, number) for b in intent.bounds)]
    if intent.extreme is None or not kept:
        return kept if intent.bounds else []
    extreme = (max if intent.extreme.highest_of(dated) else min)(keys[term] for term in kept)
    return [term for term in kept if keys[term] == extreme]


def _within(bound: Bound, number: float) -> bool:
    if bound.sign == ">":
        return number > bound.value
    if bound.sign == "<":
        return number < bound.value
    if len(bound.text) == 4 and number > 1e7:
        return str(int(number)).startswith(bound.text)
    return math.isclose(number, bound.value, rel_tol=1e-6)
