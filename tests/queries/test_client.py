"""The client against servers that misbehave: each fault is a typed error within the deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology.vocabulary import XSD
from queries.store import Store, open_remote
from queries.store.endpoints import Endpoints
from queries.store.errors import (
    QueryRefused,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreTimeout,
    StoreUnavailable,
)

TSV = "text/tab-separated-values"
Answer = Callable[[BaseHTTPRequestHandler], None]


class Script:
    """A server that answers each request by the next step; the last step is repeated."""

    def __init__(self) -> None:
        self.steps: list[Answer] = []
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                script.requests.append((self.command, self.path, dict(self.headers), body))
                step = script.steps.pop(0) if len(script.steps) > 1 else script.steps[0]
                step(self)

            do_PUT = do_GET = do_POST  # noqa: N815 - names that http.server looks for

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/ds"


def says(status: int, body: str = "", kind: str = "text/plain", **headers: str) -> Answer:
    def step(handler: BaseHTTPRequestHandler) -> None:
        data = body.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return step


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def is_slow(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(3)
    handler.close_connection = True


def drips(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", TSV)
    handler.end_headers()
    handler.close_connection = True
    for _ in range(30):
        try:
            handler.wfile.write(b"?x\n")
            time.sleep(0.1)
        except OSError:
            return


@pytest.fixture
def script() -> Iterator[Script]:
    script = Script()
    thread = threading.Thread(target=script.server.serve_forever, args=(0.02,))
    thread.start()
    yield script
    script.server.shutdown()
    thread.join()
    script.server.server_close()


@pytest.fixture
def store(script: Script) -> Iterator[Store]:
    endpoints = Endpoints.from_base(script.url, user="writer", password="geheim")
    with open_remote(endpoints, deadline=1) as store:
        yield store


ROWS = says(200, "?x\n1\n", TSV)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (says(400, "Parse error at 1:3"), StoreRefused),
        (says(401), StoreRefused),
        (says(404, "<html><b>No</b></html>", "text/html"), StoreRefused),
        (says(413), StoreRefused),
        (says(500, "boom"), StoreError),
        (says(500, "No space left on device"), StoreFull),
        (says(503, "Query timed out"), StoreTimeout),
        (says(503, "starting", Retry_After="3600"), StoreUnavailable),
        (says(504), StoreTimeout),
        (says(200, "<html>Welcome</html>", "text/html"), StoreError),
        (says(200, "", TSV + ";x"), None),
        (says(200, "not a result", TSV), StoreError),
        (says(200, "{", "application/sparql-results+json"), StoreError),
        (says(204), StoreError),
        (hangs_up, StoreUnavailable),
        (is_slow, StoreTimeout),
        (drips, StoreTimeout),
    ],
)
def test_each_fault_is_a_typed_error_by_the_deadline(
    script: Script, store: Store, answer: Answer, kind: type[StoreError] | None
) -> None:
    script.steps = [answer]
    start = time.monotonic()
    if kind is None:
        assert len(store.select("SELECT * {}")) == 0
        return
    with pytest.raises(kind) as caught:
        store.select("SELECT * {}")
    assert time.monotonic() - start < 3
    assert "geheim" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "<" not in str(caught.value)
    script.steps = [ROWS]
    assert store.select("SELECT * {}").rows == [(Literal("1", datatype=XSD.integer),)]


def test_a_store_that_is_gone_for_a_moment_is_tried_again(script: Script, store: Store) -> None:
    script.steps = [hangs_up, says(503), ROWS]
    assert len(store.select("SELECT * {}", deadline=5)) == 1


def test_an_interrupted_write_is_repeated(script: Script, store: Store) -> None:
    script.steps = [hangs_up, says(204)]
    store.update("INSERT DATA {}")
    assert [request[3] for request in script.requests] == [b"INSERT DATA {}"] * 2


def test_an_address_where_nobody_is_says_so() -> None:
    endpoints = Endpoints.from_base("http://127.0.0.1:9/ds")
    with (
        open_remote(endpoints, deadline=5) as store,
        pytest.raises(StoreUnavailable, match=r"store: the connection failed"),
    ):
        store.ask("ASK {}")


def test_everything_is_sent_in_a_body_with_the_users_name(script: Script, store: Store) -> None:
    script.steps = [ROWS]
    store.select("SELECT * {} #" + "x" * 5000)
    script.steps = [says(204)]
    store.update("INSERT DATA {}")
    store.put_graph(NamedNode("http://e/?a&b=c#d"), b"")
    paths = [(method, path) for method, path, _, _ in script.requests]
    assert paths == [
        ("POST", "/ds/sparql"),
        ("POST", "/ds/update"),
        ("PUT", "/ds/data?graph=http%3A%2F%2Fe%2F%3Fa%26b%3Dc%23d"),
    ]
    assert {request[2]["Authorization"][:6] for request in script.requests} == {"Basic "}


def test_terms_are_typed(script: Script, store: Store) -> None:
    row = '<http://e/a>\t_:b\t"à \\"b\\"\\n"@it\t5\t\n'
    script.steps = [says(200, f"?a\t?b\t?c\t?d\t?e\n{row}", TSV)]
    found = store.select("SELECT * {}")
    assert found.variables == ("a", "b", "c", "d", "e")
    assert found.rows == [
        (
            NamedNode("http://e/a"),
            BlankNode("b"),
            Literal('à "b"\n', language="it"),
            Literal("5", datatype=XSD.integer),
            None,
        )
    ]


def test_json_is_read_where_a_store_has_no_tsv(script: Script, store: Store) -> None:
    body = (
        '{"head":{"vars":["x","y"]},"results":{"bindings":'
        '[{"x":{"type":"literal","xml:lang":"it","value":"a"}}]}}'
    )
    script.steps = [says(200, body, "application/sparql-results+json;charset=utf-8")]
    assert store.select("SELECT * {}").rows == [(Literal("a", language="it"), None)]


def test_truth_and_triples_are_typed(script: Script, store: Store) -> None:
    script.steps = [says(200, '{"head":{},"boolean":true}', "application/sparql-results+json")]
    assert store.ask("ASK {}") is True
    with pytest.raises(StoreError):
        store.select("SELECT * {}")
    script.steps = [says(200, "<http://a> <http://b> <http://c> .", "application/n-triples")]
    names = [NamedNode(f"http://{name}") for name in "abc"]
    assert store.construct("CONSTRUCT WHERE {}") == [Triple(*names)]


def test_an_outside_query_that_is_wrong_is_its_writers_fault(script: Script, store: Store) -> None:
    script.steps = [says(400, "Parse error at 1:3")]
    with pytest.raises(QueryRefused, match="query: Parse error at 1:3"):
        store.query_raw("SELECT", TSV)
    script.steps = [says(401)]
    with pytest.raises(StoreRefused, match="password") as caught:
        store.query_raw("SELECT", TSV)
    assert not isinstance(caught.value, QueryRefused)


def test_an_outside_query_carries_its_dataset_and_its_deadline(
    script: Script, store: Store
) -> None:
    script.steps = [ROWS]
    reply = store.query_raw(
        "SELECT",
        TSV,
        default_graphs=["http://e/a"],
        named_graphs=["http://e/b", "http://e/c"],
        deadline=2.5,
    )
    assert b"".join(reply.chunks) == b"?x\n1\n"
    reply.close()
    assert script.requests[0][1].partition("?")[2] == (
        "default-graph-uri=http%3A%2F%2Fe%2Fa"
        "&named-graph-uri=http%3A%2F%2Fe%2Fb&named-graph-uri=http%3A%2F%2Fe%2Fc&timeout=3%2C3"
    )


def test_a_lone_surrogate_breaks_nothing(script: Script, store: Store) -> None:
    script.steps = [ROWS]
    assert len(store.select("SELECT * { ?s ?p '\ud800' }")) == 1
