"""The only writer to the graph: a source's graphs and its entry in the ledger change together."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pyoxigraph import Literal, NamedNode

from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from ontology.vocabulary import ONTO, RDF
from queries.store.client import Store
from queries.store.errors import StoreFull, StoreRefused

SMALL = 20_000
_BULK_GRAPHS = 20


def publish(
    store: Store, iris: Iris, entry: Source, graphs: Mapping[NamedNode, bytes], old: Source | None
) -> Source:
    """Put a source's graphs in the place of its old ones; returns the entry as it was written.

    `graphs` are N-Triples without blank nodes. Readers see the old source or the new one, and so
    does whoever starts after a crash at any moment.
    """
    if entry.triples > SMALL and len(graphs) <= _BULK_GRAPHS and _nameable(iris, entry, old):
        return _publish_big(store, iris, entry, graphs, old)
    store.update(_request(iris, entry, old, graphs))
    return entry


def attach(store: Store, iris: Iris, entry: Source, graph: NamedNode, data: bytes) -> bool:
    """Put a graph beside a source's others, in the place of what it was; readers see old or new.

    The entry is the source's with the number of triples that it holds then. False where the source
    was replaced or removed meanwhile: then nothing has changed.
    """
    node, ledger, generation = iris.source(entry.address), iris.ledger, ONTO.generation
    same = f"GRAPH {ledger} {{ {node} {ONTO.contentHash} {Literal(entry.hash)} }}"
    counted = f"{node} {ONTO.tripleCount} {{}} ; {generation} {{}} . {ledger} {generation} {{}} ."
    store.update(
        f"DELETE {{ GRAPH {graph} {{ ?s ?p ?o }} }}\n"
        f"WHERE {{ {same} GRAPH {graph} {{ ?s ?p ?o }} }} ;\n"
        f"DELETE {{ GRAPH {ledger} {{ {counted.format('?triples', '?number', '?old')} }} }}\n"
        f"INSERT {{ GRAPH {ledger} {{ {counted.format(entry.triples, '?new', '?new')}\n"
        f"{node} {ONTO.inGraph} {graph} }}\n{_blocks({graph: data})} }}\n"
        f"WHERE {{ {same} GRAPH {ledger} {{ {counted.format('?triples', '?number', '?old')} }}\n"
        "BIND(?old + 1 AS ?new) }"
    )
    now = Ledger.about(store, iris, entry.address, entry.hash).sources.get(entry.address)
    return now is not None and now.hash == entry.hash and graph in now.graphs


def replace_graph(store: Store, graph: NamedNode, ntriples: bytes) -> None:
    """Replace one graph in one step; the ledger stays as it is."""
    store.update(f"DROP SILENT GRAPH {graph} ;\n{_insert({graph: ntriples})}")


def insert(store: Store, graphs: Mapping[NamedNode, bytes]) -> None:
    """Put N-Triples into graphs beside what they hold; the ledger stays as it is."""
    store.update(_insert(graphs))


def unpublish(store: Store, iris: Iris, source: Source) -> None:
    """Remove a source whole, and the mentions of what nothing speaks of any more."""
    store.update(
        " ;\n".join(
            [*map(_drop, source.graphs), _forget(iris, source.address), _counted(iris), ORPHANS]
        )
    )


def announce(store: Store, iris: Iris, graphs: Iterable[NamedNode], moment: str) -> None:
    """Note that graphs which are sources of their own are about to be changed by this process."""
    writing = (
        Source(address=g.value, graphs=(g,), loaded=moment, writer=_writer()) for g in graphs
    )
    told = "".join(entry.ntriples(iris) for entry in writing)
    store.update(_insert({iris.ledger: told}))


def settle(store: Store, iris: Iris, graphs: Iterable[NamedNode], moment: str) -> None:
    """Bring the ledger up to what such graphs hold now; one that is empty is no source more."""
    requests = [request for graph in graphs for request in _recounted(iris, graph, moment)]
    store.update(" ;\n".join(requests))


def clean(store: Store, iris: Iris, pending: Iterable[Source]) -> None:
    """Remove what processes that are no longer there have left half-written.

    A graph that is a source of its own was changed whole or not at all: it is counted anew.
    """
    for entry in pending:
        if is_alive(entry):
            continue
        if entry.own_graph:
            settle(store, iris, entry.graphs, entry.loaded)
        else:
            node = iris.pending(entry.address)
            store.update(" ;\n".join([*map(_drop, entry.graphs), _delete(iris, node)]))


def _nameable(iris: Iris, entry: Source, old: Source | None) -> bool:
    """Whether every graph can be written beside the old ones: it is new, or its name is ours."""
    taken = set(old.graphs) if old else set()
    return not taken & (set(entry.graphs) - {iris.graph(entry.address)})


def _publish_big(
    store: Store, iris: Iris, entry: Source, graphs: Mapping[NamedNode, bytes], old: Source | None
) -> Source:
    own = iris.graph(entry.address)
    fresh = NamedNode(f"{own.value}/v{old.generation + 1}") if old else own
    graphs = {fresh if name == own else name: data for name, data in graphs.items()}
    entry = replace(entry, graphs=tuple(graphs))
    writing = replace(entry, writer=_writer())
    node = iris.pending(entry.address)
    begin = [*map(_drop, graphs), _delete(iris, node)]
    store.update(" ;\n".join([*begin, _insert({iris.ledger: writing.ntriples(iris)})]))
    try:
        for graph, data in graphs.items():
            store.bulk_graph(graph, data)
        store.update(f"{_delete(iris, node)} ;\n{_request(iris, entry, old, {})}")
    except (StoreRefused, StoreFull):
        store.update(" ;\n".join(begin))
        raise  # after any other fault the store may still be writing: the next start cleans
    return entry


def _request(
    iris: Iris, entry: Source, old: Source | None, graphs: Mapping[NamedNode, bytes]
) -> str:
    """One update: the old source out, the graphs and the ledger's entry in, its count plus one."""
    if old is None:
        return _counted(iris, entry.address, {**graphs, iris.ledger: entry.ntriples(iris)})
    return " ;\n".join(
        [
            *map(_drop, old.graphs),
            _forget(iris, entry.address),
            _insert({**graphs, iris.ledger: entry.ntriples(iris)}),
            _counted(iris, entry.address),
        ]
    )


