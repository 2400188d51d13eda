"""The ledger: which sources are loaded, what graphs each one has, and since which generation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from pyoxigraph import Literal, NamedNode

from loaders.iris import Iris
from ontology.vocabulary import DCTERMS, ONTO, PROV, RDF, XSD
from queries import library
from queries.store.client import Store
from queries.store.results import Term

Facts = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Source:
    """One entry: `hash` is of the content, `loaded` an xsd:dateTime, `kind` a media type.

    `writer` names the process that is writing it, and is "" for a source that is whole.
    """

    address: str
    graphs: tuple[NamedNode, ...]
    title: str = ""
    kind: str = ""
    hash: str = ""
    triples: int = 0
    generation: int = 0
    loaded: str = ""
    writer: str = ""

    @property
    def own_graph(self) -> bool:
        """Whether it is a graph by itself, written over HTTP, and no file or page."""
        return [graph.value for graph in self.graphs] == [self.address]

    def ntriples(self, iris: Iris, *, counted: bool = True) -> str:
        """The entry's statements, all but its generation, which the store counts.

        Its triples are left to the store too where they are not `counted` yet.
        """
        node = iris.pending(self.address) if self.writer else iris.source(self.address)
        facts: list[tuple[NamedNode, NamedNode | Literal]] = [
            (RDF.type, ONTO.Source),
            (ONTO.address, Literal(self.address)),
            *((ONTO.inGraph, graph) for graph in self.graphs),
            (PROV.generatedAtTime, Literal(self.loaded, datatype=XSD.dateTime)),
        ]
        if self.writer:
            facts += [
                (ONTO.pending, Literal(True)),
                (PROV.wasAttributedTo, iris.writer(self.writer)),
            ]
        else:
            facts += [
                (DCTERMS.title, Literal(self.title)),
                (DCTERMS.format, Literal(self.kind)),
                (ONTO.contentHash, Literal(self.hash)),
            ]
            facts += [(ONTO.tripleCount, Literal(self.triples))] if counted else []
        return "".join(f"{node} {predicate} {value} .\n" for predicate, value in facts)


@dataclass(frozen=True, slots=True)
class Ledger:
    """All sources by address; `pending` are those that are being written, or never were whole."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    pending: tuple[Source, ...] = ()

    @classmethod
    def from_store(cls, store: Store, iris: Iris) -> Self:
        """What the store's ledger holds now."""
        query = library.load("ledger/sources").bind(ledger=[iris.ledger])
        return cls.from_rows(store.select(query).rows, iris)

    @classmethod
    def about(
        cls,
        store: Store,
        iris: Iris,
        address: str,
        content_hash: str,
        kinds: Iterable[str] = (),
    ) -> Self:
        """Of all entries those of an address or a content, and those that are pending.

        And one that is of any of the kinds, where there is one.
        """
        query = library.load("ledger/about").bind(
            ledger=[iris.ledger],
            address=[Literal(address)],
            hash=[Literal(content_hash)],
            kind=map(Literal, kinds),
        )
        return cls.from_rows(store.select(query).rows, iris)

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Term | None]], iris: Iris) -> Self:
        """From statements of the ledger: source, predicate, value."""
        told: dict[str, Facts] = defaultdict(lambda: defaultdict(list))
        for source, predicate, value in rows:
            told[_text(source)][_text(predicate)].append(_text(value))
        entries = [
            _source(facts, iris)
            for _, facts in sorted(told.items())
            if facts.keys() >= {ONTO.address.value, ONTO.inGraph.value}
        ]
        return cls(
            {one.address: one for one in entries if not one.writer},
            tuple(one for one in entries if one.writer),
        )

    def owner(self, graph: NamedNode) -> Source | None:
        """The source that a graph belongs to."""
        return next((one for one in self.sources.values() if graph in one.graphs), None)

    def same_content(self, content_hash: str, besides: str) -> Source | None:
        """A source with this content at another address."""
        return next(
            (
                one
                for one in self.sources.values()
                if one.hash == content_hash and one.address != besides
            ),
            None,
        )


def _source(facts: Facts, iris: Iris) -> Source:
    def one(predicate: NamedNode) -> str:
        return facts.get(predicate.value, [""])[0]

    return Source(
        address=one(ONTO.address),
        graphs=tuple(map(NamedNode, sorted(facts[ONTO.inGraph.value]))),
        title=one(DCTERMS.title),
        kind=one(DCTERMS.format),
        hash=one(ONTO.contentHash),
        triples=int(one(ONTO.tripleCount) or 0),
        generation=max(map(int, facts.get(ONTO.generation.value, ["0"]))),
        loaded=one(PROV.generatedAtTime),
        writer=one(PROV.wasAttributedTo).removeprefix(iris.writer("").value),
    )


def _text(term: object) -> str:
    return str(getattr(term, "value", "") or "")
