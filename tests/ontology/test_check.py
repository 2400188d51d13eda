from __future__ import annotations

import pyoxigraph as ox
import pytest
from pyoxigraph import Triple

from ontology.check import Severity, check
from ontology.imports import SHIPPED, closure
from ontology.read import read

PREFIXES = """@prefix e: <http://t/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
GOOD = 'e:A a owl:Class ; rdfs:label "a" . e:p a owl:DatatypeProperty ; rdfs:label "p" .\n'


def _triples(turtle: str) -> list[Triple]:
    return [quad.triple for quad in ox.parse(PREFIXES + turtle, format=ox.RdfFormat.TURTLE)]


def test_good_ontology_has_no_finding() -> None:
    assert check(_triples(GOOD)) == []


@pytest.mark.parametrize("name", ["onto.ttl", "energy.ttl", "places.ttl"])
def test_shipped_ontologies_have_no_finding(name: str) -> None:
    assert check(closure(read(SHIPPED / name)).triples) == []


@pytest.mark.parametrize(
    ("turtle", "iri", "said", "severity"),
    [
        ("<http://t/> a owl:Ontology .", "", "declares no class", Severity.ERROR),
        (GOOD + "e:A rdfs:subClassOf e:B .", "http://t/B", "used as a class", Severity.WARNING),
        (GOOD + "e:x a e:B .", "http://t/B", "used as a class", Severity.WARNING),
        (GOOD + "e:x a e:A ; e:q 1 .", "http://t/q", "used as a property", Severity.WARNING),
        (
            GOOD + 'e:B a owl:Class ; rdfs:label "b" ; rdfs:subClassOf e:A . '
            "e:A rdfs:subClassOf e:B .",
            "http://t/A",
            "below itself",
            Severity.WARNING,
        ),
        (GOOD + "e:B a owl:Class .", "http://t/B", "has no label", Severity.WARNING),
        (
            GOOD + "e:p a owl:ObjectProperty .",
            "http://t/p",
            "both an object and a datatype property",
            Severity.WARNING,
        ),
        (GOOD + "e:x a e:A . e:A a e:A .", "http://t/A", "punning", Severity.NOTE),
        (
            GOOD + 'e:x e:p "three"^^xsd:integer .',
            "http://t/x",
            "'three', which is no integer",
            Severity.WARNING,
        ),
        (GOOD + "e:p rdfs:range xsd:date .", "http://t/p", "ranges over date", Severity.NOTE),
    ],
)
def test_fault_is_found(turtle: str, iri: str, said: str, severity: Severity) -> None:
    findings = check(_triples(turtle))
    assert (iri, severity) in [(one.iri, one.severity) for one in findings if said in one.reason]
