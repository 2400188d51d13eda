"""What a graph is made of: its own predicates and classes, and how they follow one another.

Computed once a generation by aggregates over the store and kept in the index folder, so that
planning a question needs no look at the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from ontology.vocabulary import ONTO, OWL, RDF, RDFS, SKOS
from queries import library
from queries.store.client import Store
from queries.store.results import Term

VERSION = 6
_FILE = "schema.json"
_DEADLINE = 300.0
_MIRRORED = 0.95
_UNIQUE = 0.9
_RARE = 0.02
_NAMING = {
    str(term.value) for term in (RDFS.label, SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel)
}
_SCHEMA_ONLY = {
    term.value
    for term in (RDF.type, RDFS.subClassOf, RDFS.domain, RDFS.range, *map(NamedNode, _NAMING))
}
_RDF = RDF.type.value.removesuffix("type")
_SUB = RDFS.subClassOf.value.removesuffix("ClassOf")
_OWN = (ONTO.namespace, OWL.namespace, _RDF, _SUB)


class Hop(NamedTuple):
    """One step along a predicate; `inverse` goes from object to subject."""

    predicate: str
    inverse: bool = False

    def back(self) -> Hop:
        """The same step the other way."""
        return Hop(self.predicate, not self.inverse)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate in use: counts, shares of its objects' kinds, and the classes at its ends."""

    iri: str
    statements: int
    subjects: int
    objects: int
    literals: float
    numbers: float
    dates: float
    letters: float
    mirror: str = ""
    domain: Mapping[str, float] = field(default_factory=dict)
    range: Mapping[str, float] = field(default_factory=dict)

    def fan(self, inverse: bool) -> float:
        """How many ends a step has on average."""
        return self.statements / max(1, self.objects if inverse else self.subjects)

    def ends(self, inverse: bool) -> Mapping[str, float]:
        """The classes that a step leads to, with their shares."""
        return self.domain if inverse else self.range


@dataclass(frozen=True, slots=True)
class Schema:
    """All predicates and classes of the graph, and which steps follow which (share of nodes).

    `units` are those of a predicate's numbers, by language ("" for those of every language).
    """

    generation: int
    predicates: Mapping[str, Predicate]
    classes: Mapping[str, int]
    following: Mapping[Hop, Mapping[Hop, float]]
    units: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def unit(self, predicate: str, language: str) -> str:
        """The unit of a predicate's numbers in a language; "" where none is told."""
        told = self.units.get(predicate, {})
        return told.get(language) or told.get("", "")

    @property
    def identifying(self) -> list[str]:
        """The predicates whose literals each belong to one thing: codes, identifiers."""
        return [
            p.iri
            for p in self.predicates.values()
            if p.literals == 1 and p.letters <= 80 and p.objects > 20
            and p.objects >= _UNIQUE * p.statements
        ]  # fmt: skip

    def canonical(self, hop: Hop) -> Hop:
        """The one spelling of a step that two mirrored predicates, or a symmetric one, share."""
        predicate = self.predicates[hop.predicate]
        if not predicate.mirror:
            return hop
        if predicate.mirror == hop.predicate:
            return Hop(hop.predicate)
        return min(hop, Hop(predicate.mirror, not hop.inverse), key=lambda h: (h.inverse, h))


def current(store: Store, folder: Path, generation: int) -> Schema:
    """The schema of that generation: read from the index folder, or computed and kept there."""
    kept = _read(folder / _FILE)
    if kept is not None and kept.generation == generation:
        return kept
    schema = compute(store, generation)
    _write(folder / _FILE, schema)
    return schema


def compute(store: Store, generation: int) -> Schema:
    """Ask the store what it holds; some seconds for hundreds of predicates."""
    found = {p.iri: p for p in _predicates(store)}
    predicates = {
        iri: p if p.mirror in found else replace(p, mirror="") for iri, p in found.items()
    }
    classes = {
        str(_iri(cls)): _count(number)
        for cls, number in _rows(store, "classes")
        if isinstance(cls, NamedNode)
    }
    following: dict[Hop, Mapping[Hop, float]] = {}
    for iri in predicates:
        following[Hop(iri)] = _next(store, "around_objects", iri, predicates)
        following[Hop(iri, True)] = _next(store, "around_subjects", iri, predicates)
    return Schema(generation, predicates, classes, following, _units(store))


