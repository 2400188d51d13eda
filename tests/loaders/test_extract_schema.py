"""The part of an ontology that a text is about."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pyoxigraph import NamedNode, RdfFormat, Triple, parse

from loaders.extract.schema import Schema, folded
from ontology.imports import SHIPPED, closure
from ontology.read import read
from ontology.vocabulary import ONTO

E = "https://w3id.org/askonto/energy#"


@pytest.fixture(scope="module")
def energy() -> Schema:
    return Schema.from_triples(closure(read(SHIPPED / "energy.ttl")).triples)


def test_terms_are_found_by_key_label_and_alternative_label(energy: Schema) -> None:
    names = ("spendingLimit", "spending limit", "Spending_Limit", "spending cap")
    for name in names:
        found = energy.property_named(name)
        assert found
        assert found.iri.value == f"{E}spendingLimit"
    assert energy.class_named("Detrazione fiscale") == NamedNode(f"{E}TaxDeduction")
    assert energy.class_named("unicorn") is None


def test_structure_is_no_term_and_places_are(energy: Schema) -> None:
    assert energy.property_named("hasChunk") is None
    assert energy.class_named("Document") is None
    assert energy.class_named("luogo") == ONTO.Place


def test_unions_units_and_the_classes_above_count(energy: Schema) -> None:
    covers, limit = energy.property_named("covers"), energy.property_named("spendingLimit")
    assert covers
    assert limit
    assert len(covers.range) == 3
    assert (covers.is_data, limit.is_data, limit.units) == (False, True, frozenset("€"))
    assert energy.agree(NamedNode(f"{E}TaxDeduction"), limit.domain)
    assert not energy.agree(NamedNode(f"{E}Appliance"), limit.domain)


def test_a_large_ontology_gives_the_prompt_what_the_text_is_about() -> None:
    schema = Schema.from_triples(ontology(200, "wingSpan", "span of the wings"))
    part = schema.about("The span of its wings is two metres.")
    keys = [one.key for one in part.properties.values()]
    assert len(keys) == 40
    assert "wingSpan" in keys


def test_terms_that_end_alike_are_told_apart_by_their_iris() -> None:
    lines = "<http://a/name> a owl:DatatypeProperty . <http://b#name> a owl:DatatypeProperty ."
    schema = Schema.from_triples(turtle(lines))
    assert [one.key for one in schema.properties.values()] == ["http://a/name", "http://b#name"]


def test_folded_words_have_no_case_accents_or_humps() -> None:
    assert folded("spendingLimit") == folded("Spending-limit ") == "spending limit"
    assert folded("Città") == "citta"


def ontology(size: int, name: str, label: str) -> Sequence[Triple]:
    others = "".join(
        f'<http://t/p{n}> a owl:DatatypeProperty ; rdfs:label "quality {n}"@en .\n'
        for n in range(size)
    )
    return turtle(f'{others}<http://t/{name}> a owl:DatatypeProperty ; rdfs:label "{label}"@en .')


def turtle(text: str) -> Sequence[Triple]:
    prefixes = (
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    )
    return [quad.triple for quad in parse(prefixes + text, format=RdfFormat.TURTLE)]
