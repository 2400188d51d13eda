"""A URL's content: within a size and a time, and never from a private address by accident."""

from __future__ import annotations

import codecs
import ipaddress
import re
import socket
import ssl
import time
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpcore
import httpx

from loaders.sources.limits import Limits
from ontology.errors import InputError

_REDIRECTS = 10
_AGENT = "askonto (+https://w3id.org/askonto/onto)"
_ACCEPT = (
    "text/turtle, application/trig, application/n-triples, application/n-quads, "
    "application/rdf+xml, application/ld+json;q=0.9, application/pdf, text/html;q=0.9, */*;q=0.5"
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ENCODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class FetchError(InputError):
    """A URL that cannot or may not be fetched."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The body, the URL it came from after all redirects, and its Content-Type."""

    data: bytes
    url: str
    content_type: str

    def text_as_utf8(self) -> bytes:
        """The body; in UTF-8 with a byte order mark where the server names another encoding."""
        media_type, _, parameters = self.content_type.partition(";")
        charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", parameters, re.I)
        if not charset or not media_type.strip().lower().startswith("text/"):
            return self.data
        try:
            text = self.data.decode(charset[1], "replace")
        except LookupError:
            return self.data
        return self.data if charset[1].lower() == "utf-8" else codecs.BOM_UTF8 + text.encode()


def fetch(url: str, *, limits: Limits | None = None, allowed: Collection[str] = ()) -> Fetched:
    """The content of an http or https URL; raises FetchError.

    `allowed` names the hosts (`host` or `host:port`) that may lie at a private address.
    """
    limits = limits or Limits()
    until = time.monotonic() + limits.fetch_seconds
    where = _parsed(url, url)
    context = httpx.create_ssl_context(trust_env=False)
    with httpcore.ConnectionPool(
        ssl_context=context, network_backend=_Guard(until, allowed)
    ) as pool:
        for _ in range(_REDIRECTS):
            reply = _exchange(pool, where, url, limits)
            if isinstance(reply, Fetched):
                return reply
            where = _parsed(reply, url, where)
    raise FetchError(
        f"it redirects more than {_REDIRECTS} times", name=url, mend="Give another URL"
    )


def _parsed(text: str, name: str, base: httpx.URL | None = None) -> httpx.URL:
    """The URL that a text spells, relative to a base where there is one."""
    try:
        url = base.join(text) if base else httpx.URL(text)
        host = url.host  # decoded here, which may fail
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f"is no URL: {error}", name=name, mend="Correct it") from None
    if url.scheme not in ("http", "https") or not host:
        raise FetchError(
            f"leads to {url.scheme or 'no scheme'}:, which is not fetched",
            name=name,
            mend="Give an http or https URL, or a file's path",
        )
    if url.userinfo:
        raise FetchError("holds a user or password", name=name, mend="Leave it out")
    return url


def _exchange(
    pool: httpcore.ConnectionPool, where: httpx.URL, name: str, limits: Limits
) -> Fetched | str:
    """The content, or where it redirects to."""
    target = httpcore.URL(
        scheme=where.raw_scheme, host=where.raw_host, port=where.port, target=where.raw_path
    )
    headers: list[tuple[bytes | str, bytes | str]] = [
        ("Host", where.netloc),
        ("User-Agent", _AGENT),
        ("Accept", _ACCEPT),
        ("Accept-Encoding", "gzip, deflate"),
        ("Connection", "close"),
    ]
    try:
        with pool.stream("GET", target, headers=headers) as reply:
            fields = {key.decode("latin-1").lower(): value for key, value in reply.headers}
            if reply.status in (301, 302, 303, 307, 308) and "location" in fields:
                return fields["location"].decode("utf-8", "replace")
            if reply.status != 200:
                raise FetchError(
                    f"the server answers {reply.status}", name=name, mend="Check it in a browser"
                )
            coding = fields.get("content-encoding", b"").decode("latin-1").lower()
            body = _body(reply.iter_stream(), coding, name, limits.fetched_bytes)
            return Fetched(body, str(where), fields.get("content-type", b"").decode("latin-1"))
    except httpcore.TimeoutException:
        raise FetchError(
            f"was not there within {limits.fetch_seconds:g} s",
            name=name,
            mend="Try again, or save it and load the file",
        ) from None
    except (httpcore.NetworkError, httpcore.ProtocolError, ssl.SSLError) as error:
        raise FetchError(
            f"cannot be fetched: {error}", name=name, mend="Check the address and try again"
        ) from None
    except _Forbidden as error:
        raise FetchError(
            f"lies at {error}, which is no public address",
            name=name,
            mend="Allow its host in ASKONTO_ALLOWED_HOSTS, or save it and load the file",
        ) from None


def _body(chunks: Iterable[bytes], coding: str, name: str, limit: int) -> bytes:
    """The body, unpacked no further than the limit."""
    if coding not in ("", "identity", *_ENCODINGS):
        raise FetchError(f"is packed as {coding}, unasked", name=name, mend="Save it and load that")
    unpack = zlib.decompressobj(_ENCODINGS[coding]) if coding in _ENCODINGS else None
    body = bytearray()
    try:
        for chunk in chunks:
            body += unpack.decompress(chunk, limit + 1 - len(body)) if unpack else chunk
            if len(body) > limit:
                raise FetchError(
                    f"holds more than {limit // 1_000_000} MB", name=name, mend="Load a part of it"
                )
    except zlib.error as error:
        raise FetchError(f"its packing is broken: {error}", name=name, mend="Try again") from None
    if unpack and not unpack.eof:
        raise FetchError("its packing ends too early", name=name, mend="Try again")
    return bytes(body)


class _Forbidden(Exception):
    """An address that is not public."""


class _Guard(httpcore.NetworkBackend):
    """Connects only to addresses it has checked itself, and never past the deadline."""

    def __init__(self, until: float, allowed: Collection[str]) -> None:
        self._until = until
        self._allowed = {host.lower() for host in allowed}
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A stream to the first address that answers, when all of the host's are public."""
        addresses = list(_resolved(host, port))
        if not {host.lower(), f"{host}:{port}".lower()} & self._allowed:
            for address in addresses:
                if not _is_public(address):
                    raise _Forbidden(address)
        last: Exception = httpcore.ConnectError("its name has no address")
        for address in addresses:
            try:
                left = _left(self._until)
                return _Stream(self._sockets.connect_tcp(address, port, left), self._until)
            except httpcore.ConnectError as error:
                last = error
        raise last


class _Stream(httpcore.NetworkStream):
    """A stream whose every operation ends at one deadline."""

    def __init__(self, inner: httpcore.NetworkStream, until: float) -> None:
        self._inner = inner
        self._until = until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come."""
        return self._inner.read(max_bytes, _left(self._until))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        self._inner.write(buffer, _left(self._until))

    def close(self) -> None:
        """End the connection."""
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """The same stream, encrypted."""
        inner = self._inner.start_tls(ssl_context, server_hostname, _left(self._until))
        return _Stream(inner, self._until)

    def get_extra_info(self, info: str) -> Any:
        """What the socket tells."""
        return self._inner.get_extra_info(info)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the deadline has passed")
    return left


def _resolved(host: str, port: int) -> Iterator[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"its name {host!r} is not known ({error})") from None
    yield from dict.fromkeys(str(address[4][0]) for address in found)


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        address = inner or address
    return address.is_global and not address.is_multicast
