"""Reading: an item's content, checked, with what the ledger had of it; nothing is written."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from pyoxigraph import NamedNode, RdfFormat, serialize

from loaders.addresses import Item
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.linking import DOCUMENTS
from loaders.sources import content, document, rdf
from loaders.sources.fetch import fetch
from loaders.sources.limits import Limits
from loaders.sources.recognise import Kind, NotData, recognise
from queries.store.client import Store

_RDF_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Read:
    """A source that has been read and checked: its graphs, ready to be written."""

    graphs: Mapping[NamedNode, bytes]
    triples: int
    title: str = ""
    ill_typed: int = 0
    passages: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """An item and what is to be written of it, or the source that has its content already.

    `seconds` is what that took.
    """

    item: Item
    kind: Kind
    hash: str
    ledger: Ledger
    found: Read | Source
    seconds: float

    @property
    def old(self) -> Source | None:
        """What is loaded of its address."""
        return self.ledger.sources.get(self.item.address)

    @property
    def beside_documents(self) -> bool:
        """Whether there are documents whose mentions it may change, or it is one."""
        kinds = {self.kind.media_type, *(one.kind for one in self.ledger.sources.values())}
        return not kinds.isdisjoint(DOCUMENTS)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads items for a store; `allowed_hosts` may be fetched though their address is private."""

    store: Store
    iris: Iris
    limits: Limits
    allowed_hosts: Collection[str]

    def ready(self, item: Item) -> Ready:
        """The item as it would be written.

        Raises AskontoError where it cannot be; NotData where it is nobody's source.
        """
        start = time.perf_counter()
        data, kind = self._content(item)
        content_hash = _hash(data, kind, item.language)
        ledger = self._ledger(item, content_hash)
        found = _same(item, content_hash, ledger) or self._read(item, data, kind)
        return Ready(item, kind, content_hash, ledger, found, time.perf_counter() - start)

    def again(self, ready: Ready) -> Ready:
        """The same by the ledger as it is now; read only where it was not."""
        ledger = self._ledger(ready.item, ready.hash)
        known = _same(ready.item, ready.hash, ledger)
        if known is None and isinstance(ready.found, Source):
            return self.ready(ready.item)
        return replace(ready, ledger=ledger, found=known or ready.found)

    def document(self, item: Item) -> document.Document | None:
        """The item's text; None where it is data, or nobody's source.

        Raises AskontoError where it cannot be loaded.
        """
        try:
            data, kind = self._content(item)
        except NotData:
            return None
        return None if kind.is_rdf else _text(item, data, kind)

    def _ledger(self, item: Item, content_hash: str) -> Ledger:
        return Ledger.about(self.store, self.iris, item.address, content_hash, DOCUMENTS)

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
            graphs={graph or own: lines for graph, lines in dataset.graphs.items()},
            triples=dataset.triples,
            title=item.title or (item.path.name if item.path else item.url),
            ill_typed=dataset.ill_typed,
            warnings=(*dataset.warnings, *_ill_typed(dataset.ill_typed)),
        )

    def _read_text(self, item: Item, data: bytes, kind: Kind) -> Read:
        read = _text(item, data, kind)
        own, mentions = self.iris.graph(item.address), self.iris.mentions(item.address)
        triples = set(document.triples(read, self.iris.base))
        return Read(
            graphs={own: serialize(triples, format=RdfFormat.N_TRIPLES) or b"", mentions: b""},
            triples=len(triples),
            title=read.title,
            passages=len(read.passages),
            warnings=read.warnings,
        )


def _same(item: Item, content_hash: str, ledger: Ledger) -> Source | None:
    old = ledger.sources.get(item.address)
    if old is None:
        return ledger.same_content(content_hash, besides=item.address)
    return old if old.hash == content_hash and item.title in ("", old.title) else None


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
