"""URLs: within limits, and never from a private address by accident."""

from __future__ import annotations

import gzip
import http.server
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from loaders.sources.fetch import Fetched, FetchError, fetch
from loaders.sources.limits import Limits

SMALL = Limits(fetched_bytes=1_000_000, fetch_seconds=2)
WORDS = "<html><title>Zürich</title>".encode()


@dataclass
class Site:
    """A scripted server on loopback: what it sends for each path, and the paths asked for."""

    port: int
    hits: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def get(self, path: str) -> Fetched:
        return fetch(f"http://{self.host}{path}", limits=SMALL, allowed=[self.host])


def serve(site: Site, handler: http.server.BaseHTTPRequestHandler) -> None:
    def send(status: int, body: bytes, **headers: str) -> None:
        handler.send_response(status)
        headers.setdefault("Content-Length", str(len(body)))
        for key, value in headers.items():
            handler.send_header(key.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    path = handler.path
    site.hits.append(path)
    if path == "/page":
        send(200, WORDS, Content_Type="text/html")
    elif path == "/latin":
        send(200, "Zürich".encode("latin-1"), Content_Type="text/html; charset=ISO-8859-1")
    elif path == "/gzip":
        send(200, gzip.compress(WORDS), Content_Encoding="gzip")
    elif path == "/bomb":
        send(200, gzip.compress(bytes(100_000_000)), Content_Encoding="gzip")
    elif path == "/large":
        send(200, bytes(2_000_000))
    elif path == "/loop":
        send(302, b"", Location="/loop")
    elif path == "/moved":
        send(301, b"", Location="page")
    elif path.startswith("/to?"):
        send(302, b"", Location=path.removeprefix("/to?"))
    elif path == "/short":
        send(200, b"abc", Content_Length="100")
    elif path == "/drip":
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        drip(handler, b"x" * 1000)
    elif path == "/slow-head":
        drip(handler, b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100)
    else:
        send(404, b"")


def drip(handler: http.server.BaseHTTPRequestHandler, data: bytes) -> None:
    try:
        for byte in data:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.3)
    except OSError:
        pass  # the client has hung up, as it should


@pytest.fixture
def site() -> Iterator[Site]:
    sites: list[Site] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            serve(sites[0], self)

        def log_message(self, *_args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        sites.append(Site(server.server_address[1]))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield sites[0]
        server.shutdown()


def test_allowed_host_is_fetched_with_redirects_and_gzip(site: Site) -> None:
    assert site.get("/page").data == WORDS
    assert site.get("/gzip").data == WORDS
    moved = site.get("/moved")
    assert (moved.data, moved.url) == (WORDS, f"http://{site.host}/page")


def test_encoding_that_only_the_server_names_is_kept(site: Site) -> None:
    assert site.get("/latin").text_as_utf8().decode("utf-8-sig") == "Zürich"


@pytest.mark.parametrize(
    "host", "127.0.0.1 2130706433 0x7f.1 127.1 0 [::1] [::ffff:127.0.0.1] localhost".split()
)
def test_no_spelling_of_loopback_is_reached(site: Site, host: str) -> None:
    for url in (f"http://{host}:{site.port}/page", f"http://me@{host}:{site.port}/page"):
        with pytest.raises(FetchError):
            fetch(url, limits=SMALL, allowed=["127.0.0.1:1"])
    assert site.hits == []


@pytest.mark.parametrize(
    "address", "10.0.0.1 192.168.1.1 169.254.169.254 [64:ff9b::7f00:1]".split()
)
def test_private_addresses_are_refused_at_once(address: str) -> None:
    with pytest.raises(FetchError, match="no public address"):
        fetch(f"http://{address}/", limits=SMALL)


def test_redirect_is_checked_like_the_first_address(site: Site) -> None:
    private = (f"http://localhost:{site.port}/page", "http://[::1]:1/")
    for target in (*private, "file:///etc/hostname", "http://xn--/", "http://a:b/", "http://[/"):
        with pytest.raises(FetchError):
            site.get(f"/to?{target}")
    assert "/page" not in site.hits


@pytest.mark.parametrize(
    "url",
    "file:///etc/hostname ftp://e/x data:,x http:// http://[ http://e:99999/ http://xn--/".split(),
)
def test_other_schemes_and_broken_urls_are_refused(url: str) -> None:
    with pytest.raises(FetchError) as error:
        fetch(url, limits=SMALL)
    assert error.value.name == url


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/bomb", "more than 1 MB"),
        ("/large", "more than 1 MB"),
        ("/loop", "redirects more than"),
        ("/short", "cannot be fetched"),
        ("/absent", "404"),
    ],
)
def test_traps_end_with_one_clear_error(site: Site, path: str, said: str) -> None:
    with pytest.raises(FetchError, match=said):
        site.get(path)


@pytest.mark.parametrize("path", ["/drip", "/slow-head"])
def test_the_deadline_is_for_the_whole(site: Site, path: str) -> None:
    start = time.monotonic()
    with pytest.raises(FetchError, match="within 2 s"):
        site.get(path)
    assert time.monotonic() - start < 3


def test_a_server_that_is_not_there_is_said(site: Site) -> None:
    with pytest.raises(FetchError, match="cannot be fetched"):
        fetch("http://127.0.0.1:1/", limits=SMALL, allowed=["127.0.0.1"])
    with pytest.raises(FetchError, match="not known"):
        fetch("http://nobody.invalid/", limits=SMALL)
