from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ontology.imports import closure
from ontology.read import read

PREFIXES = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"


def _ontology(folder: Path, name: str, iri: str, *imports: str) -> Path:
    asked = "".join(f" ; owl:imports <{one}>" for one in imports)
    path = folder / name
    path.write_text(f"{PREFIXES}<{iri}> a owl:Ontology{asked} .\n<{iri}#C> a owl:Class .\n")
    return path


def _files(path: Path) -> list[str]:
    return [one.path.name for one in closure(read(path)).ontologies]


@pytest.fixture
def canary() -> Iterator[tuple[str, list[str]]]:
    hits: list[str] = []

    class Counter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)
            self.send_response(200)
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Counter)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", hits
    server.shutdown()
    thread.join()
    server.server_close()


def test_imports_beside_the_file_are_read_by_iri(tmp_path: Path) -> None:
    _ontology(tmp_path, "other.owl", "http://t/b", "http://t/c")
    _ontology(tmp_path, "third.ttl", "http://t/c")
    assert _files(_ontology(tmp_path, "a.ttl", "http://t/a", "http://t/b")) == [
        "a.ttl",
        "other.owl",
        "third.ttl",
    ]


def test_catalog_says_which_file_an_import_is(tmp_path: Path) -> None:
    _ontology(tmp_path, "b.ttl", "http://t/b")
    (tmp_path / "catalog-v001.xml").write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<uri name="http://t/latest/b" uri="b.ttl"/></catalog>'
    )
    assert _files(_ontology(tmp_path, "a.ttl", "http://t/a", "http://t/latest/b"))[1:] == ["b.ttl"]


def test_imports_in_a_circle_are_read_once(tmp_path: Path) -> None:
    _ontology(tmp_path, "b.ttl", "http://t/b", "http://t/a")
    path = _ontology(tmp_path, "a.ttl", "http://t/a", "http://t/b", "http://t/a")
    found = closure(read(path))
    assert [one.path.name for one in found.ontologies] == ["a.ttl", "b.ttl"]
    assert not found.warnings


def test_imports_are_never_fetched(tmp_path: Path, canary: tuple[str, list[str]]) -> None:
    address, hits = canary
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = _ontology(outside, "other.owl", "http://t/other")
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "catalog-v001.xml").write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<uri name="http://t/other" uri="../outside/other.owl"/></catalog>'
    )
    imports = [f"{address}/x", secret.as_uri(), "http://127.0.0.1:1/x", "http://t/other"]
    start = time.monotonic()
    found = closure(read(_ontology(folder, "a.ttl", "http://t/a", *imports)))
    assert time.monotonic() - start < 5
    assert not hits
    assert [one.path.name for one in found.ontologies] == ["a.ttl"]
    assert len(found.warnings) == len(imports)


def test_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    _ontology(outside, "b.ttl", "http://t/b")
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "b.ttl").symlink_to(outside / "b.ttl")
    assert _files(_ontology(folder, "a.ttl", "http://t/a", "http://t/b")) == ["a.ttl"]


def test_broken_import_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text("<http://t/b> a ")
    found = closure(read(_ontology(tmp_path, "a.ttl", "http://t/a", "http://t/b")))
    assert [one.path.name for one in found.ontologies] == ["a.ttl"]
    assert any("b.ttl, line 1" in warning for warning in found.warnings)


def test_onto_is_shipped(tmp_path: Path) -> None:
    path = _ontology(tmp_path, "a.ttl", "http://t/a", "https://w3id.org/askonto/onto")
    assert _files(path) == ["a.ttl", "onto.ttl"]
