"""The client of any SPARQL 1.1 store, and the embedded store's process."""

from queries.store.client import Store
from queries.store.embedded import open_embedded
from queries.store.remote import open_remote

__all__ = ["Store", "open_embedded", "open_remote"]
