"""Loading: each source read whole, checked, and put in the place of what it was before."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from pyoxigraph import NamedNode

from loaders import publish
from loaders.addresses import AddressError, Item, address_of
from loaders.ahead import Ahead
from loaders.identity.merges import Merges
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.linking import link
from loaders.reader import Read, Reader, Ready
from loaders.receipt import Outcome, Receipt, Refusal
from loaders.sources.document import Document
from loaders.sources.limits import Limits
from loaders.sources.recognise import NotData
from ontology.errors import AskontoError
from queries import library
from queries.store.client import Store
from queries.store.errors import StoreFull, StoreUnavailable

# A file up to this size is read while the one before it is written: both are in memory.
_EARLY = 20_000_000

Progress = Callable[[str, int, int], None]


class GraphTaken(AskontoError):
    """A named graph that belongs to something else."""


@dataclass(frozen=True, slots=True)
class Loader:
    """Puts sources into a store; `allowed_hosts` may be fetched though their address is private."""

    store: Store
    iris: Iris
    limits: Limits = field(default_factory=Limits)
    allowed_hosts: Collection[str] = ()

    def load(
        self, wanted: Iterable[Item | Refusal], progress: Progress = lambda *_: None
    ) -> Iterator[Receipt | Refusal]:
        """What became of each item, one after the other; a bad one does not stop the rest.

        Raises StoreUnavailable, since nothing can be written then. `progress` is told the phase,
        how many items are done, and how many there are.
        """
        todo = list(wanted)
        written: set[str] = set()
        replaced = spoken = False
        with Ahead(self._reader.ready, _early) as reading:
            for number, item in enumerate(todo):
                if isinstance(item, Refusal):
                    yield item
                    continue
                progress(item.name, number, len(todo))
                after = todo[number + 1] if number + 1 < len(todo) else None
                read = partial(reading.result, item, after if isinstance(after, Item) else None)
                try:
                    receipt, documents = self._load(item, read, written)
                    spoken |= documents
                    replaced |= receipt.outcome is Outcome.REPLACED
                    yield receipt
                except AskontoError as error:
                    if isinstance(error, StoreUnavailable) and not isinstance(error, StoreFull):
                        raise
                    error.name = item.name
                    yield Refusal(item.name, error)
        progress("mentions", len(todo), len(todo))
        if spoken:
            link(self.store, self.iris)
        if replaced:
            Merges(self.store, self.iris).prune()

    def unload(self, text: str) -> Receipt:
        """Remove the source at an address (a path, a URL, or as `sources` shows it)."""
        start = time.perf_counter()
        source = self._find(text)
        publish.unpublish(self.store, self.iris, source)
        link(self.store, self.iris, anew=True)
        merges = Merges(self.store, self.iris).prune()
        return Receipt(
            address=source.address,
            outcome=Outcome.UNLOADED,
            title=source.title,
            kind=source.kind,
            graphs=tuple(graph.value for graph in source.graphs),
            removed=source.triples,
            merges=merges,
            seconds=time.perf_counter() - start,
        )

    def document(self, item: Item) -> Document | None:
        """The item's text, read and not written; None where it is data, or nobody's source.

        Raises AskontoError where it cannot be loaded.
        """
        return self._reader.document(item)

    def sources(self) -> list[Source]:
        """All that is loaded, by address."""
        return sorted(
            Ledger.from_store(self.store, self.iris).sources.values(), key=lambda one: one.address
        )

    def _find(self, text: str) -> Source:
        known = Ledger.from_store(self.store, self.iris).sources
        source = known.get(text)
        if source is None:
            try:
                source = known.get(address_of(text))
            except AddressError:
                source = None
        if source is None:
            raise AddressError("is not loaded", name=text, mend="`askonto sources` lists what is")
        return source

    @property
    def _reader(self) -> Reader:
        return Reader(self.store, self.iris, self.limits, self.allowed_hosts)

    def _load(
        self, item: Item, read: Callable[[], Ready], written: set[str]
    ) -> tuple[Receipt, bool]:
        """What became of an item, and whether there are documents whose mentions it may change.

        `written` are the addresses and contents that this call has written: what was read ahead
        may not know of them.
        """
        try:
            ready = read()
        except NotData as error:
            if not item.found:
                raise
            return Receipt(item.address, Outcome.SKIPPED, warnings=(error.reason,)), False
        abandoned = any(not publish.is_alive(one) for one in ready.ledger.pending)
        if abandoned or not written.isdisjoint((item.address, ready.hash)):
            ready = self._reader.again(ready)
        receipt = self._write(ready)
        written |= {item.address, ready.hash}
        return receipt, ready.beside_documents

    def _write(self, ready: Ready) -> Receipt:
        """Put what was read in the place of what the ledger has of it."""
        start = time.perf_counter() - ready.seconds
        publish.clean(self.store, self.iris, ready.ledger.pending)
        item, read, old = ready.item, ready.found, ready.old
        if isinstance(read, Source):
            outcome = Outcome.UNCHANGED if read == old else Outcome.DUPLICATE
            return replace(_receipt(read, outcome, start), address=item.address)
        self._check_names(read, item, old)
        entry = Source(
            address=item.address,
            graphs=tuple(read.graphs),
            title=read.title,
            kind=ready.kind.media_type,
            hash=ready.hash,
            triples=read.triples,
            loaded=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        entry = publish.publish(self.store, self.iris, entry, read.graphs, old)
        return _receipt(entry, Outcome.REPLACED if old else Outcome.LOADED, start, read, old)

    def _check_names(self, read: Read, item: Item, old: Source | None) -> None:
        """Refuse graphs that belong to another source, to askonto, or to nobody known."""
        ours = set(old.graphs if old else ()) | set(self._own(item))
        foreign = [graph for graph in read.graphs if graph not in ours]
        if not foreign:
            return
        ledger = Ledger.from_store(self.store, self.iris)
        for graph in foreign:
            owner = ledger.owner(graph)
            if owner or graph.value.startswith(self.iris.base):
                whose = f"to {owner.address}" if owner else "to askonto itself"
                raise GraphTaken(
                    f"its graph {graph} belongs {whose}",
                    name=item.name,
                    mend="Unload that, or rename the graph",
                )
        for row in self.store.select(library.load("ledger/occupied").bind(graph=foreign)).rows:
            raise GraphTaken(
                f"its graph {row[0]} already holds data that no source brought",
                name=item.name,
                mend="Rename the graph",
            )

    def _own(self, item: Item) -> tuple[NamedNode, NamedNode]:
        return self.iris.graph(item.address), self.iris.mentions(item.address)


def _early(item: Item) -> bool:
    """Whether it may be read before its turn."""
    try:
        return item.path is not None and item.path.stat().st_size <= _EARLY
    except OSError:
        return False


def _receipt(
    entry: Source,
    outcome: Outcome,
    start: float,
    read: Read | None = None,
    old: Source | None = None,
) -> Receipt:
    return Receipt(
        address=entry.address,
        outcome=outcome,
        title=entry.title,
        kind=entry.kind,
        graphs=tuple(graph.value for graph in entry.graphs),
        triples=entry.triples,
        removed=old.triples if old else 0,
        ill_typed=read.ill_typed if read else 0,
        passages=read.passages if read else 0,
        same_as=entry.address if outcome is Outcome.DUPLICATE else "",
        warnings=read.warnings if read else (),
        seconds=time.perf_counter() - start,
    )
