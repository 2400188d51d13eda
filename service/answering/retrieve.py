"""What the graph holds for a question: first steps, the ends of paths, and what stands around."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import pairwise

from pyoxigraph import Literal, NamedNode

from queries import library
from queries.store.client import Store
from queries.store.results import Row, Solutions, Term
from service.answering.match import Mention, Seed
from service.answering.plan.paths import Path
from service.answering.trace import Trace
from service.answering.verbalise import Statement
from service.index.schema import Hop, Schema

ENDS = 1000
MANY = 300
HEAVY = 8
WALKS = 200
AROUND = 300
BEARERS = 12
_SKEW = 4
_END = ("plan", "seed", "answer", "again")
_NODES = ("seed", "one", "two", "answer")
_GRAPHS = ("first_graph", "second_graph", "third_graph")
_AROUND = ("subject", "predicate", "object", "graph")

Key = tuple[Mention, tuple[Hop, ...], str]


@dataclass(frozen=True)
class Retriever:
    """Asks the store in batches; what does not depend on one another is asked at once."""

    store: Store
    threads: Executor
    trace: Trace

    def first_steps(
        self, mentions: Sequence[Mention], identifying: Sequence[str]
    ) -> dict[Mention, dict[Hop, int]]:
        """For each mention the steps that leave its terms, and how many statements each has.

        A literal that identifies entities (by one of these predicates) stands for them.
        """
        seeds = {term for mention in mentions for term in mention.terms}
        steps: dict[Term, dict[Hop, int]] = defaultdict(dict)
        named: dict[Term, set[NamedNode]] = defaultdict(set)
        literals = [seed for seed in seeds if isinstance(seed, Literal)]
        if seeds:
            keys = map(NamedNode, identifying if literals else ())
            rows = self._rows("first_steps", seed=seeds, named=literals, identifying=keys)
            for literal, seed, predicate, inverse, number in rows:
                if seed is None or not isinstance(predicate, NamedNode):
                    continue
                hop = Hop(predicate.value, _text(inverse) in {"true", "1"})
                steps[seed][hop] = int(_text(number))
                if literal is not None and isinstance(seed, NamedNode):
                    named[literal].add(seed)
        meant = [_identified(mention, named) for mention in mentions]
        return {mention: _merged(steps[term] for term in mention.terms) for mention in meant}

    def ends(
        self, paths: Sequence[tuple[Path, str]], schema: Schema, most: int = 1
    ) -> Mapping[Key, dict[Term, set[Seed]]]:
        """For each path (and class) its ends, each with the seeds that lead there.

        About a thousand a path are looked at, or a thousand for each of `most` seeds.
        """
        batches: dict[tuple[str, int], list[int]] = defaultdict(list)
        heavy = 0
        for number, (path, typed) in enumerate(paths):
            alone = expected_ends(path, schema) > MANY
            heavy += alone
            if heavy <= HEAVY or not alone:
                batches[_shape(path, typed), number if alone else -1].append(number)
        queries = []
        for (shape, _), numbers in batches.items():
            rows = [_row(n, seed, *paths[n]) for n in numbers for seed in paths[n][0].seed.terms]
            queries.append(_bound(shape, rows, ENDS * max(most, len(numbers))))
        found: list[dict[Term, set[Seed]]] = [defaultdict(set) for _ in paths]
        for plan, seed, answer, again in self._union(queries).columns(*_END):
            number = int(_text(plan))
            itself = paths[number][0].returns and _text(again) == "true"
            if answer is not None and not itself and isinstance(seed, NamedNode | Literal):
                found[number][answer].add(seed)
        return {
            (path.seed, path.hops, typed): ends
            for (path, typed), ends in zip(paths, found, strict=True)
        }

    def walks(self, ways: Sequence[tuple[Path, Sequence[Term]]]) -> list[list[Statement]]:
        """For each path and its answers the statements that lead to them from the path's seed."""
        found: list[dict[Statement, None]] = [{} for _ in ways]
        queries = [_walk(number, path, answers) for number, (path, answers) in enumerate(ways)]
        for plan, *row in self._union(queries).columns("plan", *_NODES, *_GRAPHS):
            number = int(_text(plan))
            found[number].update(dict.fromkeys(_steps(ways[number][0], row)))
        return [list(statements) for statements in found]

    def around(
        self, near: tuple[Iterable[Seed], Iterable[Seed]], leaving: Sequence[Seed]
    ) -> list[Statement]:
        """What leaves and what reaches two groups of terms, then what leaves some further ones."""
        query = library.load("retrieve/around")
        queries = [query.bind(subject=list(near[0]), object=list(near[1]), most=AROUND)]
        if leaving:
            queries.append(query.bind(subject=leaving, object=[], most=AROUND))
        return [
            Statement(subject, predicate, target, _text(graph))
            for subject, predicate, target, graph in self._union(queries).columns(*_AROUND)
            if subject is not None and target is not None and isinstance(predicate, NamedNode)
        ]

    def relationships(self, entities: Sequence[Seed]) -> list[Statement]:
        """The reified statements about entities, with their validity."""
        query = library.load("retrieve/relationships")
        rows = self._ask(query.bind(subject=entities, target=entities, limit=AROUND))
        return [
            Statement(subject, predicate, target, *map(_text, (graph, reified, *told)))
            for reified, subject, predicate, target, graph, *told in rows
            if subject is not None and target is not None and isinstance(predicate, NamedNode)
        ]

    def _rows(self, name: str, **values: Iterable[Term]) -> Iterable[Row]:
        return self._ask(library.load(f"retrieve/{name}").bind(**values))

    def _union(self, queries: Sequence[str]) -> Solutions:
        return self._ask(library.union(queries)) if queries else Solutions((), [])

    def _ask(self, query: str) -> Solutions:
        self.trace.queries.append(query)
        return self.store.select(query).ordered()


