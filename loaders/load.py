"""Loading: each source read whole, checked, and put in the place of what it was before."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pyoxigraph import NamedNode, RdfFormat, serialize

from loaders import publish
from loaders.addresses import AddressError, Item, address_of
from loaders.identity.merges import Merges
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.linking import DOCUMENTS, link
from loaders.receipt import Outcome, Receipt, Refusal
from loaders.sources import content, document, rdf
from loaders.sources.fetch import fetch
from loaders.sources.limits import Limits
from loaders.sources.recognise import Kind, NotData, recognise
from ontology.errors import AskontoError
from queries import library
from queries.store.client import Store
from queries.store.errors import StoreFull, StoreUnavailable

_RDF_VERSION = "1"

Progress = Callable[[str, int, int], None]


class GraphTaken(AskontoError):
    """A named graph that belongs to something else."""


@dataclass(frozen=True, slots=True)
class Read:
    """A source that has been read and checked: its graphs, ready to be written."""

    kind: Kind
    graphs: Mapping[NamedNode, bytes]
    triples: int
    title: str = ""
    ill_typed: int = 0
    passages: int = 0
    warnings: tuple[str, ...] = ()


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
        replaced = spoken = False
        for number, item in enumerate(todo):
            if isinstance(item, Refusal):
                yield item
                continue
            progress(item.name, number, len(todo))
            try:
                receipt, documents = self._load(item)
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

    def document(self, item: Item) -> document.Document | None:
        """The item's text, read and not written; None where it is data, or nobody's source.

        Raises AskontoError where it cannot be loaded.
        """
        try:
            data, kind = self._content(item)
        except NotData:
            return None
        return None if kind.is_rdf else _text(item, data, kind)

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

    def _load(self, item: Item) -> tuple[Receipt, bool]:
        """What became of an item, and whether there are documents whose mentions it may change."""
        start = time.perf_counter()
        try:
            data, kind = self._content(item)
        except NotData as error:
            if not item.found:
                raise
            return Receipt(item.address, Outcome.SKIPPED, warnings=(error.reason,)), False
        content_hash = _hash(data, kind, item.language)
        ledger = Ledger.about(self.store, self.iris, item.address, content_hash, DOCUMENTS)
        known = {kind.media_type, *(one.kind for one in ledger.sources.values())}
        receipt = self._put(item, data, kind, content_hash, ledger=ledger, start=start)
        return receipt, not known.isdisjoint(DOCUMENTS)

    def _put(
        self,
        item: Item,
        data: bytes,
        kind: Kind,
        content_hash: str,
        *,
        ledger: Ledger,
        start: float,
    ) -> Receipt:
        """Read an item and put it in the place of what the ledger has of it."""
        publish.clean(self.store, self.iris, ledger.pending)
        old = ledger.sources.get(item.address)
        same = ledger.same_content(content_hash, besides=item.address)
        if old and old.hash == content_hash and item.title in ("", old.title):
            return _receipt(old, Outcome.UNCHANGED, start)
        if same and not old:
            return replace(_receipt(same, Outcome.DUPLICATE, start), address=item.address)
        read = self._read(item, data, kind)
        self._check_names(read, item, old)
        entry = Source(
            address=item.address,
            graphs=tuple(read.graphs),
            title=read.title,
            kind=kind.media_type,
            hash=content_hash,
            triples=read.triples,
            loaded=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        entry = publish.publish(self.store, self.iris, entry, read.graphs, old)
        return _receipt(entry, Outcome.REPLACED if old else Outcome.LOADED, start, read, old)

    def _content(self, item: Item) -> tuple[bytes, Kind]:
        if item.path:
            data = content.read_file(item.path, item.name, self.limits)
            kind = recognise(data, item.path.name)
        else:
            reply = fetch(item.url, limits=self.limits, allowed=self.allowed_hosts)
            data = content.unpacked(reply.text_as_utf8(), item.name, self.limits)
            kind = recognise(data, urlsplit(reply.url).path)
        if not kind.is_rdf and len(data) > self.limits.document_bytes:
            raise content.too_large(self.limits.document_bytes, item.name)
        return data, kind

    def _read(self, item: Item, data: bytes, kind: Kind) -> Read:
        return (
            self._read_rdf(item, data, kind) if kind.is_rdf else self._read_text(item, data, kind)
        )

    def _read_rdf(self, item: Item, data: bytes, kind: Kind) -> Read:
        dataset = rdf.read(
            data,
            kind,
            name=item.name,
            base=item.address,
            skolem=self.iris.skolem(item.address),
            limits=self.limits,
        )
        if not dataset.triples:
            raise rdf.BrokenRdf(
                f"is valid {kind}, but states nothing", name=item.name, mend="Is it the right file?"
            )
        own = self.iris.graph(item.address)
        return Read(
            kind=kind,
            graphs={graph or own: lines for graph, lines in dataset.graphs.items()},
            triples=dataset.triples,
            title=item.title or (item.path.name if item.path else item.url),
            ill_typed=dataset.ill_typed,
            warnings=(*dataset.warnings, *_ill_typed(dataset.ill_typed)),
        )

    def _read_text(self, item: Item, data: bytes, kind: Kind) -> Read:
        read = _text(item, data, kind)
        own, mentions = self._own(item)
        triples = set(document.triples(read, self.iris.base))
        return Read(
            kind=kind,
            graphs={own: serialize(triples, format=RdfFormat.N_TRIPLES) or b"", mentions: b""},
            triples=len(triples),
            title=read.title,
            passages=len(read.passages),
            warnings=read.warnings,
        )

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


def _ill_typed(count: int) -> Iterator[str]:
    if count:
        yield f"{count} literals are not of their datatype"


def _text(item: Item, data: bytes, kind: Kind) -> document.Document:
    return document.read(
        data,
        kind=kind,
        address=item.address,
        url=item.url,
        title=item.title,
        language=item.language,
    )


def _hash(data: bytes, kind: Kind, language: str) -> str:
    """Of all that decides what is stored, but for the address and title."""
    version = _RDF_VERSION if kind.is_rdf else document.VERSION
    return hashlib.sha256(f"{version} {language}\n".encode() + data).hexdigest()


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
