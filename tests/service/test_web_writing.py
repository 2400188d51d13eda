"""`/update` and `/graphs`: who may write, what may be written, and that the next question knows."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from socket import gethostname
from typing import Any

import pytest
from flask.testing import FlaskClient
from pyoxigraph import NamedNode, RdfFormat, parse

from loaders.addresses import items
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.load import Loader
from service.build import Askonto, open_askonto
from service.settings import Settings
from service.web.app import create_app

TOKEN = "correct horse battery".replace(" ", "-")
BEARER = {"Authorization": f"Bearer {TOKEN}"}
GRAPH = "http://g.test/notes"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
TOWER = f"""
<http://g.test/height> {LABEL} "height"@en .
<http://g.test/tower> {LABEL} "Zyx Tower"@en ; <http://g.test/height> 321 .
"""
INSERT = f"INSERT DATA {{ GRAPH <{GRAPH}> {{ {TOWER} }} }}"
UPDATE = "application/sparql-update"


@pytest.fixture
def askonto(tmp_path: Any, store_settings: dict[str, Any]) -> Iterator[Askonto]:
    settings = Settings(
        data=tmp_path / "data", write_token=TOKEN, query_seconds=5, **store_settings
    )
    with open_askonto(settings) as parts:
        parts.store.update("DROP ALL")
        yield parts


@pytest.fixture
def client(askonto: Askonto) -> FlaskClient:
    return create_app(askonto.settings, askonto).test_client()


def update(client: FlaskClient, text: str, **options: Any) -> Any:
    return client.post("/update", data=text, content_type=UPDATE, headers=BEARER, **options)


def graph(client: FlaskClient, method: str, iri: str = GRAPH, data: str | None = None) -> Any:
    headers = {**BEARER, "Accept": "application/n-triples"}
    query = {"graph": iri}
    return client.open(
        "/graphs",
        method=method,
        query_string=query,
        headers=headers,
        data=data,
        content_type=data and "text/turtle",
    )


def stated(client: FlaskClient, iri: str = GRAPH) -> set[str]:
    reply = graph(client, "GET", iri)
    assert reply.status_code == 200
    return {str(quad.object) for quad in parse(reply.get_data(), format=RdfFormat.N_TRIPLES)}


def height(client: FlaskClient) -> list[str]:
    question = {"question": "What is the height of Zyx Tower?", "lang": "en"}
    reply = client.post("/ask", json=question).get_json()
    return [value["value"] for value in reply["values"]]


def test_the_next_question_knows_what_an_update_changed(client: FlaskClient) -> None:
    assert height(client) == []
    assert update(client, INSERT).status_code == 204
    assert height(client) == ["321"]
    change = f"WITH <{GRAPH}> DELETE {{ ?s ?p 321 }} INSERT {{ ?s ?p 322 }} WHERE {{ ?s ?p 321 }}"
    assert update(client, change).status_code == 204
    assert height(client) == ["322"]
    assert update(client, f"DROP GRAPH <{GRAPH}>").status_code == 204
    assert height(client) == []


def test_the_ledger_lists_what_was_written(client: FlaskClient, askonto: Askonto) -> None:
    update(client, INSERT)
    iris = Iris(askonto.settings.base_iri)
    (source,) = Loader(askonto.store, iris).sources()
    assert (source.address, source.triples, source.generation) == (GRAPH, 3, 1)
    graph(client, "POST", data=TOWER + "<a:a> <a:b> 1 .")
    (source,) = Loader(askonto.store, iris).sources()
    assert source.triples == 4
    Loader(askonto.store, iris).unload(GRAPH)
    assert graph(client, "GET").status_code == 404


def test_a_graph_is_put_read_extended_and_deleted(client: FlaskClient) -> None:
    assert graph(client, "PUT", data="<a:a> <a:b> 'one', 'two' .").status_code == 201
    assert graph(client, "PUT", data="<a:a> <a:b> 'three' .").status_code == 204
    assert graph(client, "POST", data="<a:a> <a:b> 'four' .").status_code == 204
    assert stated(client) == {'"three"', '"four"'}
    assert graph(client, "HEAD").status_code == 200
    assert graph(client, "DELETE").status_code == 204
    assert graph(client, "DELETE").status_code == 404
    assert graph(client, "GET").status_code == 404


def test_a_new_graph_has_the_address_that_it_is_read_at(client: FlaskClient) -> None:
    made = client.post(
        "/graphs", data="<> <a:b> 'new' .", content_type="text/turtle", headers=BEARER
    )
    assert made.status_code == 201
    assert client.get(made.headers["Location"]).status_code == 200
    assert f"<{made.headers['Location']}>" in client.get(made.headers["Location"]).text


def test_the_default_graph_is_a_graph_of_its_own(client: FlaskClient, askonto: Askonto) -> None:
    put = client.put(
        "/graphs?default", data="<a:a> <a:b> 1 .", content_type="text/turtle", headers=BEARER
    )
    assert put.status_code == 201
    assert stated(client, Iris(askonto.settings.base_iri).default.value)
    assert client.get("/graphs?default").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer " + TOKEN[:-1]}, 401),
        ({"Authorization": "Basic " + base64.b64encode(b"x:y").decode()}, 401),
        ({"Authorization": "Basic " + base64.b64encode(f"any:{TOKEN}".encode()).decode()}, 204),
        (BEARER, 204),
    ],
)
def test_only_the_token_may_write(
    client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    reply = client.post("/update", data=INSERT, content_type=UPDATE, headers=headers)
    assert reply.status_code == status
    assert ("WWW-Authenticate" in reply.headers) == (status == 401)
    for method in ("PUT", "POST", "DELETE"):
        written = client.open("/graphs?graph=a:a", method=method, headers=headers)
        assert (written.status_code == 401) == (status == 401)


def test_without_a_token_nobody_may_write(tmp_path: Any) -> None:
    settings = Settings(data=tmp_path / "data")
    with open_askonto(settings) as askonto:
        client = create_app(settings, askonto).test_client()
        reply = client.post("/update", data=INSERT, content_type=UPDATE, headers=BEARER)
        assert reply.status_code == 403
        assert "ASKONTO_WRITE_TOKEN" in reply.get_json()["detail"]


def test_what_belongs_to_a_source_or_to_askonto_stays(
    client: FlaskClient, askonto: Askonto, tmp_path: Any
) -> None:
    iris = Iris(askonto.settings.base_iri)
    file = tmp_path / "own.trig"
    file.write_text("GRAPH <http://g.test/file> { <a:a> <a:b> 1 }")
    list(Loader(askonto.store, iris).load(items(str(file))))
    for name in ("http://g.test/file", iris.ledger.value, iris.ontology.value, iris.base + "x"):
        for reply in (
            update(client, f"DROP SILENT GRAPH <{name}>"),
            update(client, f"INSERT DATA {{ GRAPH <{name}> {{ <a:a> <a:b> 2 }} }}"),
            graph(client, "PUT", name, data="<a:a> <a:b> 2 ."),
            graph(client, "POST", name, data="<a:a> <a:b> 2 ."),
            graph(client, "DELETE", name),
        ):
            assert reply.status_code == 409
            assert reply.get_json()["mend"]
    assert stated(client, "http://g.test/file")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("LOAD <file:///etc/passwd>", 400),
        ("INSERT DATA { <a:a> <a:b> 1 }", 400),
        (INSERT + " ; INSERT DATA { GRAPH <a:g> { <a:a> <a:b> } }", 400),
        (f"INSERT DATA {{ GRAPH <{GRAPH}> {{ <a:a> }} }}", 400),
        ("", 400),
    ],
)
def test_a_bad_update_changes_nothing(client: FlaskClient, text: str, status: int) -> None:
    assert update(client, INSERT).status_code == 204
    before = stated(client)
    reply = update(client, text)
    assert reply.status_code == status
    assert reply.mimetype == "application/problem+json"
    assert stated(client) == before


def test_using_is_done_or_changes_nothing(
    client: FlaskClient, store_settings: dict[str, Any]
) -> None:
    assert update(client, INSERT).status_code == 204
    before = stated(client)
    delete = (
        f"DELETE {{ GRAPH <{GRAPH}> {{ ?s {LABEL} ?o }} }} USING <{GRAPH}> WHERE {{ ?s ?p ?o }}"
    )
    if store_settings:  # Fuseki
        assert update(client, delete).status_code == 204
        assert stated(client) < before
    else:
        assert update(client, delete).status_code == 400
        assert stated(client) == before


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        ("<a:a> <a:b> ", "text/turtle", 400),
        ("<a:a> <a:b> 1 .", "text/html", 415),
        ("<a:a> <a:b> 1 <a:other> .", "application/n-quads", 400),
        (b"<a:a> <a:b> '\xff' .", "text/turtle", 400),
    ],
)
def test_a_bad_body_changes_nothing(
    client: FlaskClient, data: str | bytes, kind: str, status: int
) -> None:
    graph(client, "PUT", data="<a:a> <a:b> 'kept' .")
    for method in ("PUT", "POST"):
        reply = client.open(
            "/graphs", method=method, query_string={"graph": GRAPH}, data=data, content_type=kind,
            headers=BEARER,
        )  # fmt: skip
        assert reply.status_code == status
    assert stated(client) == {'"kept"'}


@pytest.mark.parametrize("query", ["", "?graph=a:a&graph=a:b", "?default&graph=a:a", "?graph=rel"])
def test_one_graph_must_be_named(client: FlaskClient, query: str) -> None:
    assert client.get(f"/graphs{query}").status_code == 400


def test_patterns_look_at_the_graphs_that_the_request_names(client: FlaskClient) -> None:
    graph(client, "PUT", "http://g.test/a", data="<a:a> <a:b> 'in a' .")
    graph(client, "PUT", "http://g.test/b", data="<a:a> <a:b> 'in b' .")
    copy = f"INSERT {{ GRAPH <{GRAPH}> {{ ?s ?p ?o }} }} WHERE {{ ?s ?p ?o }}"
    assert (
        update(client, copy, query_string={"using-graph-uri": "http://g.test/b"}).status_code == 204
    )
    assert stated(client) == {'"in b"'}


@pytest.mark.parametrize("parameter", ["using-graph-uri", "using-named-graph-uri"])
@pytest.mark.parametrize(
    "text",
    [
        f"WITH <{GRAPH}> DELETE {{ ?s ?p ?o }} WHERE {{ ?s ?p ?o }}",
        f"DELETE {{ GRAPH <{GRAPH}> {{ ?s ?p ?o }} }} USING <{GRAPH}> WHERE {{ ?s ?p ?o }}",
    ],
)
def test_a_dataset_is_named_in_the_update_or_in_the_request(
    client: FlaskClient, text: str, parameter: str
) -> None:
    assert update(client, INSERT).status_code == 204
    before = stated(client)
    reply = update(client, text, query_string={parameter: GRAPH})
    assert reply.status_code == 400
    assert "keep one" in reply.get_json()["detail"]
    assert stated(client) == before


def test_what_a_killed_writer_left_is_counted_by_the_next(
    client: FlaskClient, askonto: Askonto
) -> None:
    iris, name = Iris(askonto.settings.base_iri), NamedNode(GRAPH)
    gone = Source(
        GRAPH, (name,), loaded="2026-01-01T00:00:00+00:00", writer=f"{gethostname()}/999999/1"
    )
    askonto.store.update(
        f"INSERT DATA {{ GRAPH {iris.ledger} {{ {gone.ntriples(iris)} }} }} ; {INSERT}"
    )
    update(client, "INSERT DATA { GRAPH <http://g.test/other> { <a:a> <a:b> 1 } }")
    ledger = Ledger.from_store(askonto.store, iris)
    assert ledger.sources[GRAPH].triples == 3
    assert not ledger.pending
    assert height(client) == ["321"]
