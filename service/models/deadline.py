"""A transport whose timeout is the whole time of a request, however slowly its bytes drip in."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpcore2
import httpx2

_LARGEST_REPLY = 32_000_000
_clock = threading.local()


class DeadlineTransport(httpx2.BaseTransport):
    """Connecting, sending, headers and body of a request share its read timeout."""

    def __init__(self) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_trusted(),
            max_connections=None,
            max_keepalive_connections=8,
            keepalive_expiry=30,
            network_backend=_Backend(),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request; its reply's body runs on the same clock."""
        until = time.monotonic() + request.extensions["timeout"]["read"]
        url = request.url
        target = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        sent = httpcore2.Request(
            request.method, target, headers=request.headers.raw, content=request.read()
        )
        with _within(until):
            reply = self._pool.handle_request(sent)
        return httpx2.Response(
            reply.status,
            headers=reply.headers,
            stream=_Body(reply, until),
            extensions=reply.extensions,
        )

    def close(self) -> None:
        """Close the kept connections."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    def __init__(self, reply: httpcore2.Response, until: float) -> None:
        self._reply = reply
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        parts = self._reply.iter_stream()
        length = 0
        while True:
            with _within(self._until):
                part = next(parts, None)
            if part is None:
                return
            length += len(part)
            if length > _LARGEST_REPLY:
                raise httpx2.ReadError("the reply is too large")
            yield part

    def close(self) -> None:
        self._reply.close()


class _Backend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = super().connect_tcp(host, port, _left(), local_address, socket_options)
        return _Stream(stream)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left()))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


@cache
def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


@contextmanager
def _within(until: float) -> Iterator[None]:
    """Have this thread's network calls end at the time, and fail as the client expects."""
    _clock.until = until
    try:
        yield
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout("the deadline has passed") from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise httpx2.TransportError(str(error)) from error
    finally:
        del _clock.until


def _left() -> float:
    left: float = _clock.until - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout
    return left
