"""What every store must do, on the embedded one and on a real Fuseki alike."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode

from ontology.vocabulary import RDF, RDFS, XSD
from queries.library import load
from queries.store import Store, open_remote, whole
from queries.store.client import Call
from queries.store.endpoints import Endpoints
from queries.store.errors import (
    QueryRefused,
    StoreError,
    StoreRefused,
    StoreTimeout,
    StoreUnavailable,
)
from queries.store.process import free_port
from queries.terms import serialise
from tests.queries.fuseki import running

E = "http://example.org/"
G, H = NamedNode(f"{E}g"), NamedNode(f"{E}h")
TSV = "text/tab-separated-values"
CROSS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
GROUPS = "SELECT ?a ?d ?g (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } GROUP BY ?a ?d ?g"
# Tara -born-> Rome <-born- Ugo ; Rome -in-> Italy, across two graphs
TRIPLES = {
    G: [("tara", "born", "rome"), ("ugo", "born", "rome"), ("ada", "born", "bari")],
    H: [("rome", "in", "italy"), ("bari", "in", "italy"), ("tara", "born", "rome")],
}


def node(name: str) -> NamedNode:
    return NamedNode(E + name)


def ntriples(graph: NamedNode) -> bytes:
    lines = (" ".join(str(node(name)) for name in triple) for triple in TRIPLES[graph])
    people = [f"{node(name)} {RDF.type} {node('Person')} ." for name in ("tara", "ugo", "ada")]
    labels = [
        f'{node("rome")} {RDFS.label} "Roma"@it .',
        f'{node("rome")} {RDFS.label} "Rome"@en .',
    ]
    return "\n".join([*(f"{line} ." for line in lines), *people, *labels]).encode()


def numbered(count: int, mark: str = "a") -> bytes:
    return "\n".join(f"<{E}{mark}{i}> <{E}p> <{E}{i}> ." for i in range(count)).encode()


def size(store: Store, pattern: str = "?s ?p ?o") -> int:
    value = store.select(f"SELECT (COUNT(*) AS ?n) {{ {pattern} }}").rows[0][0]
    assert isinstance(value, Literal)
    return int(value.value)


@pytest.fixture
def people(any_store: Store) -> Store:
    for graph in TRIPLES:
        any_store.put_graph(graph, ntriples(graph))
    return any_store


def asked(store: Store, name: str, **values: object) -> list[tuple[str, ...]]:
    """The local names of a library query's rows."""
    rows = store.select(load(name).bind(**values)).rows
    return sorted(
        tuple(
            term.value.removeprefix(E) if isinstance(term, NamedNode | Literal) else ""
            for term in row
        )
        for row in rows
    )


def test_each_hop_finds_its_answers_across_graphs_without_doubles(people: Store) -> None:
    born, rome, within = node("born"), node("rome"), node("in")
    limit = {"limit": 10}
    tail = asked(people, "retrieve/tail", entity_predicate=[(node("tara"), born)], **limit)
    assert tail == [("tara", "born", "rome")]
    head = asked(people, "retrieve/head", entity_predicate=[(rome, born)], **limit)
    assert [row[-1] for row in head] == ["tara", "ugo"]
    other = asked(people, "retrieve/other_head", entity_predicate=[(node("tara"), born)], **limit)
    assert [row[-1] for row in other] == ["ugo"]
    paths = {
        "out": [(node("tara"), born, within)],
        "in": [(node("italy"), within, born)],
        "out_in": [(rome, within, within)],
        "in_out": [(rome, born, born)],
    }
    found = {
        way: sorted(
            {
                row[-1]
                for row in asked(
                    people, f"retrieve/two_hops_{way}", entity_first_second=rows, **limit
                )
            }
        )
        for way, rows in paths.items()
    }
    assert found == {
        "out": ["italy"],
        "in": ["ada", "tara", "ugo"],
        "out_in": ["bari", "rome"],
        "in_out": ["rome"],
    }


@pytest.mark.parametrize("way", ["in", "out"])
def test_neighbours_have_a_limit_for_each_entity(people: Store, way: str) -> None:
    entities = [node("rome"), node("bari"), node("italy")]
    rows = asked(people, f"retrieve/neighbours_{way}", entity=entities, limit=1)
    assert [row[0] for row in rows] == (
        ["bari", "italy", "rome"] if way == "in" else ["bari", "rome"]
    )
    every = asked(people, f"retrieve/neighbours_{way}", entity=entities, limit=100)
    single = [
        row
        for entity in entities
        for row in asked(people, f"retrieve/neighbours_{way}_portable", entity=[entity], limit=100)
    ]
    assert every == sorted(single)


