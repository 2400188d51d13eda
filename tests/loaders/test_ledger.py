"""The ledger: entries as they were written."""

from __future__ import annotations

from pyoxigraph import NamedNode

from loaders import publish
from loaders.ledger import Ledger, Source
from tests.loaders.conftest import Desk

GRAPHS = (NamedNode("http://e/g"), NamedNode("http://e/h"))
ENTRY = Source(
    address='file:///a%20b"c',
    graphs=GRAPHS,
    title='A "title" } ; DROP ALL ; #\n',
    kind="text/turtle",
    hash="abc",
    triples=2,
    loaded="2026-01-01T00:00:00+00:00",
)


def written(desk: Desk) -> Source:
    graphs = dict.fromkeys(GRAPHS, b"<http://e/a> <http://e/b> <http://e/c> .\n")
    publish.publish(desk.store, desk.loader.iris, ENTRY, graphs, None)
    return desk.ledger.sources[ENTRY.address]


def test_an_entry_is_read_as_it_was_written(desk: Desk) -> None:
    found = written(desk)
    assert (found.address, found.graphs, found.title) == (ENTRY.address, GRAPHS, ENTRY.title)
    assert (found.kind, found.hash, found.triples, found.generation) == ("text/turtle", "abc", 2, 1)


def test_entries_are_found_by_address_content_and_graph(desk: Desk) -> None:
    found = written(desk)
    iris = desk.loader.iris
    assert Ledger.about(desk.store, iris, ENTRY.address, "").sources == {ENTRY.address: found}
    by_content = Ledger.about(desk.store, iris, "http://e/other", "abc")
    assert by_content.same_content("abc", besides="http://e/other") == found
    assert by_content.same_content("abc", besides=ENTRY.address) is None
    assert Ledger.about(desk.store, iris, "http://e/other", "").sources == {}
    assert desk.ledger.owner(GRAPHS[1]) == found
    assert desk.ledger.owner(NamedNode("http://e/i")) is None
