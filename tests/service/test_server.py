"""The service as a process: its port, its stop, its workers, and what other processes load."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from pyoxigraph import RdfFormat, parse
from SPARQLWrapper import JSON, POST, TURTLE, SPARQLWrapper

ASKONTO = [sys.executable, "-m", "service.cli.main"]
Serve = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKONTO_")}
    return {**kept, "ASKONTO_DATA": str(tmp_path / "data"), "ASKONTO_QUERY_SECONDS": "3"}


@contextmanager
def served(
    environment: dict[str, str], **settings: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running service and its address."""
    process = subprocess.Popen(
        [*ASKONTO, "serve", "--port", "0"],
        env={**environment, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        found = re.search(r"http://\S+(?=/)", process.stdout.readline())
        assert found, process.stderr and process.stderr.read()
        yield process, found[0]
    finally:
        process.terminate()
        process.communicate(timeout=40)


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ASKONTO, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_taken_port_is_one_line_with_the_mend(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run(environment, "serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "--port" in done.stderr


def test_what_another_process_loads_is_known_at_the_next_question(
    environment: dict[str, str], tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The Quillon valve is opened by hand every second Tuesday of the month.\n")
    asked = {"question": "When is the Quillon valve opened?"}
    with served(environment) as (_, url):
        before = httpx.post(f"{url}/ask", json=asked, timeout=60).json()
        assert run(environment, "load", str(note)).returncode == 0
        after = httpx.post(f"{url}/ask", json=asked, timeout=60).json()
        assert run(environment, "unload", str(note)).returncode == 0
        gone = httpx.post(f"{url}/ask", json=asked, timeout=60).json()
    assert "Tuesday" not in before["answer"]
    assert "Tuesday" in after["answer"]
    assert after["citations"][0]["quote"] in note.read_text()
    assert "Tuesday" not in gone["answer"]


def test_the_first_questions_of_the_readme_run(environment: dict[str, str]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (python,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (curl,) = re.findall(r"```sh\n(curl .*?)```", readme, re.DOTALL)
    with served(environment) as (_, url):
        for command in ([sys.executable, "-c", python], ["sh", "-c", curl]):
            here = [word.replace("http://127.0.0.1:8000", url) for word in command]
            done = subprocess.run(here, capture_output=True, text=True, timeout=60, check=True)
            assert done.stdout.strip()


def test_an_independent_client_reads_the_graph(environment: dict[str, str], sample: Path) -> None:
    assert run(environment, "load", str(sample / "graph.ttl")).returncode == 0
    with served(environment) as (_, url):
        client = SPARQLWrapper(f"{url}/sparql")
        client.setReturnFormat(JSON)
        client.setQuery("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
        by_get = client.queryAndConvert()
        client.setMethod(POST)
        by_post = client.queryAndConvert()
        client.setQuery("CONSTRUCT WHERE { ?s ?p ?o } LIMIT 5")
        client.setReturnFormat(TURTLE)
        turtle = client.query().response.read()
    assert by_get == by_post
    assert len(list(parse(turtle, format=RdfFormat.TURTLE))) == 5


def test_two_workers_answer_alike(environment: dict[str, str], sample: Path) -> None:
    assert run(environment, "load", str(sample / "graph.ttl")).returncode == 0
    query = {"query": "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"}
    with served(environment, ASKONTO_WORKERS="2") as (_, url):
        replies = [httpx.get(f"{url}/sparql", params=query, timeout=30) for _ in range(40)]
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.text for reply in replies}) == 1


def test_questions_are_answered_beside_queries_without_end(environment: dict[str, str]) -> None:
    endless = (
        "SELECT (COUNT(*) AS ?n) { VALUES ?a { 1 2 3 4 5 6 7 8 9 } "
        + " ".join(f"VALUES ?v{n} {{ 1 2 3 4 5 6 7 8 9 }}" for n in range(12))
        + " }"
    )
    statuses: list[int] = []

    def outside(url: str) -> None:
        reply = httpx.post(f"{url}/sparql", data={"query": endless}, timeout=60)
        statuses.append(reply.status_code)

    with served(environment) as (_, url):
        httpx.post(f"{url}/ask", json={"question": "Warm?"}, timeout=60)
        threads = [threading.Thread(target=outside, args=(url,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        start = time.monotonic()
        reply = httpx.post(f"{url}/ask", json={"question": "Who is there?"}, timeout=60)
        spent = time.monotonic() - start
        for thread in threads:
            thread.join()
        after = httpx.get(f"{url}/sparql", params={"query": "ASK {}"}, timeout=30)
    assert reply.status_code == 200
    assert spent < 2.5
    assert set(statuses) <= {503, 504}
    assert after.status_code == 200


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_everything_that_was_started(
    environment: dict[str, str], stop: signal.Signals
) -> None:
    with served(environment) as (process, url):
        assert httpx.get(f"{url}/health", timeout=10).status_code == 200
        process.send_signal(stop)
        assert process.wait(timeout=20) == 0
        _, told = process.communicate()
        assert "Traceback" not in told
        until = time.monotonic() + 10
        while left := processes_of(Path(environment["ASKONTO_DATA"])):
            assert time.monotonic() < until, left
            time.sleep(0.1)


def test_a_line_that_is_too_long_is_a_problem(environment: dict[str, str]) -> None:
    with served(environment) as (_, url):
        reply = httpx.get(f"{url}/sparql?query={'x' * 9000}", timeout=10)
    assert (reply.status_code, reply.headers["content-type"]) == (414, "application/problem+json")


TOKEN = "a-token-of-the-tests"
WRITE = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/n-triples"}
GRAPH = "/graphs?graph=http://g.test/notes"
LINES = b"".join(b"<http://g.test/%06d> <http://g.test/p> 1 .\n" % n for n in range(100))


@pytest.mark.parametrize(
    "told", [b"Content-Length: %d\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n%x\r\n"]
)
def test_a_body_whose_sender_dies_on_the_way_changes_nothing(
    environment: dict[str, str], told: bytes
) -> None:
    with served(environment, ASKONTO_WRITE_TOKEN=TOKEN) as (_, url):
        head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "x", **WRITE}.items())
        with socket.create_connection((httpx.URL(url).host, httpx.URL(url).port or 80)) as sender:
            sender.sendall(f"PUT {GRAPH} HTTP/1.1\r\n{head}".encode() + told % len(LINES))
            sender.sendall(LINES[: LINES.index(b"\n", 2000) + 1])
            sender.shutdown(socket.SHUT_WR)
            reply = sender.recv(100)
        assert reply.startswith(b"HTTP/1.1 400")
        assert httpx.get(url + GRAPH, timeout=10).status_code == 404


def test_a_body_over_the_limit_is_refused_though_its_length_was_not_told(
    environment: dict[str, str],
) -> None:
    limit = len(LINES)
    with served(environment, ASKONTO_WRITE_TOKEN=TOKEN, ASKONTO_BODY_BYTES=str(limit)) as (_, url):

        def put(*pieces: bytes) -> int:
            return httpx.put(url + GRAPH, content=iter(pieces), headers=WRITE).status_code

        assert put(LINES, LINES) == 413
        assert httpx.get(url + GRAPH, timeout=10).status_code == 404
        assert put(LINES[:1000], LINES[1000:]) == 201
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        asked = iter([b"query=ASK{}%20%23", b"x" * limit])
        assert httpx.post(f"{url}/sparql", content=asked, headers=form).status_code == 413


def processes_of(folder: Path) -> list[str]:
    """The command lines that name the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in line:
            found.append(line)
    return found
