from __future__ import annotations

from pathlib import Path

import pytest
from pyshacl import validate
from rdflib import Graph

from ontology.imports import SHIPPED

PREFIXES = """@prefix e: <http://t/> .
@prefix onto: <https://w3id.org/askonto/onto#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
RELATIONSHIP = (
    "e:s onto:hasRelationship e:r . e:r a onto:Relationship ; onto:hasSource e:s ; "
    "onto:hasPredicate e:p ; "
)
DOCUMENT = 'e:d a onto:Document ; dcterms:title "D"@en ; dcterms:source <https://t/> '
CHUNK = DOCUMENT + "; onto:hasChunk e:c . e:c a onto:Chunk ; onto:position 0 ; "


@pytest.fixture(scope="module")
def shapes() -> Graph:
    return Graph().parse(SHIPPED / "shapes.ttl")


def _faults(data: Graph, shapes: Graph) -> str:
    conforms, _, text = validate(data, shacl_graph=shapes)
    return "" if conforms else str(text)


def test_sample_and_ontologies_conform(sample: Path, shapes: Graph) -> None:
    data = Graph().parse(sample / "graph.ttl")
    for name in ("onto.ttl", "energy.ttl", "places.ttl"):
        data.parse(SHIPPED / name)
    assert _faults(data, shapes) == ""


@pytest.mark.parametrize(
    ("turtle", "path"),
    [
        (RELATIONSHIP + "onto:hasTarget e:o , e:q .", "hasTarget"),
        (RELATIONSHIP + "onto:hasTarget e:o ; onto:hasValue 1 .", "XoneConstraint"),
        (RELATIONSHIP + 'onto:hasValue 1 ; onto:validFrom "2025" .', "validFrom"),
        (
            RELATIONSHIP + 'onto:hasValue 1 ; onto:validFrom "2026-01-01"^^xsd:date ; '
            'onto:validUntil "2025-01-01"^^xsd:date .',
            "LessThanOrEquals",
        ),
        (RELATIONSHIP + "onto:hasValue 1 ; onto:confidence 1.5 .", "confidence"),
        ('e:d a onto:Document ; dcterms:title "D" .', "OrConstraint"),
        (DOCUMENT + "; dcterms:source <file:///d> .", "source"),
        (CHUNK + 'onto:hasContent "no language" .', "hasContent"),
        (CHUNK + 'onto:hasContent "x"@en ; onto:page 0 .', "page"),
        ('e:c a onto:Chunk ; onto:position 0 ; onto:hasContent "x"@en .', "hasChunk"),
        ("e:s a onto:Source .", "address"),
    ],
)
def test_fault_breaks_a_shape(turtle: str, path: str, shapes: Graph) -> None:
    assert path in _faults(Graph().parse(data=PREFIXES + turtle), shapes)
