"""The embedded store: shared through its folder, back when it dies, gone with its last user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from queries.store import Store, open_embedded
from queries.store.errors import FolderError, QueryRefused, StoreTimeout

G = NamedNode("http://example.org/g")
TSV = "text/tab-separated-values"
CROSS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
DOUBLING = (
    "SELECT (STRLEN(?x30) AS ?n) { BIND('aaaaaaaaaa' AS ?x0) "
    + " ".join(f"BIND(CONCAT(?x{i}, ?x{i}) AS ?x{i + 1})" for i in range(30))
    + "}"
)
PARENTHESES = "SELECT * { FILTER(" + "(" * 6000 + "1" + ")" * 6000 + ") }"


def statements(count: int) -> bytes:
    lines = (
        f"<http://e/{i}> <http://p/{i % 7}> <http://e/{i * 7 % count}> ." for i in range(count)
    )
    return "\n".join(lines).encode()


def count(store: Store) -> int:
    return len(store.select("SELECT DISTINCT * { ?s ?p ?o }"))


def processes(folder: Path) -> dict[int, str]:
    """Supervisors and servers of the folder, by process id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, UnicodeDecodeError):
                continue
            ours = "-m queries.store.supervisor" in command or "oxigraph serve" in command
            if ours and f"{folder}" in command:
                found[int(entry.name)] = command
    return found


def kill_all(folder: Path) -> None:
    """Kill supervisors and servers; a server may have ended with its supervisor by then."""
    for number in processes(folder):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def pid(folder: Path, what: str) -> int:
    return next(number for number, command in processes(folder).items() if what in command)


