"""A store as one: its graphs read and replaced in one step, whoever dies meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from queries.store import Store, open_embedded, open_remote, whole
from queries.store.endpoints import Endpoints
from queries.store.errors import StoreError, StoreRefused
from tests.queries.fuseki import running

QUADS = b"""<http://e.org/a> <http://e.org/p> "x"@en <http://e.org/g> .
<http://e.org/a> <http://e.org/p> "a \\"b\\" \\n c" <http://e.org/h> .
"""


def numbered(count: int, name: str = "n") -> bytes:
    line = f'<http://e.org/{name}/%d> <http://e.org/p> "{name} %d" <http://e.org/{name}> .\n'
    return "".join(line % (i, i) for i in range(count)).encode()


def test_what_was_put_in_comes_out(any_store: Store) -> None:
    any_store.update(
        "INSERT DATA { GRAPH <http://e.org/o> { <http://e.org/a> <http://e.org/p> 1 }}"
    )
    whole.replace(any_store, [QUADS], lambda held: None)
    assert whole.count(any_store) == 2
    given = b"".join(whole.quads(any_store).chunks)
    assert sorted(given.splitlines()) == sorted(QUADS.splitlines())


def test_what_cannot_be_parsed_changes_nothing(shared_store: Store) -> None:
    whole.replace(shared_store, [numbered(5)], lambda held: None)
    with pytest.raises(StoreError):
        whole.replace(shared_store, [numbered(30_000, "broken"), b"<broken"], lambda held: None)
    assert whole.count(shared_store) == 5


def test_a_giver_that_fails_changes_nothing(shared_store: Store) -> None:
    whole.replace(shared_store, [numbered(5)], lambda held: None)

    def failing() -> Iterator[bytes]:
        yield numbered(30_000, "failing")
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        whole.replace(shared_store, failing(), lambda held: None)
    time.sleep(0.3)
    assert whole.count(shared_store) == 5


def test_readers_see_the_old_graphs_or_the_new(shared_store: Store) -> None:
    whole.replace(shared_store, [numbered(3000)], lambda held: None)
    seen: set[int] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(whole.count(shared_store))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(3):
        whole.replace(shared_store, [numbered(3000 + turn % 2, f"h{turn}")], lambda held: None)
    done.set()
    reader.join()
    assert seen <= {3000, 3001}


def test_the_next_query_from_outside_sees_the_new_graphs(any_store: Store) -> None:
    query = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
    for size in (3, 4, 3):
        whole.replace(any_store, [numbered(size)], lambda held: None)
        rows = b"".join(any_store.query_raw(query, "text/tab-separated-values").chunks)
        assert rows.split()[-1].startswith(b"%d" % size) or b'"%d"' % size in rows


REPLACER = """
import sys, time
from pathlib import Path
from queries.store import open_embedded, open_remote, whole
from queries.store.endpoints import Endpoints

def parts():
    for turn in range(60):
        line = f'<http://e.org/{name}/{turn}/%d> <http://e.org/p> "{name}" <http://e.org/new> .\\n'
        yield "".join(line % i for i in range(1000)).encode()
        time.sleep(0.01)

kind, name, *rest = sys.argv[1:]
if kind == "embedded":
    store = open_embedded(Path(rest[0]), deadline=30)
else:
    base, user, password = rest
    store = open_remote(Endpoints.from_base(base, user=user, password=password), deadline=30)
with store:
    print("begun", flush=True)
    whole.replace(store, parts(), lambda held: None)
print("done", flush=True)
"""


def killed(arguments: list[str], after: float) -> None:
    command = [sys.executable, "-c", REPLACER, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"begun\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("after", [0.05, 0.4, 0.8, 1.2, 1.6])
def test_a_writer_that_is_killed_leaves_the_old_or_the_new(tmp_path: Path, after: float) -> None:
    folder = tmp_path / "store"
    with open_embedded(folder, deadline=30) as store:
        whole.replace(store, [numbered(70)], lambda held: None)
        killed(["embedded", "killed", str(folder)], after)
        assert whole.count(store) in {70, 60_000}
    with open_embedded(folder, deadline=30) as store:
        assert whole.count(store) in {70, 60_000}
        whole.replace(store, [numbered(7)], lambda held: None)
        assert whole.count(store) == 7
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"database"}


def test_fuseki_takes_no_half_of_what_a_killed_writer_sent(tmp_path: Path) -> None:
    """And is as it was when it starts again, which it must before it is written again."""
    with running(tmp_path) as fuseki, open_remote(fuseki, deadline=30) as store:
        whole.replace(store, [numbered(70)], lambda held: None)
        base = fuseki.query.removesuffix("/sparql")
        for after in (0.02, 0.3, 0.6):
            killed(["fuseki", "killed", base, fuseki.user, fuseki.password], after)
            time.sleep(0.5)
            kept = whole.count(store)
            # all where it was done before it was killed, none where nothing had come of it yet
            assert kept in {70, 60_000, 0}
    with running(tmp_path) as fuseki, open_remote(fuseki, deadline=30) as store:
        assert b"".join(whole.quads(store).chunks).count(b"\n") == kept
        whole.replace(store, [numbered(50)], lambda held: None)
        assert whole.count(store) == 50


@pytest.mark.parametrize("name", ["database.new", "database.old", "building-x"])
def test_a_supervisor_finishes_what_one_before_it_had_begun(tmp_path: Path, name: str) -> None:
    """Killed between its two renamings, before the first, or while the new one was made."""
    folder, other = tmp_path / "store", tmp_path / "other"
    for path, size in ((folder, 5), (other, 9)):
        with open_embedded(path, deadline=10) as store:
            whole.replace(store, [numbered(size)], lambda held: None)
    wait_until_gone(folder)
    wait_until_gone(other)
    (other / "database").rename(folder / name)
    if name == "database.new":
        (folder / "database").rename(folder / "database.old")
    with open_embedded(folder, deadline=10) as store:
        assert whole.count(store) == (9 if name == "database.new" else 5)
    assert not (folder / "database.new").exists()
    assert not (folder / "database.old").exists()


def wait_until_gone(folder: Path) -> None:
    end = time.monotonic() + 10
    while (folder / "supervisor.sock").exists() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)


def test_compaction_keeps_all_and_others_only_wait(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with open_embedded(folder, deadline=30) as store, open_embedded(folder, deadline=30) as other:
        whole.replace(store, [numbered(20_000)], lambda held: None)
        seen: list[int] = []
        asking = threading.Thread(target=lambda: seen.extend(whole.count(other) for _ in range(20)))
        asking.start()
        whole.compact(store)
        asking.join()
        assert set(seen) == {20_000}
        assert whole.count(store) == 20_000


def test_a_store_that_has_no_compaction_says_so() -> None:
    endpoints = Endpoints("http://127.0.0.1:9/q", "http://127.0.0.1:9/u", "http://127.0.0.1:9/d")
    with (
        open_remote(endpoints, deadline=1) as store,
        pytest.raises(StoreRefused, match="no compaction"),
    ):
        whole.compact(store)
