"""Which known entities the chunks mention, kept up with what is loaded and removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from pyoxigraph import Literal, NamedNode, Quad

from loaders.identity import mentions
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.publish import SMALL
from loaders.sources.recognise import Kind
from ontology.vocabulary import ONTO
from queries import library
from queries.store.client import Store

_SECONDS = 600.0
DOCUMENTS = {kind.media_type for kind in Kind if not kind.is_rdf}


def link(store: Store, iris: Iris, *, anew: bool = False) -> int:
    """Bring the mentions up to what is loaded; returns how many were written or removed.

    New documents are searched for all names; all documents are when the names may have changed:
    when a graph is new, or `anew` says that one has gone.
    """
    unlinked = _unlinked(store, iris)
    if not (unlinked or anew):
        return 0
    sources = Ledger.from_store(store, iris).sources.values()
    documents = [one for one in sources if one.kind in DOCUMENTS]
    fresh = [one for one in sources if one.address in unlinked]
    if not anew and all(one.kind in DOCUMENTS for one in fresh):
        documents = fresh
    named = [graph for one in sources if one.kind not in DOCUMENTS for graph in one.graphs]
    wanted, present = _wanted(store, iris, documents, named), _present(store, iris, documents)
    _write(store, "DELETE", present - wanted)
    _write(store, "INSERT", wanted - present)
    _mark(store, iris, max((one.generation for one in sources), default=0))
    return len(wanted ^ present)


def _unlinked(store: Store, iris: Iris) -> set[str]:
    """The addresses of what came after mentions were last looked for; none without documents."""
    query = library.load("ledger/unlinked").bind(
        ledger=[iris.ledger], mentions=[iris.linked], kind=map(Literal, DOCUMENTS)
    )
    return {_value(row[0]) for row in store.select(query).rows}


def _wanted(
    store: Store, iris: Iris, documents: Iterable[Source], named: Sequence[NamedNode]
) -> set[Quad]:
    targets = {iris.graph(one.address).value: iris.mentions(one.address) for one in documents}
    query = library.load("ledger/chunks").bind(graph=map(NamedNode, targets))
    rows = [[_value(term) for term in row] for row in store.select(query, deadline=_SECONDS).rows]
    graphs = {chunk: targets[graph] for graph, chunk, _ in rows}
    texts = {chunk: text for _, chunk, text in rows}
    return {
        Quad(NamedNode(chunk), ONTO.mentions, NamedNode(entity), graphs[chunk])
        for chunk, entity in mentions.find(texts, _names(store, named))
    }


def _names(store: Store, graphs: Sequence[NamedNode]) -> Mapping[str, Sequence[str]]:
    names = defaultdict(list)
    query = library.load("ledger/names").bind(graph=graphs)
    for row in store.select(query, deadline=_SECONDS).rows:
        names[_value(row[0])].append(_value(row[1]))
    return names


def _present(store: Store, iris: Iris, documents: Iterable[Source]) -> set[Quad]:
    query = library.load("ledger/mentions").bind(
        graph=[iris.mentions(one.address) for one in documents]
    )
    rows = store.select(query, deadline=_SECONDS).rows
    return {
        Quad(NamedNode(chunk), ONTO.mentions, NamedNode(entity), NamedNode(graph))
        for graph, chunk, entity in ([_value(term) for term in row] for row in rows)
    }


def _write(store: Store, verb: str, quads: Iterable[Quad]) -> None:
    for some in _batches(sorted(quads, key=lambda quad: str(quad.graph_name)), SMALL):
        blocks = (
            f"GRAPH {graph} {{ {' '.join(f'{quad.triple} .' for quad in group)} }}"
            for graph, group in groupby(some, key=lambda quad: quad.graph_name)
        )
        store.update(f"{verb} DATA {{ {' '.join(blocks)} }}")


def _batches(quads: Sequence[Quad], size: int) -> Iterable[Sequence[Quad]]:
    return (quads[start : start + size] for start in range(0, len(quads), size))


def _mark(store: Store, iris: Iris, generation: int) -> None:
    node = f"GRAPH {iris.ledger} {{ {iris.linked} {ONTO.generation}"
    store.update(
        f"DELETE WHERE {{ {node} ?old }} }} ;\nINSERT DATA {{ {node} {Literal(generation)} }} }}"
    )


def _value(term: object) -> str:
    return str(getattr(term, "value", ""))
