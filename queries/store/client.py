"""The client of any SPARQL 1.1 store."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import httpx
from pyoxigraph import NamedNode, Triple

from queries.store import results
from queries.store.building import Building
from queries.store.endpoints import Endpoints
from queries.store.errors import (
    QueryRefused,
    StoreError,
    StoreRefused,
    StoreTimeout,
    StoreUnavailable,
)
from queries.store.replies import check
from queries.store.results import Solutions

WRITE_SECONDS = 3600.0
_ATTEMPTS = 3
_CONNECT_SECONDS = 5.0


class Engine(Protocol):
    """Where the store is, and what to do when it does not answer."""

    def endpoints(self) -> Endpoints:
        """Where it listens now."""

    def recover(self, seen: Endpoints, error: StoreError) -> None:
        """Wait until it can be tried again after it failed at `seen`; else raise the error."""

    def overdue(self, seen: Endpoints) -> None:
        """Told that a call to `seen` has outlived its deadline and may still be running."""

    def outside(self, seconds: float) -> AbstractContextManager[Endpoints]:
        """Where to send one query from outside, which may take `seconds` and then is ended."""

    def building(self) -> AbstractContextManager[Building | None]:
        """A new database beside the store's own; None where there can be none."""

    def replace(self, building: Building) -> None:
        """Put that database in the place of the store's own, in one step."""

    def compact(self) -> None:
        """Give back the disk space of what is no more, where that is ours to do."""

    def close(self) -> None:
        """Let go of the store."""


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP request to a store; `address` names the field of Endpoints it goes to."""

    address: str
    content: bytes | Iterable[bytes]
    content_type: str
    accept: str = "*/*"
    method: str = "POST"
    encoding: str = ""
    parameters: Sequence[tuple[str, str]] = ()


class _Abandoned(Exception):
    """Closes what a reply holds as unfinished."""


class RawReply:
    """A reply handed on as it comes: its media type, and its bytes until the deadline."""

    def __init__(self, response: httpx.Response, until: float, resources: ExitStack) -> None:
        self.content_type: str = response.headers.get("content-type", "")
        self.chunks = _closing_chunks(response, until, resources)
        self._resources = resources

    def close(self) -> None:
        """End the query, whether or not all was read."""
        with suppress(_Abandoned), self._resources:
            raise _Abandoned


class Store:
    """A store behind SPARQL 1.1; thread-safe; each call ends by its deadline.

    An update or graph write that a failing connection interrupts is repeated, so what is written
    must be the same when written twice (no blank nodes in INSERT DATA, no counters).
    """

    def __init__(self, engine: Engine, *, deadline: float) -> None:
        self.engine = engine
        self.deadline = deadline
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=32)
        self._http = httpx.Client(
            limits=limits,
            trust_env=False,
            verify=_certificates(engine.endpoints()),
            headers={"Accept-Encoding": "identity"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and let go of the store."""
        self._http.close()
        self.engine.close()

    def select(self, sparql: str, *, deadline: float | None = None) -> Solutions:
        """The rows of a SELECT."""
        return results.solutions(*self._query(sparql, results.ACCEPT_ROWS, deadline))

    def ask(self, sparql: str, *, deadline: float | None = None) -> bool:
        """The answer of an ASK."""
        return results.boolean(*self._query(sparql, results.ACCEPT_BOOLEAN, deadline))

    def construct(self, sparql: str, *, deadline: float | None = None) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE."""
        return results.triples(*self._query(sparql, results.ACCEPT_TRIPLES, deadline))

    def update(self, sparql: str, *, deadline: float | None = None) -> None:
        """Run an update request: all of it or nothing."""
        call = Call("update", _encoded(sparql), "application/sparql-update")
        self._send(call, deadline or WRITE_SECONDS)

    def put_graph(
        self, graph: NamedNode, ntriples: bytes, *, deadline: float | None = None
    ) -> None:
        """Replace a graph by the N-Triples in one step; readers see the old or the new one."""
        self._write("PUT", graph, ntriples, deadline)

    def bulk_graph(
        self, graph: NamedNode, ntriples: bytes, *, deadline: float | None = None
    ) -> None:
        """Load the N-Triples into a graph that does not exist yet, the store's fastest way."""
        bulk = self.engine.endpoints().bulk
        self._write("POST", graph, ntriples, deadline, ((bulk, ""),) if bulk else ())

    def delete_graph(self, graph: NamedNode, *, deadline: float | None = None) -> None:
        """Remove a graph, whether or not it exists."""
        self.update(f"DROP SILENT GRAPH {graph}", deadline=deadline)

    def query_raw(
        self,
        sparql: str,
        accept: str,
        *,
        deadline: float | None = None,
        default_graphs: Sequence[str] = (),
        named_graphs: Sequence[str] = (),
    ) -> RawReply:
        """The reply to a query from outside, in a format of `accept`; the guard comes before."""
        seconds = deadline or self.deadline
        with ExitStack() as stack:
            endpoints = stack.enter_context(self.engine.outside(seconds))
            parameters = [
                *(("default-graph-uri", graph) for graph in default_graphs),
                *(("named-graph-uri", graph) for graph in named_graphs),
                *endpoints.within(seconds),
            ]
            call = _query_call(sparql, accept, parameters)
            until = time.monotonic() + seconds
            stack.enter_context(_writers_faults())
            response = stack.enter_context(self.exchange(endpoints, call, until))
            return RawReply(response, until, stack.pop_all())

    def update_raw(
        self,
        sparql: str,
        *,
        deadline: float,
        using: Sequence[str] = (),
        using_named: Sequence[str] = (),
    ) -> None:
        """Run an update from outside once: it may not be the same when written twice."""
        parameters = [
            *(("using-graph-uri", graph) for graph in using),
            *(("using-named-graph-uri", graph) for graph in using_named),
        ]
        content = _encoded(sparql)
        call = Call("update", content, "application/sparql-update", parameters=parameters)
        seen = self.engine.endpoints()
        try:
            with _writers_faults(), self.exchange(seen, call, time.monotonic() + deadline):
                return
        except StoreTimeout:
            self.engine.overdue(seen)
            raise

    def _query(self, sparql: str, accept: str, deadline: float | None) -> tuple[bytes, str]:
        return self._send(_query_call(sparql, accept), deadline or self.deadline)

    def _write(
        self,
        method: str,
        graph: NamedNode,
        ntriples: bytes,
        deadline: float | None,
        parameters: Sequence[tuple[str, str]] = (),
    ) -> None:
        call = Call(
            "data",
            ntriples,
            "application/n-triples",
            method=method,
            parameters=(("graph", graph.value), *parameters),
        )
        self._send(call, deadline or WRITE_SECONDS)

    def _send(self, call: Call, seconds: float) -> tuple[bytes, str]:
        """The body and media type of the reply, after as many tries as may help."""
        until = time.monotonic() + seconds
        attempts = 0
        while True:
            attempts += 1
            seen = self.engine.endpoints()
            try:
                with self.exchange(seen, call, until) as response:
                    body = b"".join(_chunks(response, until))
                    return body, response.headers.get("content-type", "")
            except StoreTimeout:
                self.engine.overdue(seen)
                raise
            except StoreUnavailable as error:
                if attempts == _ATTEMPTS or time.monotonic() >= until:
                    raise
                self.engine.recover(seen, error)

    @contextmanager
    def exchange(self, endpoints: Endpoints, call: Call, until: float) -> Iterator[httpx.Response]:
        """One request and the head of its reply, with httpx's errors as the store's."""
        left = max(until - time.monotonic(), 0.01)
        headers = {"Content-Type": call.content_type, "Accept": call.accept}
        if call.encoding:
            headers["Content-Encoding"] = call.encoding
        with (
            _store_errors(left),
            self._http.stream(
                call.method,
                getattr(endpoints, call.address),
                params=list(call.parameters) or None,
                content=call.content,
                headers=headers,
                auth=(endpoints.user, endpoints.password) if endpoints.user else None,
                timeout=httpx.Timeout(left, connect=min(left, _CONNECT_SECONDS)),
            ) as response,
        ):
            check(response)
            yield response


