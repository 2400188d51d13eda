"""What is wrong with a store that runs elsewhere is said in one line, with the mend."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from queries.store import Store, open_remote, whole
from queries.store.endpoints import Endpoints
from queries.store.errors import StoreError, StoreRefused, StoreUnavailable
from queries.store.process import binary, free_port
from queries.store.startup import check_reading, check_writing

FILL = "INSERT DATA { GRAPH <http://e.org/g> { <http://e.org/a> <http://e.org/p> 1 } }"
BASE = "http://example.org/data/"


def fault(endpoints: Endpoints) -> StoreError:
    with open_remote(endpoints, deadline=5) as store, pytest.raises(StoreError) as raised:
        check_reading(store)
        check_writing(store, BASE)
    assert "\n" not in str(raised.value)
    return raised.value


@contextmanager
def oxigraph(command: str, *arguments: str) -> Iterator[Endpoints]:
    port = free_port()
    call = [binary(), command, "--bind", f"127.0.0.1:{port}", *arguments]
    with subprocess.Popen(call, stderr=subprocess.DEVNULL) as process:
        endpoints = Endpoints.from_oxigraph(f"http://127.0.0.1:{port}", start=0)
        with open_remote(endpoints, deadline=5) as store:
            wait(store)
        yield endpoints
        process.terminate()


def wait(store: Store) -> None:
    for _ in range(50):
        try:
            store.ask("ASK {}")
        except StoreUnavailable:
            time.sleep(0.1)
        else:
            return


@contextmanager
def answering(status: int, content_type: str, body: bytes) -> Iterator[Endpoints]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Endpoints.from_base(f"http://127.0.0.1:{server.server_port}/any")
        server.shutdown()


def test_a_good_store_passes_and_nothing_is_left(any_store: Store) -> None:
    check_reading(any_store)
    check_writing(any_store, BASE)
    assert whole.count(any_store) == 0
    any_store.update(FILL)
    check_reading(any_store)
    check_writing(any_store, BASE)
    assert whole.count(any_store) == 1


def test_a_wrong_address_names_it_and_the_setting(fuseki: Endpoints) -> None:
    nobody = Endpoints.from_base(f"http://127.0.0.1:{free_port()}/askonto")
    other = Endpoints.from_base(fuseki.query.replace("askonto/sparql", "other"))
    nowhere = Endpoints.from_base("http://nowhere.invalid/askonto")
    for endpoints in (nobody, other, nowhere):
        told = str(fault(endpoints))
        assert endpoints.query in told
        assert "ASKONTO_STORE" in told


def test_a_wrong_password_is_told_before_anything_is_written(fuseki: Endpoints) -> None:
    for user, password in (("askonto", "wrong"), ("", "")):
        error = fault(replace(fuseki, user=user, password=password))
        assert isinstance(error, StoreRefused)
        assert "ASKONTO_STORE_PASSWORD" in error.mend
        assert "wrong" not in str(error)


def test_a_store_that_is_read_only_is_told(fuseki: Endpoints, tmp_path: Path) -> None:
    missing = replace(fuseki, data=f"{fuseki.data}-none", update=f"{fuseki.update}-none")
    assert "read-only" in str(fault(missing))
    with oxigraph("serve", "--location", str(tmp_path / "db"), "--union-default-graph"):
        pass
    with oxigraph(
        "serve-read-only", "--location", str(tmp_path / "db"), "--union-default-graph"
    ) as endpoints:
        assert "cannot be written" in str(fault(endpoints))


def test_another_default_graph_is_told_in_an_empty_store_and_a_filled_one() -> None:
    with oxigraph("serve") as endpoints:
        assert "union" in str(fault(endpoints))
        with open_remote(endpoints, deadline=5) as store:
            assert whole.count(store) == 0
            store.update(FILL)
            with pytest.raises(StoreError, match="union"):
                check_reading(store)


@pytest.mark.parametrize(
    ("status", "content_type", "body", "words"),
    [
        (200, "text/html", b"<html>Welcome</html>", "Check ASKONTO_STORE"),
        (200, "application/json", b"{}", "Check ASKONTO_STORE"),
        (404, "text/html", b"<html>none</html>", "no SPARQL endpoint"),
        (405, "text/plain", b"no", "no SPARQL endpoint"),
        (401, "text/plain", b"who", "ASKONTO_STORE_USER"),
        (200, "application/sparql-results+json", b'{"head":{},"boolean":false}', "SPARQL 1.1"),
        (503, "text/plain", b"starting", "Does the store run there?"),
    ],
)
def test_what_is_no_store_is_told(status: int, content_type: str, body: bytes, words: str) -> None:
    with answering(status, content_type, body) as endpoints:
        assert words in str(fault(endpoints))


def test_serving_and_asking_end_with_one_line(fuseki: Endpoints, tmp_path: Path) -> None:
    settings = {
        "ASKONTO_DATA": str(tmp_path / "data"),
        "ASKONTO_STORE": fuseki.query.removesuffix("/sparql"),
        "ASKONTO_STORE_USER": fuseki.user,
        "ASKONTO_STORE_PASSWORD": "wrong",
    }
    for arguments, change in (
        (["serve", "--port", "0"], {}),
        (["ask", "What?"], {"ASKONTO_STORE": f"http://127.0.0.1:{free_port()}/askonto"}),
    ):
        command = [sys.executable, "-m", "service.cli.main", *arguments]
        done = subprocess.run(
            command, env={**settings, **change}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert "ASKONTO_STORE" in done.stderr