def test_classes_attributes_counts_and_names_are_found(people: Store) -> None:
    person, born = node("Person"), node("born")
    rows = asked(people, "retrieve/instances", **{"class": [person]}, predicate=[born], limit=10)
    assert [row[1:] for row in rows] == [
        ("ada", "born", "bari"),
        ("tara", "born", "rome"),
        ("ugo", "born", "rome"),
    ]
    bare = asked(people, "retrieve/instances", **{"class": [person]}, predicate=[], limit=10)
    assert [row[1] for row in bare] == ["ada", "tara", "ugo"]
    entity = [node("rome")]
    attributes = asked(
        people, "retrieve/attributes", entity=entity, predicate=[node("in")], limit=9
    )
    assert attributes == [("rome", "in", "italy")]
    counts = asked(people, "retrieve/count", entity_predicate=[(node("tara"), born)])
    assert counts == [("tara", "born", "1")]
    labels = asked(people, "describe/labels", entity=entity)
    assert [row[-1] for row in labels] == ["Roma", "Rome"]


def test_values_keep_their_meaning(any_store: Store) -> None:
    given = [
        Literal("007"),
        Literal("1.50", datatype=XSD.decimal),
        Literal("01", datatype=XSD.integer),
        Literal("1", datatype=XSD.boolean),
        Literal("colour", language="en-GB"),
        Literal("\"\\ } ; DROP ALL ; #\n\t'''é咖\U0001f600"),
        Literal("2024-02-29", datatype=XSD.date),
    ]
    lines = (f"<{E}s> <{E}p{i}> {serialise(value)} ." for i, value in enumerate(given))
    any_store.put_graph(G, "\n".join(lines).encode())
    rows = any_store.select(f"SELECT ?p ?o {{ <{E}s> ?p ?o }} ORDER BY ?p").rows
    found = [row[1] for row in rows]
    for index in (0, 5, 6):
        assert found[index] == given[index]
    equal = "?s ?p ?o FILTER(?o = 1.5 || ?o = 1 || ?o = true || langMatches(LANG(?o), 'en'))"
    assert size(any_store, equal) == 4


@pytest.mark.parametrize(
    "iri",
    [
        "http://e/caffè/咖啡",
        "http://e/%3E%20x",
        "http://e/a'b(c)*,;=@!$&",
        "urn:isbn:0-1",
        "http://e/?a=1&b#c",
    ],
)
def test_any_iri_names_a_thing_and_a_graph(any_store: Store, iri: str) -> None:
    term = NamedNode(iri)
    any_store.put_graph(term, f"{term} <{E}p> {term} .".encode())
    rows = any_store.select(f"SELECT ?g ?s {{ GRAPH ?g {{ ?s <{E}p> {term} }} }}").rows
    assert rows == [(term, term)]
    any_store.delete_graph(term)
    assert size(any_store) == 0


def test_blank_nodes_of_two_graphs_stay_two(any_store: Store) -> None:
    for graph in (G, H):
        any_store.put_graph(graph, f"_:a <{E}p> 1 .".replace("1", '"1"').encode())
    assert len(any_store.select("SELECT DISTINCT ?s { ?s ?p ?o }")) == 2


@pytest.mark.parametrize("way", ["update", "put", "bulk"])
def test_twelve_thousand_triples_go_in_at_once(any_store: Store, way: str) -> None:
    data = numbered(12_000)
    if way == "update":
        any_store.update(f"INSERT DATA {{ GRAPH {G} {{ {data.decode()} }} }}")
    elif way == "put":
        any_store.put_graph(G, data)
    else:
        any_store.bulk_graph(G, data)
    assert size(any_store) == 12_000


@pytest.mark.parametrize("way", ["put", "update"])
def test_readers_see_the_old_graph_or_the_new_one(any_store: Store, way: str) -> None:
    any_store.put_graph(G, numbered(1000))
    seen: set[int] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(size(any_store))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for turn in range(4):
        data = numbered(1000 if turn % 2 else 1500, f"n{turn}")
        if way == "put":
            any_store.put_graph(G, data)
        else:
            any_store.update(
                f"DROP SILENT GRAPH {G} ; INSERT DATA {{ GRAPH {G} {{ {data.decode()} }} }}"
            )
    done.set()
    for reader in readers:
        reader.join()
    assert seen <= {1000, 1500}


@pytest.mark.parametrize(
    "broken",
    [
        f"DROP GRAPH {G} ; INSERT DATA {{ GRAPH {G} {{ <{E}a> <{E}b> }} }}",
        f"DROP GRAPH {G} ; CREATE GRAPH {H} ; COPY <{E}none> TO {G}",
    ],
)
def test_an_update_that_fails_changes_nothing(any_store: Store, broken: str) -> None:
    any_store.put_graph(G, numbered(3))
    any_store.put_graph(H, numbered(2, "h"))
    with pytest.raises(StoreError):
        any_store.update(broken)
    assert size(any_store) == 5


