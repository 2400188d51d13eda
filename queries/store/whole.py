"""A store as one: all its graphs read and replaced in one step, and its disk space given back."""

from __future__ import annotations

import dataclasses
import itertools
import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from queries.store.client import WRITE_SECONDS, Call, RawReply, Store
from queries.store.endpoints import Endpoints
from queries.store.errors import StoreError, StoreRefused
from queries.store.results import ACCEPT_BOOLEAN

QUADS = "application/n-quads"
COUNT = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"
_OTHER_WAYS = "Use the store's own tools"
_POLL_SECONDS = 0.5
_GZIP = 16 + zlib.MAX_WBITS
_FAST = 1
_DELETE_OLD = (("deleteOld", "true"),)


def count(store: Store) -> int:
    """How many statements its named graphs hold; counting takes 0.5 s a million."""
    rows = store.select(COUNT, deadline=WRITE_SECONDS).rows
    return int(getattr(rows[0][0], "value", 0))


def quads(store: Store) -> RawReply:
    """All graphs as N-Quads as they come, those of one moment; a StoreRefused where it cannot."""
    call = Call("data", b"", QUADS, accept=QUADS, method="GET")
    with ExitStack() as stack:
        until = time.monotonic() + WRITE_SECONDS
        response = stack.enter_context(store.exchange(store.engine.endpoints(), call, until))
        reply = RawReply(response, until, stack.pop_all())
    if reply.content_type.partition(";")[0].strip() != QUADS:
        reply.close()
        raise StoreRefused(
            "it does not give all its graphs as N-Quads at once", name="store", mend=_OTHER_WAYS
        )
    return reply


def replace(store: Store, parts: Iterable[bytes], whole: Callable[[int], None]) -> None:
    """Replace all graphs by N-Quads in one step; when anything fails, or `parts` raises, nothing.

    The embedded store gets a new database, made beside the old one: `whole` is told how many
    statements it holds before it takes the old one's place, and may raise.
    """
    with store.engine.building() as building:
        if building is None:
            _put(store, parts)
            return
        building.fill(parts)
        whole(building.count())
        store.engine.replace(building)


def compact(store: Store) -> None:
    """Give back the disk space of what is no more; returns when it is done."""
    endpoints = store.engine.endpoints()
    if not endpoints.compact:
        store.engine.compact()
        return
    try:
        task = _json(store, endpoints, Call("compact", b"", "", parameters=_DELETE_OLD))
    except StoreRefused as error:
        if error.status in {401, 403}:
            raise
        raise StoreRefused(
            f"offers no compaction at {endpoints.compact} ({error.status})",
            name="store",
            mend=_OTHER_WAYS,
        ) from error
    there = dataclasses.replace(endpoints, tasks=f"{endpoints.tasks}/{task['taskId']}")
    until = time.monotonic() + WRITE_SECONDS
    while "finished" not in task and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
        task = _json(store, there, Call("tasks", b"", "", method="GET"))
    if not task.get("success"):
        raise StoreError("its compaction did not succeed", name="store", mend="See the store's log")


def _put(store: Store, parts: Iterable[bytes]) -> None:
    """One transaction of Fuseki's, as one gzip member.

    Fuseki takes what it got of a request whose sender died for the whole and commits it (measured
    on 5.6.0 with and without Content-Length); of a packed body it refuses the half, but nothing at
    all it takes for no data.
    """
    endpoints = store.engine.endpoints()
    until = time.monotonic() + WRITE_SECONDS
    probe = Call("query", b"ASK {}", "application/sparql-query", ACCEPT_BOOLEAN)
    with store.exchange(endpoints, probe, until) as response:
        if "fuseki-request-id" not in response.headers:
            raise StoreRefused(
                "it does not replace all graphs in one step, as the embedded store and Fuseki do",
                name="store",
                mend=_OTHER_WAYS,
            )
    packed = _packed(parts)
    body = itertools.chain([next(packed)], packed)  # the first bytes are there when it begins
    call = Call("data", body, QUADS, method="PUT", encoding="gzip")
    try:
        with store.exchange(endpoints, call, until) as response:
            response.read()
        for _ in quads(store).chunks:  # every term can be read back
            pass
    except StoreError as error:
        if "NodeTable" not in error.reason:
            raise
        raise StoreError(
            "Fuseki has mixed up its terms, as it may after a write that was broken off",
            name="store",
            mend="Stop it, remove its database, start it and restore again",
        ) from error


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_FAST, wbits=_GZIP)
    for part in parts:
        if packed := packer.compress(part):
            yield packed
    yield packer.flush()


def _json(store: Store, endpoints: Endpoints, call: Call) -> dict[str, Any]:
    with store.exchange(endpoints, call, time.monotonic() + store.deadline) as response:
        body = response.read()
    try:
        message: dict[str, Any] = json.loads(body)
    except ValueError as error:
        raise StoreError("its reply on compaction cannot be read", name="store") from error
    return message