def _units(store: Store) -> Mapping[str, Mapping[str, str]]:
    units: dict[str, dict[str, str]] = {}
    for predicate, unit in _rows(store, "units"):
        if isinstance(unit, Literal):
            units.setdefault(_iri(predicate), {})[unit.language or ""] = unit.value
    return units


def _predicates(store: Store) -> Iterable[Predicate]:
    for row in _rows(store, "predicates"):
        iri = _iri(row[0])
        if iri in _SCHEMA_ONLY or iri.startswith(_OWN):
            continue
        statements, subjects, objects, literals, numbers, dates, letters = map(_count, row[1:])
        yield Predicate(
            iri,
            statements,
            subjects,
            objects,
            literals / statements,
            numbers / statements,
            dates / statements,
            letters / max(1, literals),
            _mirror(store, iri, literals / statements),
            _shares(store, "classes_of_subjects", iri),
            _shares(store, "classes_of_objects", iri) if literals < statements else {},
        )


def _mirror(store: Store, iri: str, literals: float) -> str:
    if literals == 1:
        return ""
    pairs = {_iri(mirror): _count(n) for mirror, n in _rows(store, "mirrors", iri)}
    sample = min(200, _sampled(store, iri))
    likely = [other for other, n in pairs.items() if n >= _MIRRORED * sample]
    return iri if iri in likely else max(likely, default="", key=lambda other: pairs[other])


def _sampled(store: Store, iri: str) -> int:
    return _count(next(iter(_rows(store, "statements", iri)))[0])


def _shares(store: Store, query: str, iri: str) -> Mapping[str, float]:
    counts = {_iri(cls): _count(n) for cls, n in _rows(store, query, iri)}
    most = max(counts.values(), default=1)
    return {cls: n / most for cls, n in counts.items()}


def _next(
    store: Store, query: str, iri: str, known: Mapping[str, Predicate]
) -> Mapping[Hop, float]:
    rows = [
        (Hop(_iri(predicate), inverse.value == "true"), _count(nodes))
        for predicate, inverse, nodes in _rows(store, query, iri)
        if isinstance(inverse, Literal) and _iri(predicate) in known
    ]
    most = max((nodes for _, nodes in rows), default=1)
    return {hop: nodes / most for hop, nodes in rows if nodes >= _RARE * most}


def _rows(store: Store, name: str, predicate: str = "") -> Iterable[tuple[Term | None, ...]]:
    query = library.load(f"schema/{name}")
    bound = query.bind(predicate=[NamedNode(predicate)]) if predicate else query.bind()
    return store.select(bound, deadline=_DEADLINE).ordered()


def _iri(term: Term | None) -> str:
    return term.value if isinstance(term, NamedNode) else ""


def _count(term: Term | None) -> int:
    return int(float(term.value)) if isinstance(term, Literal) else 0


def _write(file: Path, schema: Schema) -> None:
    table = {
        "version": VERSION,
        "generation": schema.generation,
        "classes": dict(schema.classes),
        "predicates": [asdict(predicate) for predicate in schema.predicates.values()],
        "following": [
            [hop.predicate, hop.inverse, [[n.predicate, n.inverse, s] for n, s in after.items()]]
            for hop, after in schema.following.items()
        ],
        "units": schema.units,
    }
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(table), encoding="utf-8")
    fresh.replace(file)


def _read(file: Path) -> Schema | None:
    """What was kept, None where there is nothing of this version or the file is broken."""
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    if table.get("version") != VERSION:
        return None
    return Schema(
        table["generation"],
        {row["iri"]: Predicate(**row) for row in table["predicates"]},
        table["classes"],
        {
            Hop(predicate, inverse): {Hop(p, i): share for p, i, share in after}
            for predicate, inverse, after in table["following"]
        },
        table["units"],
    )
