"""Loading and unloading: each source whole, independent of the others, and gone without a rest."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from loaders.addresses import AddressError, Item, listed
from loaders.iris import Iris
from loaders.load import Loader
from loaders.publish import SMALL
from loaders.receipt import Outcome, Receipt, Refusal
from loaders.sources.limits import Limits
from queries.store import open_embedded
from tests.loaders.conftest import BASE, Desk, Write

ONE = "<http://e/a> <http://e/b> 1 .\n"
TWO = ONE + "<http://e/a> <http://e/b> 2 .\n"


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_args: object) -> None:
        """Nothing."""


def numbers(count: int, name: str = "a") -> str:
    return "".join(f"<http://e/{name}> <http://e/b> {n} .\n" for n in range(count))


def test_a_file_is_loaded_replaced_left_and_removed_whole(desk: Desk, write: Write) -> None:
    path = write("x.ttl", TWO)
    first = desk.receipt(path)
    assert (first.outcome, first.triples, desk.count()) == (Outcome.LOADED, 2, 2)
    assert desk.receipt(path).outcome is Outcome.UNCHANGED
    generation = desk.ledger.sources[path.as_uri()].generation
    write("x.ttl", ONE)
    replaced = desk.receipt(path)
    assert (replaced.outcome, replaced.triples, replaced.removed) == (Outcome.REPLACED, 1, 2)
    assert desk.count() == 1
    assert desk.ledger.sources[path.as_uri()].generation == generation + 1
    gone = desk.loader.unload(str(path))
    assert (gone.outcome, gone.removed, desk.count()) == (Outcome.UNLOADED, 1, 0)
    assert desk.loader.sources() == []


def test_a_changed_time_is_no_change(desk: Desk, write: Write) -> None:
    path = write("x.ttl", ONE)
    desk.receipt(path)
    os.utime(path, (1, 1))
    assert desk.receipt(path).outcome is Outcome.UNCHANGED


def test_equal_content_at_a_second_address_is_reported_not_doubled(
    desk: Desk, write: Write
) -> None:
    first = desk.receipt(write("x.ttl", ONE))
    second = desk.receipt(write("y.ttl", ONE))
    assert (second.outcome, second.same_as) == (Outcome.DUPLICATE, first.address)
    assert desk.count() == 1


def test_equal_content_of_one_call_is_loaded_once(desk: Desk, write: Write) -> None:
    texts = {"1.ttl": ONE, "2.ttl": ONE, "3.ttl": TWO, "4.ttl": ONE, "5.ttl": TWO}
    results = desk.load(*(write(name, text) for name, text in texts.items()))
    outcomes = [one.outcome for one in results if isinstance(one, Receipt)]
    duplicate = Outcome.DUPLICATE
    assert outcomes == [Outcome.LOADED, duplicate, Outcome.LOADED, duplicate, duplicate]
    assert desk.count() == 3


def test_a_graph_that_the_call_itself_has_brought_is_taken(desk: Desk, write: Write) -> None:
    quads = [f'<http://e/a> <http://e/b> "{number}" <http://e/g> .\n' for number in range(2)]
    first, second = desk.load(*(write(f"{n}.nq", quad) for n, quad in enumerate(quads)))
    assert isinstance(first, Receipt)
    assert isinstance(second, Refusal)
    assert f"belongs to {first.address}" in second.line
    assert desk.count() == 1


def test_blank_nodes_of_two_files_stay_two_and_a_third_load_adds_none(
    desk: Desk, write: Write
) -> None:
    paths = [write(f"{n}.ttl", f"_:a <http://e/b> {n} .") for n in range(2)]
    desk.load(*paths)
    desk.load(*paths, paths[0])
    rows = desk.store.select("SELECT DISTINCT ?s { ?s <http://e/b> ?o }").rows
    assert len(rows) == desk.count() == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.ttl", f"{ONE}<http://e/a> <http://e/b> 2 .\n<http://e/a> <http://e/b> ."),
        ("x.nt", ONE.replace("1", '"1"') + "<http://e/a> <http://e/ b> <http://e/c> .\n"),
        ("x.jsonld", '{"@id": "http://e/a",\n "http://e/b": 1'),
    ],
)
def test_a_half_good_file_changes_nothing(desk: Desk, write: Write, name: str, text: str) -> None:
    good = {"x.ttl": TWO, "x.nt": TWO, "x.jsonld": '{"@id": "http://e/a", "http://e/b": [1, 2]}'}
    path = write(name, good[name])
    desk.receipt(path)
    write(name, text)
    refusal = desk.refusal(path)
    assert "line" in refusal.line
    assert str(path) in refusal.line
    assert desk.count() == 2


def test_a_bad_source_does_not_stop_the_others(desk: Desk, write: Write, tmp_path: Path) -> None:
    write("folder/a.ttl", "broken")
    write("folder/b.ttl", ONE)
    write("folder/c.docx", "PK\x03\x04")
    write(
        "folder/catalog-v001.xml", '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"/>'
    )
    (tmp_path / "empty").mkdir()
    results = desk.load(tmp_path / "folder", tmp_path / "empty", tmp_path / "absent.ttl")
    outcomes = [one.outcome if isinstance(one, Receipt) else "refused" for one in results]
    assert outcomes == ["refused", "loaded", "refused", "skipped", "refused", "refused"]
    assert all("\n" not in one.line for one in results if isinstance(one, Refusal))


@pytest.mark.parametrize(
    ("name", "text"), [("x.ttl", "@prefix e: <http://e/> ."), ("x.rdf", "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>")]
)  # fmt: skip
def test_a_file_that_states_nothing_is_refused(
    desk: Desk, write: Write, name: str, text: str
) -> None:
    assert "states nothing" in desk.refusal(write(name, text)).line


def test_named_graphs_keep_their_names_and_have_one_owner(desk: Desk, write: Write) -> None:
    quads = '<http://e/a> <http://e/b> "1" <http://e/g> .\n'
    first = desk.receipt(write("x.nq", quads + ONE.replace("1", '"1"')))
    assert "http://e/g" in first.graphs
    assert desk.count("http://e/g") == 1
    refusal = desk.refusal(write("y.nq", quads.replace("1", "3")))
    assert first.address in refusal.line
    assert desk.count() == 2
    desk.loader.unload(first.address)
    assert desk.count() == 0


@pytest.mark.parametrize("graph", [f"{BASE}ledger", f"{BASE}ontology", "http://e/foreign"])
def test_no_file_takes_over_a_graph_that_is_not_its_own(
    desk: Desk, write: Write, graph: str
) -> None:
    desk.store.update("INSERT DATA { GRAPH <http://e/foreign> { <http://e/x> <http://e/y> 1 } }")
    refusal = desk.refusal(write("x.nq", f'<http://e/a> <http://e/b> "1" <{graph}> .\n'))
    assert graph in refusal.line
    assert desk.count() == 1


def test_large_sources_are_loaded_replaced_and_removed_whole(desk: Desk, write: Write) -> None:
    path = write("x.nt", numbers(SMALL + 1).replace(" .", "."))
    assert desk.receipt(path).triples == desk.count() == SMALL + 1
    write("x.nt", numbers(SMALL + 2))
    again = desk.receipt(path)
    assert again.outcome is Outcome.REPLACED
    assert desk.count() == SMALL + 2 == desk.count(again.graphs[0])
    assert desk.ledger.pending == ()
    write("x.nt", ONE)
    assert desk.receipt(path).triples == desk.count() == 1
    desk.loader.unload(str(path))
    assert desk.count() == 0


def test_large_named_graphs_are_replaced_under_their_names(desk: Desk, write: Write) -> None:
    lines = re.sub(r"(\d+) \.", r'"\1" <http://e/g> .', numbers(SMALL + 1))
    path = write("x.nq", lines)
    desk.receipt(path)
    write("x.nq", lines.replace("http://e/a", "http://e/c"))
    assert desk.receipt(path).graphs == ("http://e/g",)
    assert desk.count() == desk.count("http://e/g") == SMALL + 1


def test_a_packed_file_is_loaded_as_what_it_holds(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "x.nt.gz"
    path.write_bytes(gzip.compress(TWO.encode()))
    assert desk.receipt(path).kind in ("application/n-triples", "text/turtle")
    assert desk.count() == 2


def test_documents_have_chunks_and_passages_and_their_own_address(
    desk: Desk, write: Write, tmp_path: Path
) -> None:
    write("a.html", "<html><h1>Heat pumps</h1><p>A heat pump moves heat from outside.</p>")
    write("list.tsv", "file\turl\ttitle\na.html\thttps://example.org/a\tOn heat pumps\n")
    (receipt,) = desk.loader.load(listed(tmp_path / "list.tsv"))
    assert isinstance(receipt, Receipt)
    assert (receipt.address, receipt.title) == ("https://example.org/a", "On heat pumps")
    assert receipt.passages >= 1
    text = desk.store.select(
        "SELECT ?t { ?c a <https://w3id.org/askonto/onto#Chunk> ; "
        "<https://w3id.org/askonto/onto#hasContent> ?t }"
    ).rows
    assert "moves heat from outside" in str(text)
    desk.loader.unload("https://example.org/a")
    assert desk.count() == 0


def test_mentions_follow_what_is_loaded_and_removed(desk: Desk, write: Write) -> None:
    def mentioned() -> set[str]:
        rows = desk.store.select(
            "SELECT ?e { ?c <https://w3id.org/askonto/onto#mentions> ?e }"
        ).rows
        return {str(getattr(row[0], "value", "")) for row in rows}

    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    document = write("a.md", "# Heating\n\nA heat pump takes less than a gas boiler does.\n")
    graph = write("a.ttl", f'<http://e/pump> {label} "heat pump" .')
    other = write("b.ttl", f'<http://e/boiler> {label} "gas boiler" .')
    desk.load(document, graph)
    assert mentioned() == {"http://e/pump"}
    desk.load(other)
    assert mentioned() == {"http://e/pump", "http://e/boiler"}
    write("b.ttl", f'<http://e/boiler> {label} "oil boiler" .')
    desk.load(other)
    assert mentioned() == {"http://e/pump"}
    desk.loader.unload(str(graph))
    assert mentioned() == set()
    desk.load(graph)
    write("a.md", "# Heating\n\nNothing of the kind.\n")
    desk.load(document)
    assert mentioned() == set()
    desk.loader.unload(str(document))
    assert desk.count() == 2


def test_unloading_what_is_not_loaded_says_so(desk: Desk) -> None:
    for text in ("http://e/nothing", "/absent", "../index.npy", "nul\0"):
        with pytest.raises(AddressError, match="not loaded"):
            desk.loader.unload(text)


def test_progress_names_each_source_and_ends(desk: Desk, write: Write) -> None:
    told: list[tuple[str, int, int]] = []
    path = write("x.ttl", ONE)
    items = [Item(address=path.as_uri(), path=path)]
    list(desk.loader.load(items, progress=lambda *news: told.append(news)))
    assert told[0] == (str(path), 0, 1)
    assert told[-1][1:] == (1, 1)


def test_a_document_above_the_limit_is_refused(desk: Desk, write: Write) -> None:
    small = Loader(desk.store, desk.loader.iris, Limits(document_bytes=10))
    path = write("x.txt", "More than ten characters.")
    (refusal,) = small.load([Item(address=path.as_uri(), path=path)])
    assert isinstance(refusal, Refusal)
    assert "more than" in refusal.line


CRASH = """
import os, sys
from pathlib import Path
from loaders.addresses import items
from loaders.iris import Iris
from loaders.iris import Iris
from loaders.load import Loader
from queries.store import Store, open_embedded