def test_an_update_of_several_operations_is_done_every_time(any_store: Store) -> None:
    graph = "GRAPH <http://e.org/counted>"
    node = f"{graph} {{ <http://e.org/n> <http://e.org/count> ?old }}"
    more = (
        f"DELETE {{ {node} }} INSERT {{ {node.replace('?old', '?new')} }} "
        f"WHERE {{ OPTIONAL {{ {node} }} BIND(COALESCE(?old, 0) + 1 AS ?new) }}"
    )
    gone = f"DELETE WHERE {{ {graph} {{ <http://e.org/other> ?p ?o }} }}"
    for _ in range(20):
        any_store.update(f"DROP SILENT GRAPH <http://e.org/none> ; {gone} ; {more}")
    rows = any_store.select(f"SELECT ?old {{ {node} }}").rows
    assert [row[0] for row in rows] == [Literal(20)]


def test_a_broken_body_leaves_the_old_graph(any_store: Store) -> None:
    any_store.put_graph(G, numbered(3))
    with pytest.raises(StoreRefused):
        any_store.put_graph(G, numbered(4) + b"\n<broken")
    assert size(any_store) == 3


def test_an_outside_query_ends_by_its_deadline_and_the_next_works(any_store: Store) -> None:
    any_store.put_graph(G, numbered(4000))
    b"".join(any_store.query_raw("SELECT (1 AS ?x) {}", TSV).chunks)
    start = time.monotonic()
    with pytest.raises((StoreTimeout, QueryRefused)):
        b"".join(any_store.query_raw(CROSS, TSV, deadline=1).chunks)
    assert time.monotonic() - start < 3
    rows = b"".join(any_store.query_raw("SELECT (1 AS ?x) {}", TSV).chunks)
    assert rows.split() == [b"?x", b"1"]


@pytest.mark.parametrize("sparql", [CROSS, GROUPS], ids=["count", "groups"])
def test_fuseki_itself_ends_what_gives_no_row(fresh_fuseki: Endpoints, sparql: str) -> None:
    call = Call("query", sparql.encode(), "application/sparql-query", TSV)
    call = replace(call, parameters=fresh_fuseki.within(1))
    with open_remote(fresh_fuseki, deadline=10) as store:
        store.put_graph(G, numbered(8000))
        start = time.monotonic()
        with (
            pytest.raises(StoreTimeout, match="stopped the call"),
            store.exchange(fresh_fuseki, call, start + 25),
        ):
            pytest.fail("it gave a result")
        assert time.monotonic() - start < 8


def test_without_the_password_nothing_can_be_read_or_written(fuseki: Endpoints) -> None:
    for user, password in [("", ""), ("askonto", "wrong"), ("other", fuseki.password)]:
        stranger = Endpoints(fuseki.query, fuseki.update, fuseki.data, user, password)
        with open_remote(stranger, deadline=5) as store:
            with pytest.raises(StoreRefused, match="password"):
                store.ask("ASK {}")
            with pytest.raises(StoreRefused, match="password"):
                store.update("DROP ALL")
            with pytest.raises(StoreRefused, match="password"):
                store.put_graph(G, b"")


def test_a_fuseki_that_is_restarted_is_used_again_with_its_data(tmp_path: Path) -> None:
    port = free_port()
    lines = b"<http://e.org/a> <http://e.org/b> <http://e.org/c> .\n"
    with running(tmp_path, port) as endpoints:
        store = open_remote(endpoints, deadline=10)
        store.put_graph(NamedNode("http://e.org/g"), lines)
    with pytest.raises(StoreUnavailable):
        store.select("SELECT * { ?s ?p ?o }")
    with running(tmp_path, port):
        assert len(store.select("SELECT * { ?s ?p ?o }").rows) == 1
    store.close()


def test_fuseki_is_compacted_for_its_user_alone(fresh_fuseki: Endpoints) -> None:
    wrong = replace(fresh_fuseki, password="wrong")
    with open_remote(wrong, deadline=5) as store, pytest.raises(StoreRefused, match="password"):
        whole.compact(store)
    with open_remote(fresh_fuseki, deadline=30) as store:
        store.put_graph(G, b"<http://e.org/s> <http://e.org/p> <http://e.org/o> .")
        whole.compact(store)
        assert store.ask(f"ASK {{ GRAPH {G} {{ ?s ?p ?o }} }}")
        store.delete_graph(G)


def test_fuseki_calls_nobody_and_has_no_administration(fuseki: Endpoints) -> None:
    with open_remote(fuseki, deadline=5) as store, pytest.raises(QueryRefused):
        store.query_raw("SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", TSV)
    base = fuseki.query.removesuffix("askonto/sparql")
    for page in ("datasets", "server", "stats", "backup/askonto"):
        admin = replace(fuseki, query=f"{base}$/{page}")
        with open_remote(admin, deadline=5) as store, pytest.raises(StoreRefused) as error:
            store.ask("ASK {}")
        assert error.value.status == 404
