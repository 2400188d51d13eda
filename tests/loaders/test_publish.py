"""Writing: readers see the old source or the new one, never less."""

from __future__ import annotations

import os
import threading

import pytest
from pyoxigraph import NamedNode

from loaders import publish
from loaders.ledger import Source
from loaders.publish import SMALL
from tests.loaders.conftest import Desk, Write

NOW = "2026-01-01T00:00:00+00:00"


def numbers(count: int, name: str) -> str:
    return "".join(f'<http://e/{name}> <http://e/b> "{n}" .\n' for n in range(count))


@pytest.mark.parametrize("size", [500, SMALL + 1])
def test_readers_never_see_less_than_the_old_or_the_new(
    desk: Desk, write: Write, size: int
) -> None:
    path = write("x.nt", numbers(size, "v0"))
    desk.receipt(path)
    seen: set[int] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(desk.count())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for version in range(1, 4):
            write("x.nt", numbers(size, f"v{version}"))
            desk.receipt(path)
    finally:
        done.set()
        reader.join()
    assert min(seen) >= size


def test_writing_twice_is_writing_once(desk: Desk) -> None:
    iris, graph = desk.loader.iris, NamedNode("http://e/g")
    entry = Source("http://e/x", (graph,), title="x", triples=3, loaded=NOW)
    for _ in range(2):
        publish.publish(desk.store, iris, entry, {graph: numbers(3, "a").encode()}, None)
    (found,) = desk.ledger.sources.values()
    assert (found.title, found.triples, desk.count()) == ("x", 3, 3)


def test_each_change_has_the_next_generation(desk: Desk, write: Write) -> None:
    generations = []
    for name in "abc":
        path = write(f"{name}.nt", numbers(1, name))
        desk.receipt(path)
        generations.append(desk.ledger.sources[path.as_uri()].generation)
    assert generations == [1, 2, 3]


def test_what_a_living_process_writes_is_left_alone(desk: Desk) -> None:
    iris, graph = desk.loader.iris, NamedNode("http://e/g")
    writers = {
        "http://e/own": publish._writer(),
        "http://e/gone": f"{publish._writer().rsplit('/', 2)[0]}/4194304/1",
        "http://e/reused": f"{publish._writer().rsplit('/', 1)[0]}/another",
        "http://e/elsewhere": f"another-machine/{os.getpid()}/1",
    }
    for address, writer in writers.items():
        entry = Source(address, (graph,), loaded=NOW, writer=writer)
        desk.store.update(publish._insert({iris.ledger: entry.ntriples(iris)}))
    publish.clean(desk.store, iris, desk.ledger.pending)
    assert [one.address for one in desk.ledger.pending] == ["http://e/own"]


def test_replacing_a_graph_leaves_the_ledger(desk: Desk) -> None:
    graph = NamedNode("http://e/g")
    publish.replace_graph(desk.store, graph, numbers(2, "a").encode())
    publish.replace_graph(desk.store, graph, numbers(1, "b").encode())
    assert desk.count(graph) == 1
    assert desk.ledger.sources == {}
