"""Every query file runs as it stands, says what it answers, and takes terms only as terms."""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import Literal, NamedNode

import ontology
from ontology.vocabulary import ONTO
from queries.library import Query, QueryError, load, union
from queries.store import Store
from queries.store.errors import StoreRefused
from queries.terms import TermError

ROOT = Path(__file__).parents[2] / "queries"
NAMES = sorted(str(file.relative_to(ROOT).with_suffix("")) for file in ROOT.rglob("*.rq"))
A, B, P = (NamedNode(f"http://example.org/{name}") for name in "abp")


@pytest.mark.parametrize("name", NAMES)
def test_each_query_runs_unchanged_and_says_what_it_answers(name: str) -> None:
    query = load(name)
    assert re.fullmatch(r"# [A-Z].{10,150}\.", query.text.split("\n")[0])
    pyoxigraph.Store().query(query.text)


@pytest.mark.parametrize("name", NAMES)
def test_each_query_runs_with_its_parameters_given(name: str, shared_store: Store) -> None:
    query = load(name)
    values = {part.name: _sample(part.kind, part.variables) for part in query.slots}
    text = query.bind(**values)
    assert "UNDEF" not in text
    forms = {"CONSTRUCT": shared_store.construct, "SELECT": shared_store.select}
    run = next((run for form, run in forms.items() if form in text), shared_store.ask)
    try:
        run(text)
    except StoreRefused as error:  # a number where the query reckons with one
        pytest.fail(str(error))


def _sample(kind: str, variables: str) -> object:
    if kind == "count":
        return 5
    return [A, B] if kind == "one" else [(A,) * len(variables.split())]


@pytest.mark.parametrize("name", NAMES)
def test_each_iri_of_ours_is_in_the_ontology(name: str) -> None:
    terms = (Path(ontology.__file__).parent / "onto.ttl").read_text(encoding="utf-8")
    known = {
        str(quad.subject) for quad in pyoxigraph.parse(terms, format=pyoxigraph.RdfFormat.TURTLE)
    }
    for local in re.findall(r"\bonto:(\w+)", load(name).text):
        assert f"<{ONTO.iri}#{local}>" in known


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_distinct_or_counted_or_of_named_graphs(name: str) -> None:
    text = load(name).text
    assert re.search(r"DISTINCT|GROUP BY|GRAPH|\bASK\b", text)


@pytest.mark.parametrize("name", [name for name in NAMES if "LATERAL {" in load(name).text])
def test_what_is_not_sparql_1_1_has_a_portable_twin(name: str) -> None:
    assert load(f"{name}_portable").parameters == load(name).parameters


def test_terms_go_into_every_place_of_their_parameter() -> None:
    text = "{ VALUES ?x { UNDEF } } UNION { VALUES ?x {UNDEF} } LIMIT 7 # ?limit"
    bound = Query.from_text("t", text).bind(x=[A, Literal("à", language="it")], limit=3)
    values = f'VALUES ?x {{ {A} "à"@it }}'
    assert bound == f"{{ {values} }} UNION {{ {values} }} LIMIT 3"


def test_rows_of_terms_go_together() -> None:
    query = Query.from_text("t", "VALUES (?s ?p) { (UNDEF UNDEF) }")
    assert query.bind(s_p=iter([(A, P), (B, P)])) == f"VALUES (?s ?p) {{ ({A} {P}) ({B} {P}) }}"


def test_an_empty_list_matches_nothing(shared_store: Store) -> None:
    query = load("retrieve/attributes")
    assert len(shared_store.select(query.bind(entity=[], predicate=[P], limit=9))) == 0


@pytest.mark.parametrize("values", [{}, {"entity": [A]}, {"entity": [A], "limit": 1, "other": []}])
def test_a_missing_or_unknown_parameter_is_an_error(values: dict[str, object]) -> None:
    with pytest.raises(QueryError, match="entity"):
        load("retrieve/neighbours_out").bind(**values)


@pytest.mark.parametrize("value", [A, "text", 3, None, [(A, P)], ["text"]])
def test_a_value_of_another_shape_is_an_error(value: object) -> None:
    with pytest.raises((QueryError, TermError)):
        Query.from_text("t", "VALUES ?x { UNDEF }").bind(x=value)


@pytest.mark.parametrize("value", [-1, 1.5, "3", [3]])
def test_a_limit_is_a_whole_number(value: object) -> None:
    with pytest.raises(QueryError):
        Query.from_text("t", "LIMIT 1 # ?limit").bind(limit=value)


@pytest.mark.parametrize("row", [(A,), (A, P, B), A, "ab"])
def test_a_row_has_as_many_terms_as_variables(row: object) -> None:
    with pytest.raises(QueryError):
        Query.from_text("t", "VALUES (?s ?p) { (UNDEF UNDEF) }").bind(s_p=[row])


@pytest.mark.parametrize(
    "name", ["retrieve/none", "../secret/file", "retrieve/head.rq", "", "head"]
)
def test_an_unknown_query_is_an_error(name: str) -> None:
    with pytest.raises(QueryError):
        load(name)


def test_a_parameter_inside_a_literal_stays_text() -> None:
    query = Query.from_text("t", "VALUES ?x { UNDEF } VALUES ?y { UNDEF }")
    hostile = Literal("VALUES ?y { UNDEF }")
    assert query.bind(x=[hostile], y=[A]).endswith(f"VALUES ?y {{ {A} }}")


def test_a_union_has_the_rows_of_all_queries_under_their_own_variables(shared_store: Store) -> None:
    shared_store.update(f"INSERT DATA {{ GRAPH {A} {{ {A} {P} {B} }} }}")
    out = load("retrieve/path_out").bind(plan_seed_first=[(Literal(0), A, P)], limit=1)
    against = load("retrieve/walk_in").bind(plan_seed_first_answer=[(Literal(1), B, P, A)], limit=1)
    found = shared_store.select(union([out, against]))
    rows = set(found.columns("plan", "seed", "answer", "first_graph", "missing"))
    assert rows == {(Literal(0), A, B, None, None), (Literal(1), B, A, A, None)}
