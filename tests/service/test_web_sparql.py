"""`/sparql` over HTTP: the protocol, the formats, the limits, and what is never run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from pyoxigraph import NamedNode, RdfFormat, parse

from service.build import open_askonto
from service.settings import Settings
from service.web.app import create_app

GRAPH = NamedNode("http://e.org/graph")
COUNT = "SELECT (COUNT(*) AS ?n) { GRAPH <http://e.org/graph> { ?s ?p ?o } }"
ROWS = 300


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data=tmp_path_factory.mktemp("data") / "data", query_seconds=2, query_rows=200)


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[FlaskClient]:
    with open_askonto(settings) as askonto:
        lines = [f'<http://e.org/{n}> <http://e.org/says> "INSERT {n}"@it .' for n in range(ROWS)]
        askonto.store.put_graph(GRAPH, "\n".join(lines).encode())
        yield create_app(settings, askonto).test_client()


def rows(reply: Any) -> list[dict[str, dict[str, str]]]:
    assert reply.status_code == 200, reply.get_data(as_text=True)
    found: list[dict[str, dict[str, str]]] = json.loads(reply.get_data())["results"]["bindings"]
    return found


def count(client: FlaskClient) -> int:
    return int(rows(client.get("/sparql", query_string={"query": COUNT}))[0]["n"]["value"])


def test_a_query_comes_by_each_way_of_the_protocol(client: FlaskClient) -> None:
    direct = client.post("/sparql", data=COUNT, content_type="application/sparql-query")
    assert (
        rows(client.get("/sparql", query_string={"query": COUNT}))
        == rows(client.post("/sparql", data={"query": COUNT}))
        == rows(direct)
    )


@pytest.mark.parametrize(
    ("accept", "given"),
    [
        ("", "application/sparql-results+json"),
        ("*/*", "application/sparql-results+json"),
        ("application/sparql-results+xml", "application/sparql-results+xml"),
        ("text/csv", "text/csv"),
        ("text/tab-separated-values;q=0.5, text/csv;q=0.1", "text/tab-separated-values"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
    ],
)
def test_rows_come_in_the_format_asked_for(client: FlaskClient, accept: str, given: str) -> None:
    headers = {"Accept": accept} if accept else {}
    reply = client.get("/sparql", query_string={"query": COUNT}, headers=headers)
    assert (reply.status_code, reply.mimetype) == (200, given)
    assert str(ROWS) in reply.get_data(as_text=True)


@pytest.mark.parametrize(
    ("media_type", "form"),
    [
        ("text/turtle", RdfFormat.TURTLE),
        ("application/n-triples", RdfFormat.N_TRIPLES),
        ("application/rdf+xml", RdfFormat.RDF_XML),
        ("application/ld+json", RdfFormat.JSON_LD),
    ],
)
def test_triples_come_in_the_format_asked_for(
    client: FlaskClient, media_type: str, form: RdfFormat
) -> None:
    query = "CONSTRUCT WHERE { <http://e.org/1> ?p ?o }"
    reply = client.get("/sparql", query_string={"query": query}, headers={"Accept": media_type})
    assert reply.mimetype == media_type
    (quad,) = parse(reply.get_data(), format=form)
    assert str(quad.object) == '"INSERT 1"@it'


def test_a_format_that_there_is_not_is_refused(client: FlaskClient) -> None:
    reply = client.get("/sparql", query_string={"query": COUNT}, headers={"Accept": "image/png"})
    assert reply.status_code == 406


def test_the_default_graph_is_what_the_request_names(client: FlaskClient) -> None:
    query = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    asked = {"query": query, "default-graph-uri": "http://e.org/graph"}
    assert int(rows(client.get("/sparql", query_string=asked))[0]["n"]["value"]) == ROWS
    asked["default-graph-uri"] = "http://e.org/other"
    assert client.get("/sparql", query_string=asked).status_code == 400


def test_a_result_above_the_limit_is_cut_and_says_so(client: FlaskClient) -> None:
    reply = client.get("/sparql", query_string={"query": "SELECT ?s { ?s <http://e.org/says> ?o }"})
    assert len(rows(reply)) == 200
    assert reply.headers["Askonto-Truncated"] == "true"
    whole = client.get("/sparql", query_string={"query": "SELECT ?s { ?s ?p ?o } LIMIT 200"})
    assert len(rows(whole)) == 200
    assert "Askonto-Truncated" not in whole.headers


@pytest.mark.parametrize(
    "query",
    [
        "INSERT DATA { <a:a> <a:b> <a:c> }",
        "DROP ALL",
        "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT * { sErViCe SILENT <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT * FROM <file:///etc/hostname> { ?s ?p ?o }",
        "SELECT * FROM NAMED <file:///etc/hostname> { GRAPH ?g { ?s ?p ?o } }",
        "SELECT * FROM <http://e.org/elsewhere> { ?s ?p ?o }",
        "ASK { FILTER(" + "(" * 6000 + "1" + ")" * 6000 + ") }",
        "SELECT * { ?s ?p",
        "hello",
        "",
    ],
)
def test_what_is_no_harmless_query_is_refused(client: FlaskClient, query: str) -> None:
    for reply in (
        client.post("/sparql", data={"query": query}),
        client.post("/sparql", data=query, content_type="application/sparql-query"),
    ):
        assert reply.status_code == 400, reply.get_data(as_text=True)
        assert reply.mimetype == "application/problem+json"
        assert reply.get_json()["detail"]
    assert count(client) == ROWS


def test_updates_are_refused_by_every_door(client: FlaskClient) -> None:
    update = "DROP ALL"
    replies = [
        client.get("/sparql", query_string={"update": update}),
        client.post("/sparql", data={"update": update}),
        client.post("/sparql", data=update, content_type="application/sparql-update"),
        client.post("/update", data={"update": update}),
        client.put("/sparql", data=update),
    ]
    assert [reply.status_code for reply in replies] == [403, 403, 403, 403, 405]
    assert count(client) == ROWS


@pytest.mark.parametrize(
    ("data", "content_type", "status"),
    [
        (b"\xff", "application/sparql-query", 400),
        (b"query=ASK{}&query=ASK{}", "application/x-www-form-urlencoded", 400),
        (b"query=ASK{}&default-graph-uri=http://e.org/elsewhere",
         "application/x-www-form-urlencoded", 400),
        (b"query=ASK{}&default-graph-uri=file:///etc/hostname",
         "application/x-www-form-urlencoded", 400),
        (b"ASK {}", "text/plain", 415),
        (b"ASK {}", "", 415),
    ],
)  # fmt: skip
def test_a_request_against_the_protocol_is_refused(
    client: FlaskClient, data: bytes, content_type: str, status: int
) -> None:
    reply = client.post("/sparql", data=data, content_type=content_type)
    assert reply.status_code == status


def test_words_of_an_update_inside_a_string_are_fine(client: FlaskClient) -> None:
    reply = client.get("/sparql", query_string={"query": 'SELECT * { ?s ?p "INSERT 7"@it }'})
    assert len(rows(reply)) == 1
    harmless = 'SELECT * { ?s ?p "INSERT DATA { SERVICE LOAD" }'
    assert rows(client.get("/sparql", query_string={"query": harmless})) == []


def test_a_query_without_end_is_ended_and_the_next_one_works(client: FlaskClient) -> None:
    endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    reply = client.post("/sparql", data={"query": endless})
    assert reply.status_code == 504
    assert count(client) == ROWS


def test_a_query_of_a_megabyte_works_by_post(client: FlaskClient) -> None:
    many = " ".join(f"<http://e.org/{n}/{'x' * 30}>" for n in range(20_000))
    query = f"SELECT ?s {{ VALUES ?s {{ {many} }} ?s ?p ?o }}"
    assert len(query) > 1_000_000
    assert rows(client.post("/sparql", data={"query": query})) == []


def test_a_browser_gets_a_page_with_the_query_in_it(client: FlaskClient) -> None:
    accept = {"Accept": "text/html"}
    assert "<textarea" in client.get("/sparql", headers=accept).get_data(as_text=True)
    hostile = 'SELECT ("<script>alert(1)</script>" AS ?x) {}'
    page = client.post("/sparql", data={"query": hostile}, headers=accept).get_data(as_text=True)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
