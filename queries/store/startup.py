"""Whether a store can be used as askonto uses it; what is wrong is told with its mend."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from pyoxigraph import NamedNode

from queries.store.client import Store
from queries.store.errors import StoreError, StoreRefused, StoreTimeout, StoreUnavailable

_ALIVE = "ASK {}"
_VERSION = (
    "ASK { VALUES ?x { 1 } BIND(?x + 1 AS ?y) FILTER(COALESCE(?y, 0) = 2) "
    "FILTER NOT EXISTS { <urn:askonto:none> <urn:askonto:none>* <urn:askonto:nothing> } }"
)
_FILLED = "ASK { GRAPH ?g { ?s ?p ?o } }"
_UNION = "ASK { { SELECT ?s ?p ?o { GRAPH ?g { ?s ?p ?o } } LIMIT 1 } ?s ?p ?o }"
_WRONG_ADDRESS = "Check ASKONTO_STORE"
_WRONG_USER = "Check ASKONTO_STORE_USER and ASKONTO_STORE_PASSWORD"


def check_reading(store: Store) -> None:
    """Raise where queries do not come back as they should; three short queries."""
    address = store.engine.endpoints().query
    with _said(address):
        store.ask(_ALIVE)
    try:
        understood = store.ask(_VERSION)
    except StoreRefused as error:
        raise _too_old(address, error.reason) from error
    if not understood:
        raise _too_old(address, "it answers a query of SPARQL 1.1 wrongly")
    if store.ask(_FILLED) and not store.ask(_UNION):
        raise _other_rule(address)


def check_writing(store: Store, base: str) -> None:
    """Raise where the store cannot be written; nothing of it is left.

    In an empty store one statement is there for a moment, to see what the default graph is.
    """
    endpoints = store.engine.endpoints()
    probe = NamedNode(f"{base}probe/{uuid.uuid4().hex}")
    with _writing(endpoints.data):
        store.put_graph(probe, b"")
    with _writing(endpoints.update):
        store.update(f"DROP SILENT GRAPH {probe}")
    if not store.ask(_FILLED):
        try:
            store.update(f"INSERT DATA {{ GRAPH {probe} {{ {probe} {probe} {probe} }} }}")
            united = store.ask(f"ASK {{ {probe} ?p ?o }}")
        finally:
            store.delete_graph(probe)
        if not united:
            raise _other_rule(endpoints.query)


@contextmanager
def _said(address: str) -> Iterator[None]:
    """Name the address, and the setting to look at."""
    try:
        yield
    except (StoreUnavailable, StoreTimeout) as error:
        raise StoreUnavailable(
            error.reason, name=address, mend="Does the store run there? Else check ASKONTO_STORE"
        ) from error
    except StoreRefused as error:
        if error.status in {401, 403}:
            raise StoreRefused(
                error.reason, status=error.status, name=address, mend=_WRONG_USER
            ) from error
        raise StoreRefused(
            f"no SPARQL endpoint answers there ({error.status}: {error.reason})",
            status=error.status,
            name=address,
            mend=_WRONG_ADDRESS,
        ) from error
    except StoreError as error:
        raise StoreError(error.reason, name=address, mend=_WRONG_ADDRESS) from error


@contextmanager
def _writing(address: str) -> Iterator[None]:
    """As for reading, and what is refused there cannot be written."""
    try:
        with _said(address):
            yield
    except StoreRefused as error:
        if error.status in {401, 403}:
            raise StoreRefused(
                f"the store cannot be written by this user ({error.status})",
                status=error.status,
                name=address,
                mend="Set ASKONTO_STORE_USER and ASKONTO_STORE_PASSWORD to one that may write",
            ) from error
        raise StoreRefused(
            f"the store is read-only, or takes no writes at this address ({error.status})",
            status=error.status,
            name=address,
            mend="Open it for writing, or check ASKONTO_STORE_UPDATE and ASKONTO_STORE_DATA",
        ) from error


def _too_old(address: str, reason: str) -> StoreError:
    return StoreError(
        f"the store does not know SPARQL 1.1 ({reason})",
        name=address,
        mend="Use a newer version of it, or another store",
    )


def _other_rule(address: str) -> StoreError:
    return StoreError(
        "the store's default graph is not the union of its named graphs",
        name=address,
        mend="Set it so: for Fuseki tdb2:unionDefaultGraph true",
    )
