"""Which entities are one: proposed by likeness, accepted and undone by people, gone with them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from loaders import publish
from loaders.extract.schema import Schema
from loaders.identity.similar import Candidate, pairs
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.ports import Embedder
from ontology.errors import InputError
from ontology.vocabulary import ONTO, OWL, PROV, RDF, XSD
from queries import library
from queries.store.client import Store

_SECONDS = 300.0
_EVIDENCE = 5  # chunks that speak of either
_SCHEMA = frozenset({OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty})


class MergeError(InputError):
    """A merge that is not there, or that more than one goes by."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entities that are one, or may be; `made` is when it was accepted, "" while it is not.

    `key` is how people call it, `evidence` the chunks that speak of either.
    """

    one: NamedNode
    other: NamedNode
    score: float
    names: tuple[str, str] = ("", "")
    evidence: tuple[NamedNode, ...] = ()
    made: str = ""

    @property
    def key(self) -> str:
        """Of a pair of entities always the same."""
        ends = "|".join(sorted((self.one.value, self.other.value)))
        return hashlib.md5(ends.encode(), usedforsecurity=False).hexdigest()[:10]


class Merges:
    """The merges in a store; those accepted are a graph of their own, which the ledger lists."""

    def __init__(self, store: Store, iris: Iris) -> None:
        self._store = store
        self._iris = iris

    def proposed(self, embedder: Embedder | None) -> list[Merge]:
        """Those that may be accepted, likeliest first."""
        known = {one.key for one in self.accepted()}
        found = (
            Merge(pair.one.node, pair.other.node, pair.score, (pair.one.name, pair.other.name))
            for pair in pairs(self._candidates(), embedder)
        )
        return [one for one in found if one.key not in known]

    def accepted(self) -> list[Merge]:
        """Those that were accepted, by name."""
        query = library.load("extract/graph").bind(graph=[self._iris.merges])
        facts: dict[object, dict[object, list[NamedNode | Literal]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for triple in self._store.construct(query):
            if isinstance(triple.object, NamedNode | Literal):
                facts[triple.subject][triple.predicate].append(triple.object)
        found = [_merge(told) for told in facts.values() if told[ONTO.hasSource]]
        if not found:
            return []
        names = self._names({node for one in found for node in (one.one, one.other)})
        named = (replace(one, names=(names[one.one], names[one.other])) for one in found)
        return sorted(named, key=lambda one: one.names)

    def accept(self, merge: Merge) -> None:
        """State that the two are one."""
        query = library.load("extract/evidence").bind(entity=[merge.one, merge.other])
        chunks = [row[1] for row in self._store.select(query).rows]
        evidence = [one for one in chunks if isinstance(one, NamedNode)][:_EVIDENCE]
        made = datetime.now(UTC).isoformat(timespec="seconds")
        self._write([*self.accepted(), replace(merge, evidence=tuple(evidence), made=made)])

    def undo(self, merge: Merge) -> None:
        """Take the statement back."""
        self._write([one for one in self.accepted() if one.key != merge.key])

    def prune(self) -> int:
        """Take back the merges of entities that no source describes now; returns how many."""
        merges = self.accepted()
        if not merges:
            return 0
        ends = {node for one in merges for node in (one.one, one.other)}
        query = library.load("extract/spoken").bind(entity=ends, but=[self._iris.merges])
        spoken = {row[0] for row in self._store.select(query, deadline=_SECONDS).rows}
        kept = [one for one in merges if {one.one, one.other} <= spoken]
        if len(kept) < len(merges):
            self._write(kept)
        return len(merges) - len(kept)

    def _write(self, merges: Iterable[Merge]) -> None:
        """Have these and no others, in one step; without any the graph goes."""
        address = self._iris.merges.value
        old = Ledger.from_store(self._store, self._iris).sources.get(address)
        triples = {triple for one in merges for triple in _stated(one, self._iris.base)}
        if not triples and old:
            publish.unpublish(self._store, self._iris, old)
        if not triples:
            return
        data = serialize(triples, format=RdfFormat.N_TRIPLES) or b""
        entry = Source(
            address=address,
            graphs=(self._iris.merges,),
            title="accepted merges of entities",
            kind="application/n-triples",
            hash=hashlib.sha256(data).hexdigest(),
            triples=len(triples),
            loaded=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        publish.publish(self._store, self._iris, entry, {self._iris.merges: data}, old)

    def _candidates(self) -> list[Candidate]:
        """All named things, each with its kinds and those above them."""
        sources = Ledger.from_store(self._store, self._iris).sources.values()
        graphs = [g for one in sources for g in one.graphs if g != self._iris.ontology]
        ontology = library.load("extract/graph").bind(graph=[self._iris.ontology])
        schema = Schema.from_triples(self._store.construct(ontology, deadline=_SECONDS))
        names: dict[NamedNode, dict[tuple[str, str], None]] = defaultdict(dict)
        kinds: dict[NamedNode, set[NamedNode]] = defaultdict(set)
        query = library.load("extract/entities").bind(graph=graphs)
        for entity, name, kind in self._store.select(query, deadline=_SECONDS).rows:
            if isinstance(entity, NamedNode) and isinstance(name, Literal):
                names[entity][name.value, name.language or ""] = None
                if isinstance(kind, NamedNode):
                    kinds[entity] |= schema.around(kind) - {ONTO.Entity}
        own = f"{self._iris.base}entity/"
        return [
            Candidate(one, tuple(said), frozenset(kinds[one]), one.value.startswith(own))
            for one, said in sorted(names.items(), key=lambda pair: pair[0].value)
            if _SCHEMA.isdisjoint(kinds[one])
        ]

    def _names(self, entities: Iterable[NamedNode]) -> Mapping[object, str]:
        query = library.load("extract/names").bind(entity=entities)
        names: dict[object, str] = defaultdict(str)
        for entity, name in self._store.select(query).rows:
            names[entity] = names[entity] or str(getattr(name, "value", ""))
        return names


def by_key(merges: Iterable[Merge], key: str) -> Merge:
    """The merge whose key begins so; a MergeError where none or several do."""
    found = [one for one in merges if one.key.startswith(key)]
    if len(found) != 1:
        reason = "is the start of several merges' keys" if found else "is the key of no such merge"
        raise MergeError(reason, name=key, mend="`askonto entities merges` lists them")
    return found[0]


def _stated(merge: Merge, base: str) -> Iterator[Triple]:
    """The flat statement, and the node that tells of it."""
    node = NamedNode(f"{base}merge/{merge.key}")
    yield Triple(merge.one, OWL.sameAs, merge.other)
    yield Triple(merge.one, ONTO.hasRelationship, node)
    yield Triple(node, RDF.type, ONTO.Relationship)
    yield Triple(node, ONTO.hasSource, merge.one)
    yield Triple(node, ONTO.hasPredicate, OWL.sameAs)
    yield Triple(node, ONTO.hasTarget, merge.other)
    yield Triple(node, ONTO.confidence, Literal(str(merge.score), datatype=XSD.decimal))
    yield Triple(node, PROV.generatedAtTime, Literal(merge.made, datatype=XSD.dateTime))
    for chunk in merge.evidence:
        yield Triple(node, ONTO.hasEvidence, chunk)


def _merge(told: Mapping[object, list[NamedNode | Literal]]) -> Merge:
    def nodes(predicate: NamedNode) -> tuple[NamedNode, ...]:
        return tuple(one for one in told[predicate] if isinstance(one, NamedNode))

    return Merge(
        nodes(ONTO.hasSource)[0],
        nodes(ONTO.hasTarget)[0],
        float(told[ONTO.confidence][0].value),
        evidence=tuple(sorted(nodes(ONTO.hasEvidence), key=str)),
        made=told[PROV.generatedAtTime][0].value,
    )