def _bound(shape: str, rows: Sequence[tuple[Term, ...]], limit: int) -> str:
    """The query of that shape with its one table of parameters."""
    query = library.load(f"retrieve/{shape}")
    (name,) = query.parameters - {"limit"}
    return query.bind(**{name: rows}, limit=limit)


def _walk(number: int, path: Path, answers: Sequence[Term]) -> str:
    ends = [answer for answer in answers if isinstance(answer, NamedNode | Literal)]
    rows = [(*_row(number, seed, path, ""), end) for seed in path.seed.terms for end in ends]
    return _bound(_shape(path, "").replace("path", "walk"), rows, WALKS)


def _steps(path: Path, row: Sequence[Term | None]) -> Iterable[Statement]:
    """The statements of one walk: seed, nodes between, answer, graphs."""
    seed, one, two, answer, *graphs = row
    nodes = [seed, *(one, two)[: len(path.hops) - 1], answer]
    for hop, graph, (start, end) in zip(path.hops, graphs, pairwise(nodes), strict=False):
        if start is None or end is None:
            continue
        subject, target = (end, start) if hop.inverse else (start, end)
        yield Statement(subject, NamedNode(hop.predicate), target, _text(graph))


def expected_ends(path: Path, schema: Schema) -> float:
    """How many ends a path has by the predicates' average fan-out, more where it is skewed."""
    ends = 1.0
    for hop in path.hops:
        predicate = schema.predicates.get(hop.predicate)
        fan = predicate.fan(hop.inverse) if predicate else 100.0
        ends *= fan * _SKEW if fan > 10 else fan
    return ends


def _identified(mention: Mention, named: Mapping[Term, set[NamedNode]]) -> Mention:
    terms = dict.fromkeys(
        entity
        for term in mention.terms
        for entity in (sorted(named[term], key=str)[:BEARERS] if term in named else [term])
    )
    return replace(mention, terms=tuple(terms))


def _merged(steps: Iterable[Mapping[Hop, int]]) -> dict[Hop, int]:
    merged: dict[Hop, int] = defaultdict(int)
    for one in steps:
        for hop, number in one.items():
            merged[hop] += number
    return dict(merged)


def _shape(path: Path, typed: str) -> str:
    way = "_".join("in" if hop.inverse else "out" for hop in path.hops)
    return f"path_{way}_typed" if typed else f"path_{way}"


def _row(number: int, seed: Seed, path: Path, typed: str) -> tuple[Term, ...]:
    hops = [NamedNode(hop.predicate) for hop in path.hops]
    row = (Literal(number), seed, *hops)
    return (*row, NamedNode(typed)) if typed else row


def _text(term: Term | None) -> str:
    return str(getattr(term, "value", ""))
