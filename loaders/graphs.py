"""Graphs written over HTTP: each is a source of its own, whose address is the graph's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from pyoxigraph import NamedNode

from loaders import publish
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.linking import link
from loaders.load import GraphTaken
from queries import library
from queries.store.client import Store


@dataclass(frozen=True, slots=True)
class Graphs:
    """Reads and writes the graphs of a store, and keeps its ledger true."""

    store: Store
    iris: Iris

    def exists(self, graph: NamedNode) -> bool:
        """Whether a source has the graph, empty or not, or it holds anything."""
        ledger = Ledger.from_store(self.store, self.iris)
        return ledger.owner(graph) is not None or self._occupied(graph)

    def put(self, graph: NamedNode, lines: bytes, triples: int) -> bool:
        """Let the graph hold these N-Triples and no others; True where it is new.

        Raises GraphTaken for one that is not written over HTTP.
        """
        old = self._writable(graph) or self._foreign(graph)
        entry = Source(
            address=graph.value,
            graphs=(graph,),
            title=graph.value,
            kind="application/n-triples",
            hash=f"{graph.value} {_now()}",
            triples=triples,
            loaded=_now(),
        )
        publish.publish(self.store, self.iris, entry, {graph: lines}, old)
        self._linked()
        return old is None

    def add(self, graph: NamedNode, lines: bytes) -> bool:
        """Put N-Triples into the graph beside what it holds; True where it is new."""
        new = not self.exists(graph)
        with self.writing([graph]):
            publish.insert(self.store, {graph: lines})
        return new

    def delete(self, graph: NamedNode) -> bool:
        """Remove the graph; False where there is none."""
        source = self._writable(graph) or self._foreign(graph)
        if source is not None:
            publish.unpublish(self.store, self.iris, source)
            self._linked(anew=True)
        return source is not None

    @contextmanager
    def writing(self, graphs: Sequence[NamedNode]) -> Iterator[None]:
        """Let the block change these graphs; the ledger tells what they hold when it ends.

        A process that dies in it leaves a note, by which the next writer brings the ledger up.
        """
        for graph in graphs:
            self._writable(graph)
        moment = _now()
        publish.clean(self.store, self.iris, Ledger.from_store(self.store, self.iris).pending)
        publish.announce(self.store, self.iris, graphs, moment)
        try:
            yield
        finally:
            publish.settle(self.store, self.iris, graphs, moment)
        self._linked(anew=True)

    def _writable(self, graph: NamedNode) -> Source | None:
        """The graph's entry in the ledger; a GraphTaken where it is another source's."""
        owner = Ledger.from_store(self.store, self.iris).owner(graph)
        if owner is not None and not owner.own_graph:
            raise GraphTaken(
                f"belongs to {owner.address}",
                name=graph.value,
                mend="Change that and load it again, or write to another graph",
            )
        if owner is None and graph != self.iris.default and self._ours(graph):
            raise GraphTaken(
                "belongs to askonto itself", name=graph.value, mend="Write to another graph"
            )
        return owner

    def _ours(self, graph: NamedNode) -> bool:
        return graph.value.startswith(self.iris.base)

    def _foreign(self, graph: NamedNode) -> Source | None:
        """A graph that holds something which no source has brought, as if it were one."""
        return Source(graph.value, (graph,)) if self._occupied(graph) else None

    def _occupied(self, graph: NamedNode) -> bool:
        return bool(self.store.select(library.load("ledger/occupied").bind(graph=[graph])).rows)

    def _linked(self, *, anew: bool = False) -> None:
        link(self.store, self.iris, anew=anew)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
