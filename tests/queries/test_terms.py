"""Terms enter queries by RDF's own serialisation."""

from __future__ import annotations

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Store

from queries.terms import TermError, named, serialise

HOSTILE = [
    '" } ; DROP ALL ; #',
    "> } ; DROP ALL",
    "'''\"\"\"",
    "\\",
    "line\nbreak\r\t",
    "{}",
    "é\u2028",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_literal_comes_back_as_it_went_in(text: str) -> None:
    query = f"SELECT ?x {{ BIND({serialise(Literal(text))} AS ?x) }}"
    rows = [row[0] for row in Store().query(query)]  # type: ignore[union-attr]
    assert rows == [Literal(text)]


@pytest.mark.parametrize(
    "text", ["", "a", "a b", "http://e/>", 'http://e/"', "http://e/{", "\ud800"]
)
def test_what_is_no_iri_is_refused_by_name(text: str) -> None:
    with pytest.raises(TermError):
        named(text)


def test_an_iri_of_any_script_is_a_term() -> None:
    assert serialise(named("https://esempio.it/caffè/咖啡")) == "<https://esempio.it/caffè/咖啡>"


@pytest.mark.parametrize("thing", [BlankNode("b"), "text", 3, None])
def test_only_iris_and_literals_are_serialised(thing: object) -> None:
    with pytest.raises(TermError):
        serialise(thing)


def test_named_gives_a_pyoxigraph_term() -> None:
    assert named("urn:isbn:1") == NamedNode("urn:isbn:1")
