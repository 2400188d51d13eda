"""Which source a graph belongs to, kept until the ledger changes."""

from __future__ import annotations

from collections.abc import Mapping

from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from queries.store.client import Store


class Sources:
    """The ledger's entries by graph."""

    def __init__(self, store: Store, iris: Iris) -> None:
        self._store = store
        self._iris = iris
        self._kept: tuple[int, Mapping[str, Source]] = (-1, {})

    def by_graph(self, revision: int) -> Mapping[str, Source]:
        """The source of each graph's IRI; one round trip when `revision` is another than before."""
        known, sources = self._kept
        if known != revision:
            ledger = Ledger.from_store(self._store, self._iris)
            sources = {graph.value: one for one in ledger.sources.values() for graph in one.graphs}
            self._kept = (revision, sources)
        return sources
