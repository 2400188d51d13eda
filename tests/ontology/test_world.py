from __future__ import annotations

import pyoxigraph as ox
import pytest
from pyoxigraph import Triple

from ontology.imports import SHIPPED, closure
from ontology.read import read
from ontology.world import opened

PREFIXES = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def _triples(turtle: str) -> list[Triple]:
    return [quad.triple for quad in ox.parse(PREFIXES + turtle, format=ox.RdfFormat.TURTLE)]


def test_worlds_do_not_share_classes() -> None:
    cat, dog = (_triples(f"<http://t/s/{name}> a owl:Class .") for name in ("Cat", "Dog"))
    with opened(cat, "v1") as one, opened(dog, "v2") as other:
        assert [found.iri for found in one.classes()] == ["http://t/s/Cat"]
        assert [found.iri for found in other.classes()] == ["http://t/s/Dog"]


@pytest.mark.parametrize("iri", ["http://t/s/Cat", "http://t/s#Dog", "http://t/s/0000240"])
def test_classes_are_found_by_full_iri(iri: str) -> None:
    with opened(_triples(f'<{iri}> a owl:Class ; rdfs:label "it"@en .'), "x") as world:
        assert world[iri].label.en == ["it"]


def test_undeclared_individuals_are_instances() -> None:
    with opened(_triples("<http://t/C> a owl:Class . <http://t/k> a <http://t/C> ."), "x") as world:
        assert [one.iri for one in world["http://t/C"].instances()] == ["http://t/k"]


def test_shipped_ontology_is_taken_in_without_its_imports_being_fetched() -> None:
    with opened(closure(read(SHIPPED / "energy.ttl")).triples, "energy.ttl") as world:
        heat_pump = world["https://w3id.org/askonto/energy#HeatPump"]
        assert heat_pump.label.it == ["pompa di calore"]
        assert "https://w3id.org/askonto/onto#Entity" in {one.iri for one in heat_pump.ancestors()}


def test_deep_expressions_leave_the_process_alive() -> None:
    deep = 1_500
    nested = "[ a owl:Class ; owl:complementOf " * deep + "<http://t/C>" + " ]" * deep
    triples = _triples(f"<http://t/C> a owl:Class . <http://t/D> rdfs:subClassOf {nested} .")
    with opened(triples, "deep") as world:
        assert world["http://t/C"] is not None
