"""A million triples at once, on each store; minutes, so by `make test-stores` only."""

from __future__ import annotations

import os
import threading

import pytest
from pyoxigraph import Literal, NamedNode

from queries.store import Store

pytestmark = pytest.mark.skipif(
    "ASKONTO_TEST_STORES" not in os.environ, reason="a million triples: `make test-stores`"
)

MILLION = 1_000_000
GRAPH = NamedNode("http://example.org/million")


def size(store: Store) -> int:
    (value,) = store.select("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", deadline=120).rows[0]
    assert isinstance(value, Literal)
    return int(value.value)


def test_a_million_triples_are_seen_all_or_none(any_store: Store) -> None:
    data = b"".join(
        b"<http://example.org/%d> <http://example.org/p> <http://example.org/%d> .\n" % (i, i // 7)
        for i in range(MILLION)
    )
    seen, done = set(), threading.Event()

    def read() -> None:
        while not done.wait(0.5):
            seen.add(size(any_store))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        any_store.bulk_graph(GRAPH, data)
    finally:
        done.set()
        reader.join()
    assert seen <= {0, MILLION}
    assert size(any_store) == MILLION