folder, path, base, moment = sys.argv[1:]
store = open_embedded(Path(folder), deadline=10)
bulk, update = Store.bulk_graph, Store.update
def die(*_):
    os.kill(os.getpid(), 9)
def bulk_and_die(*args, **more):
    bulk(*args, **more)
    die()
Store.bulk_graph = {"before": die, "after": bulk_and_die}.get(moment, bulk)
list(Loader(store, Iris(base)).load(items(path)))
"""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_a_killed_load_left_is_cleaned_by_the_next(
    write: Write, tmp_path: Path, moment: str
) -> None:
    path = write("x.nt", numbers(SMALL + 1))
    with open_embedded(tmp_path / "data", deadline=10) as store:
        desk = Desk(Loader(store, Iris(BASE)))
        desk.receipt(path)
        write("x.nt", numbers(SMALL + 1, "other"))
        command = [sys.executable, "-c", CRASH, str(tmp_path / "data"), str(path), BASE, moment]
        assert subprocess.run(command, check=False).returncode == -9
        assert desk.count(desk.ledger.sources[path.as_uri()].graphs[0]) == SMALL + 1
        (pending,) = desk.ledger.pending
        assert pending.address == path.as_uri()
        desk.load(*(write(f"{name}.ttl", f"{ONE}# {name}") for name in "yz"))
        assert desk.ledger.pending == ()
        assert desk.count() == SMALL + 3
        assert desk.receipt(path).outcome is Outcome.REPLACED
        assert desk.count() == SMALL + 3
        assert not store.ask("ASK { GRAPH ?g { <http://e/a> <http://e/b> 5 } }")


def test_what_a_killed_load_left_is_cleaned_before_its_source_is_loaded_with_others(
    write: Write, tmp_path: Path
) -> None:
    path = write("x.nt", numbers(SMALL + 1))
    with open_embedded(tmp_path / "data", deadline=10) as store:
        desk = Desk(Loader(store, Iris(BASE)))
        command = [sys.executable, "-c", CRASH, str(tmp_path / "data"), str(path), BASE, "after"]
        assert subprocess.run(command, check=False).returncode == -9
        desk.load(write("y.ttl", ONE), path, write("z.ttl", TWO))
        assert desk.ledger.pending == ()
        assert desk.count() == SMALL + 4


def test_a_url_is_fetched_where_its_host_is_allowed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "x.ttl").write_text("<> <http://e/b> <y> .")
    handler = partial(QuietHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/x.ttl?version=1"
        assert "no public address" in desk.refusal(url).line
        allowed = Desk(replace(desk.loader, allowed_hosts=["127.0.0.1"]))
        assert allowed.receipt(url).address == url
        server.shutdown()
    assert desk.store.ask(f"ASK {{ <{url}> <http://e/b> ?y }}")


@pytest.mark.parametrize("url", ["http://e /x", "http://e/a|b", "ftp://e/x", "javascript://x"])
def test_an_address_that_is_none_is_refused(desk: Desk, url: str) -> None:
    assert desk.refusal(url).line.startswith(url)