def _certificates(endpoints: Endpoints) -> ssl.SSLContext | bool:
    """Whose certificates are believed: reading them takes 0.2 s, so only where there is TLS."""
    encrypted = endpoints.query.startswith("https:") or endpoints.update.startswith("https:")
    return encrypted or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@contextmanager
def _store_errors(seconds: float) -> Iterator[None]:
    try:
        yield
    except httpx.ConnectTimeout as error:
        raise StoreUnavailable("it cannot be reached", name="store") from error
    except httpx.TimeoutException as error:
        raise StoreTimeout(f"no answer within {seconds:.0f} s", name="store") from error
    except httpx.TransportError as error:
        raise StoreUnavailable(f"the connection failed ({error})", name="store") from error


@contextmanager
def _writers_faults() -> Iterator[None]:
    """What a store refuses of a query from outside is for the query's writer to mend."""
    try:
        yield
    except StoreRefused as error:
        if error.status in {401, 403, 404}:
            raise
        raise QueryRefused(error.reason, status=error.status, name="query") from error


def _chunks(response: httpx.Response, until: float) -> Iterator[bytes]:
    for chunk in response.iter_bytes():
        if time.monotonic() > until:
            raise StoreTimeout("its answer was not complete by the deadline", name="store")
        yield chunk


def _closing_chunks(
    response: httpx.Response, until: float, resources: ExitStack
) -> Iterator[bytes]:
    with resources:
        yield from _chunks(response, until)


def _query_call(sparql: str, accept: str, parameters: Sequence[tuple[str, str]] = ()) -> Call:
    return Call(
        "query", _encoded(sparql), "application/sparql-query", accept, parameters=parameters
    )


def _encoded(sparql: str) -> bytes:
    """UTF-8 of the request; a lone surrogate, which UTF-8 has not, becomes a question mark."""
    return sparql.encode("utf-8", "replace")
