"""The IRIs that askonto makes, all under the base IRI of the settings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pyoxigraph import NamedNode


def key_of(address: str) -> str:
    """The MD5 of a source's address in hex: what its IRIs are made of."""
    return hashlib.md5(
        address.encode("utf-8", "surrogateescape"), usedforsecurity=False
    ).hexdigest()


@dataclass(frozen=True, slots=True)
class Iris:
    """Maker of IRIs under `base`, which ends in / or #."""

    base: str

    @property
    def ledger(self) -> NamedNode:
        """The graph that tells of all sources, and the node that tells of itself."""
        return NamedNode(self.base + "ledger")

    @property
    def ontology(self) -> NamedNode:
        """The graph of the live ontology."""
        return NamedNode(self.base + "ontology")

    @property
    def default(self) -> NamedNode:
        """The graph that `default` stands for where graphs are written over HTTP."""
        return NamedNode(self.base + "default")

    @property
    def linked(self) -> NamedNode:
        """The ledger's node that tells up to which generation mentions were looked for."""
        return NamedNode(self.base + "ledger/mentions")

    def source(self, address: str) -> NamedNode:
        """The source's node in the ledger."""
        return NamedNode(f"{self.base}source/{key_of(address)}")

    def graph(self, address: str) -> NamedNode:
        """The graph of what the source states."""
        return NamedNode(f"{self.base}graph/{key_of(address)}")

    def mentions(self, address: str) -> NamedNode:
        """The graph of which known entities the source's chunks mention."""
        return NamedNode(f"{self.base}graph/{key_of(address)}/mentions")

    def statements(self, address: str) -> NamedNode:
        """The graph of the statements that were extracted from the source's text."""
        return NamedNode(f"{self.base}graph/{key_of(address)}/statements")

    @property
    def merges(self) -> NamedNode:
        """The graph of which entities are one and the same."""
        return NamedNode(self.base + "merges")

    def pending(self, address: str) -> NamedNode:
        """The ledger's node of a source that is being written."""
        return NamedNode(f"{self.base}pending/{key_of(address)}")

    def writer(self, name: str) -> NamedNode:
        """The process that writes."""
        return NamedNode(f"{self.base}writer/{name}")

    def skolem(self, address: str) -> str:
        """The start of the IRIs that stand for the source's blank nodes."""
        return f"{self.base}genid/{key_of(address)}/"