def _counted(
    iris: Iris, address: str = "", graphs: Mapping[NamedNode, bytes | str] | None = None
) -> str:
    """The ledger's generation plus one, which is the source's too; and what else is inserted.

    Written twice, as after a broken connection, it counts twice, which does no harm.
    """
    ledger, count = iris.ledger, ONTO.generation
    nodes = (ledger, iris.source(address)) if address else (ledger,)
    facts = " ".join(f"{node} {count} ?new ." for node in nodes)
    return (
        f"DELETE {{ GRAPH {ledger} {{ {ledger} {count} ?old }} }}\n"
        f"INSERT {{ GRAPH {ledger} {{ {facts} }}\n{_blocks(graphs or {})} }}\n"
        f"WHERE {{ OPTIONAL {{ GRAPH {ledger} {{ {ledger} {count} ?old }} }}\n"
        "BIND(COALESCE(?old, 0) + 1 AS ?new) }"
    )


def _recounted(iris: Iris, graph: NamedNode, moment: str) -> list[str]:
    """The entry of a graph of its own made anew with its count, and the ledger's count plus one."""
    ledger, address = iris.ledger, graph.value
    node = iris.source(address)
    entry = Source(
        address=address,
        graphs=(graph,),
        title=address,
        kind="application/n-triples",
        hash=f"{address} {moment}",
        loaded=moment,
    )
    facts = entry.ntriples(iris, counted=False)
    return [
        _delete(iris, iris.pending(address)),
        _delete(iris, node),
        f"INSERT {{ GRAPH {ledger} {{ {facts}{node} {ONTO.tripleCount} ?triples }} }}\n"
        f"WHERE {{ {{ SELECT (COUNT(*) AS ?triples) WHERE {{ GRAPH {graph} {{ ?s ?p ?o }} }} }}\n"
        "FILTER (?triples > 0) }",
        _counted(iris),
        f"INSERT {{ GRAPH {ledger} {{ {node} {ONTO.generation} ?now }} }}\n"
        f"WHERE {{ GRAPH {ledger} {{ {node} {RDF.type} {ONTO.Source} ."
        f" {ledger} {ONTO.generation} ?now }} }}",
    ]


def _insert(graphs: Mapping[NamedNode, bytes | str]) -> str:
    return f"INSERT DATA {{\n{_blocks(graphs)} }}"


def _blocks(graphs: Mapping[NamedNode, bytes | str]) -> str:
    return "\n".join(
        f"GRAPH {graph} {{\n{data if isinstance(data, str) else data.decode()}}}"
        for graph, data in graphs.items()
    )


def _drop(graph: NamedNode) -> str:
    return f"DROP SILENT GRAPH {graph}"


def _forget(iris: Iris, address: str) -> str:
    return _delete(iris, iris.source(address))


def _delete(iris: Iris, node: NamedNode) -> str:
    return f"DELETE WHERE {{ GRAPH {iris.ledger} {{ {node} ?p ?o }} }}"


ORPHANS = (
    f"DELETE {{ GRAPH ?m {{ ?chunk {ONTO.mentions} ?entity }} }}\n"
    f"WHERE {{ GRAPH ?m {{ ?chunk {ONTO.mentions} ?entity }}\n"
    "FILTER NOT EXISTS { GRAPH ?g { ?entity ?p ?o } } }"
)


def _writer() -> str:
    return f"{socket.gethostname()}/{os.getpid()}/{_started(os.getpid())}"


def is_alive(entry: Source) -> bool:
    """Whether the writing process still runs; one of another machine is given an hour."""
    host, pid, started = entry.writer.rsplit("/", 2)
    if host != socket.gethostname():
        begun = datetime.fromisoformat(entry.loaded)
        return datetime.now(UTC) - begun < timedelta(hours=1)
    return _started(int(pid)) == started


def _started(pid: int) -> str:
    """When a process was started, "gone" where there is none: a reused number does not count."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except ProcessLookupError:
        return "gone"
    except OSError:
        return "unknown"
