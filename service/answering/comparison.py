"""Which of the things named has more of something, or whether the first has more than the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pyoxigraph import Literal, NamedNode

from queries.store.results import Term
from service.answering.extremes import LEAST, named, number, ordered
from service.answering.match import Mention, Seed
from service.answering.plan.intent import Extreme, Form
from service.answering.plan.paths import Path
from service.answering.plan.plans import Plan
from service.answering.plan.reading import Understood
from service.answering.retrieve import Key
from service.answering.settled import Settled
from service.index.schema import Hop

SURE = 0.7
KEYS = 6
Ends = Mapping[Key, Mapping[Term, set[Seed]]]


@dataclass(frozen=True, slots=True)
class _Measured:
    """A thing named and its value of one property."""

    mention: Mention
    value: Literal
    size: float


def measures(understood: Understood) -> list[Path]:
    """Paths from each of the things compared to what they may be compared by."""
    things = _things(understood)
    return [Path(thing, (key,)) for _, key in _keys(understood) for thing in things]


def compared(understood: Understood, ends: Ends) -> tuple[bool | None, Settled] | None:
    """The thing that has the most, or yes or no; None where the graph does not tell."""
    asked = understood.reading.intent.comparison
    things = _things(understood)
    for sure, key in _keys(understood):
        found = [one for thing in things for one in _measured(thing, key, ends)]
        if asked is not None and len(found) == len(things):
            return _told(understood, found, key, sure, _highest(understood, asked, key))
    return None


def _things(understood: Understood) -> list[Mention]:
    """The entities named surely, in the question's order; none where nothing is compared."""
    intent = understood.reading.intent
    sure = sorted((m for m in understood.reading.mentions if m.score >= SURE), key=_order)
    things: list[Mention] = []
    for mention in sure:
        apart = not any(mention.overlaps(other) for other in things)
        if apart and any(isinstance(term, NamedNode) for term in mention.terms):
            things.append(mention)
    return sorted(things, key=_order) if intent.comparison and len(things) > 1 else []


def _order(mention: Mention) -> int:
    return mention.start


def _keys(understood: Understood) -> list[tuple[float, Hop]]:
    """The properties with an order that the question speaks of, the likeliest first."""
    asked = understood.reading.intent.comparison
    taken = frozenset[int]().union(*(thing.words for thing in _things(understood)))
    if asked is None or not taken:
        return []
    scored = [
        (named(understood, predicate, asked.hints, taken), Hop(predicate.iri))
        for predicate in understood.known.schema.predicates.values()
        if ordered(predicate)
    ]
    scored.sort(key=lambda pair: (-pair[0], pair[1].predicate))
    return [pair for pair in scored if pair[0] >= LEAST][:KEYS]


def _highest(understood: Understood, asked: Extreme, key: Hop) -> bool:
    dated = understood.known.schema.predicates[key.predicate].dates > 0.5
    return asked.highest_of(dated)


def _measured(thing: Mention, key: Hop, ends: Ends) -> Iterator[_Measured]:
    """The thing with its value; nothing where it has none or several."""
    values = [value for value in ends.get((thing, (key,), ""), {}) if isinstance(value, Literal)]
    size = number(values[0]) if len(values) == 1 else None
    if size is not None:
        yield _Measured(thing, values[0], size)


def _told(
    understood: Understood, found: Sequence[_Measured], key: Hop, sure: float, highest: bool
) -> tuple[bool | None, Settled]:
    intent = understood.reading.intent
    asked = intent.comparison
    words = frozenset[int]().union(*(one.mention.words for one in found))
    words |= intent.asking | (asked.words if asked else frozenset())
    score = sure + sum(one.mention.score for one in found)
    ranked = sorted(found, key=lambda one: -one.size if highest else one.size)
    if intent.form is Form.VERDICT and not intent.alternative:
        paths = tuple(Path(one.mention, (key,), score=sure) for one in found)
        values = tuple(dict.fromkeys(one.value for one in found))
        holds = ranked[0] is found[0] and ranked[1].size != ranked[0].size
        return holds, Settled(Plan(paths, "", words, score), values, score)
    best = [one for one in ranked if one.size == ranked[0].size]
    back = key.back()
    paths = tuple(
        Path(replace(one.mention, terms=(one.value,)), (back,), score=sure) for one in best
    )
    things = tuple(t for one in best for t in one.mention.terms if isinstance(t, NamedNode))
    return None, Settled(Plan(paths, "", words, score), things, score)
