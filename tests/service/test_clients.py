"""Independent clients of a running service, as they are: rdflib's stores and Jena's commands."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore

from tests.service.test_server import served

POM = Path(__file__).parents[2] / "deploy" / "fuseki" / "pom.xml"
TOKEN = "a-token-for-the-clients"
NOTES = URIRef("http://g.test/notes")
TOWER, HEIGHT = URIRef("http://g.test/tower"), URIRef("http://g.test/height")


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory, store_settings: dict[str, str]
) -> Iterator[str]:
    data = str(tmp_path_factory.mktemp("clients") / "data")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKONTO_")}
    store = {f"ASKONTO_{name.upper()}": value for name, value in store_settings.items()}
    with served(kept, ASKONTO_DATA=data, ASKONTO_WRITE_TOKEN=TOKEN, **store) as (_, url):
        yield url


@pytest.fixture(scope="module")
def jena(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of Jena's commands, which Fuseki's brings along."""
    missing = [program for program in ("java", "mvn") if not shutil.which(program)]
    if missing and "CI" not in os.environ:
        pytest.skip(f"Jena is not tested: {' and '.join(missing)} not installed")
    file = tmp_path_factory.mktemp("jena") / "classpath"
    goal = ["dependency:build-classpath", f"-Dmdep.outputFile={file}"]
    subprocess.run(["mvn", "-q", "-B", "-f", POM, *goal], check=True, timeout=300)
    return file.read_text()


def java(classpath: str, command: str, *words: str) -> str:
    line = ["java", "-cp", classpath, command, *words]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rdflib_writes_and_reads(address: str) -> None:
    store = SPARQLUpdateStore(
        f"{address}/sparql", f"{address}/update", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    notes = Graph(store, identifier=NOTES)
    notes.add((TOWER, HEIGHT, Literal(321)))
    notes.add((TOWER, HEIGHT, Literal(322)))
    notes.remove((TOWER, HEIGHT, Literal(322)))
    read = Graph(SPARQLStore(f"{address}/sparql"))
    assert list(read.objects(TOWER, HEIGHT)) == [Literal(321)]
    assert [row[0] for row in read.query(f"SELECT ?s {{ ?s <{HEIGHT}> ?o }}")] == [TOWER]  # type: ignore[index]


def test_jena_writes_and_reads(address: str, jena: str) -> None:
    host = address.removeprefix("http://")
    insert = f"INSERT DATA {{ GRAPH <{NOTES}> {{ <{TOWER}> <http://g.test/built> 1931 }} }}"
    java(jena, "arq.rupdate", f"--service=http://any:{TOKEN}@{host}/update", insert)
    query = f"SELECT ?year {{ <{TOWER}> <http://g.test/built> ?year }}"
    told = java(jena, "arq.rsparql", f"--service={address}/sparql", "--results=csv", query)
    assert told.split() == ["year", "1931"]
    graph = java(jena, "arq.rsparql", f"--service={address}/sparql", f"DESCRIBE <{TOWER}>")
    assert "1931" in graph