def until(true: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


@contextmanager
def user(folder: Path, code: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open as `s`; its lines of output can be read."""
    program = (
        "import sys, time, pathlib\nfrom queries.store import open_embedded\n"
        f"s = open_embedded(pathlib.Path({str(folder)!r}), deadline=10)\n{code}\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with open_embedded(folder, deadline=10) as opened:
        opened.put_graph(G, statements(3))
        yield opened


def test_processes_share_one_server_and_see_each_others_writes(folder: Path, store: Store) -> None:
    code = "s.update('INSERT DATA { GRAPH <http://g/2> { <http://a> <http://b> <http://c> } }')"
    with user(folder, f"{code}\nprint(len(s.select('SELECT * {{?s ?p ?o}}')))") as other:
        assert other.stdout and other.stdout.readline() == "4\n"
    assert count(store) == 4
    assert sum("oxigraph serve " in command for command in processes(folder).values()) == 1


def test_starting_at_once_yields_one_supervisor(folder: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: open_embedded(folder, deadline=10), range(6)))
    until(lambda: len(processes(folder)) == 2)
    for opened in stores:
        assert count(opened) == 0
        opened.close()
    until(lambda: not processes(folder))


def test_it_goes_with_its_last_user_even_a_killed_one(folder: Path) -> None:
    with user(folder, "print('in', flush=True)\ntime.sleep(60)") as one:
        assert one.stdout and one.stdout.readline() == "in\n"
        with open_embedded(folder, deadline=10):
            one.send_signal(signal.SIGKILL)
            one.wait()
            time.sleep(0.3)
            assert len(processes(folder)) == 2
    until(lambda: not processes(folder))


def test_an_interrupt_of_the_terminal_does_not_reach_it(folder: Path) -> None:
    with user(folder, "print('in', flush=True)\ntime.sleep(60)") as one:
        assert one.stdout and one.stdout.readline() == "in\n"
        groups = {os.getsid(number) for number in processes(folder) if number != one.pid}
        assert os.getsid(one.pid) not in groups


@pytest.mark.parametrize("what", ["oxigraph serve ", "queries.store.supervisor"])
def test_a_killed_process_is_back_within_a_second_or_so(
    folder: Path, store: Store, what: str
) -> None:
    for _ in range(3):
        os.kill(pid(folder, what), signal.SIGKILL)
        time.sleep(0.2)  # until then its server may still answer
        start = time.monotonic()
        assert count(store) == 3
        assert time.monotonic() - start < 3
    assert len(processes(folder)) == 2


def test_acknowledged_writes_survive_the_death_of_everything(folder: Path, store: Store) -> None:
    for number in range(50):
        store.update(f"INSERT DATA {{ GRAPH {G} {{ <http://n/{number}> <http://p> 1 }} }}")
    kill_all(folder)
    assert count(store) == 53


def test_a_write_that_a_restart_interrupts_is_repeated(folder: Path, store: Store) -> None:
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(store.put_graph, G, statements(25_000))
        time.sleep(0.5)
        os.kill(pid(folder, "oxigraph serve "), signal.SIGKILL)
        writing.result()
    rows = store.select("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").rows
    assert [str(row[0]).split("^")[0] for row in rows] == ['"25000"']


def test_a_query_inside_that_outlives_its_deadline_is_ended(folder: Path, store: Store) -> None:
    store.put_graph(G, statements(2000))
    server = pid(folder, "oxigraph serve ")
    start = time.monotonic()
    with pytest.raises(StoreTimeout):
        store.select(CROSS, deadline=0.5)
    assert time.monotonic() - start < 1.5
    assert len(store.select("SELECT * { ?s ?p ?o } LIMIT 5")) == 5
    until(lambda: server not in processes(folder))


@pytest.mark.parametrize("query", [CROSS, f"{CROSS} ORDER BY ?n", "SELECT * {?a ?b ?c. ?d ?e ?f}"])
def test_an_outside_query_that_runs_on_is_ended_alone(
    folder: Path, store: Store, query: str
) -> None:
    store.put_graph(G, statements(4000))
    server = pid(folder, "oxigraph serve ")
    start = time.monotonic()
    with pytest.raises(StoreTimeout):
        for _ in store.query_raw(query, TSV, deadline=1).chunks:
            assert store.ask("ASK { ?s ?p ?o }")
    assert time.monotonic() - start < 2.5
    assert pid(folder, "oxigraph serve ") == server
    assert b"".join(store.query_raw("SELECT (1 AS ?x) {}", TSV).chunks) == b"?x\n1\n"


@pytest.mark.parametrize("query", [DOUBLING, PARENTHESES])
def test_an_outside_query_that_wants_all_memory_is_refused(
    folder: Path, store: Store, query: str
) -> None:
    server = pid(folder, "oxigraph serve ")
    with pytest.raises(QueryRefused, match="memory"):
        store.query_raw(query, TSV)
    assert pid(folder, "oxigraph serve ") == server
    assert b"".join(store.query_raw("SELECT (1 AS ?x) {}", TSV).chunks) == b"?x\n1\n"


def test_a_malformed_outside_query_is_its_writers_fault(store: Store) -> None:
    for _ in range(3):
        with pytest.raises(QueryRefused, match="1:") as caught:
            store.query_raw("SELECT *", TSV)
        assert caught.value.status == 400


def test_outside_queries_see_every_write_before_them(store: Store) -> None:
    for number in range(4, 10):
        store.update(f"INSERT DATA {{ GRAPH {G} {{ <http://n/{number}> <http://p> 1 }} }}")
        rows = b"".join(store.query_raw("SELECT * { ?s ?p ?o }", TSV).chunks)
        assert rows.count(b"\n") == number + 1


def test_a_reply_that_nobody_reads_on_frees_its_server(folder: Path, store: Store) -> None:
    store.put_graph(G, statements(3000))
    for _ in range(6):
        reply = store.query_raw("SELECT * { ?a ?b ?c . ?d ?e ?f }", TSV)
        assert next(iter(reply.chunks))
        reply.close()
    until(lambda: not any("read-only" in command for command in processes(folder).values()))


def test_it_lies_as_deep_as_wanted(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a" * 60] * 5)
    with open_embedded(deep, deadline=10) as store, open_embedded(deep, deadline=10) as other:
        store.put_graph(G, statements(2))
        assert count(other) == 2


def test_what_a_crash_left_behind_is_no_trouble(folder: Path) -> None:
    with open_embedded(folder, deadline=10) as store:
        store.put_graph(G, statements(2))
        kill_all(folder)
        until(lambda: not processes(folder))
        assert (folder / "supervisor.sock").exists()
    with open_embedded(folder, deadline=10) as store:
        assert count(store) == 2


def test_a_folder_that_cannot_be_one_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match=r"file.*cannot be written.*ASKONTO_DATA"):
        open_embedded(tmp_path / "file", deadline=10)


def test_it_listens_on_loopback_only(folder: Path, store: Store) -> None:
    assert store.ask("ASK {}")
    command = processes(folder)[pid(folder, "oxigraph serve ")]
    assert "--bind 127.0.0.1:" in command


def test_threads_share_one_store(store: Store) -> None:
    def work(number: int) -> int:
        graph = NamedNode(f"http://example.org/{number}")
        for _ in range(20):
            store.put_graph(graph, statements(5))
        return len(store.select(f"SELECT * {{ GRAPH {graph} {{ ?s ?p ?o }} }}"))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [5] * 8
