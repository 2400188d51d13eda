"""The sample speaks the energy ontology's language, and its files are what they say they are."""

from __future__ import annotations

import json
import runpy
from datetime import date
from pathlib import Path

import pyoxigraph as ox
import pytest
from pyoxigraph import NamedNode, Triple

from ontology.check import check
from ontology.imports import SHIPPED, closure
from ontology.places import places
from ontology.read import read
from ontology.vocabulary import ONTO, RDF, RDFS

FRONT_MATTER = {"title", "publisher", "url", "language", "issued"}
OPTIONAL = {"valid_from", "valid_until", "applies_in"}


@pytest.fixture(scope="module")
def graph(sample: Path) -> list[Triple]:
    return [quad.triple for quad in ox.parse(path=sample / "graph.ttl")]


def test_every_term_is_declared_and_every_literal_is_well_formed(graph: list[Triple]) -> None:
    ontology = closure(read(SHIPPED / "energy.ttl")).triples
    assert check([*ontology, *graph]) == []


def test_every_entity_has_a_label_in_both_languages(graph: list[Triple]) -> None:
    labels = {(t.subject, getattr(t.object, "language", "")) for t in graph if _labels(t)}
    entities = {
        t.subject
        for t in graph
        if t.predicate == RDF.type and t.object not in (ONTO.Relationship, ONTO.Document)
    }
    languages = {(entity, language) for entity in entities for language in ("it", "en")}
    assert languages <= labels


def _labels(triple: Triple) -> bool:
    return triple.predicate == RDFS.label


def test_every_relationship_has_its_flat_triple_beside_it(graph: list[Triple]) -> None:
    stated = {(t.subject, t.predicate, t.object) for t in graph}
    of: dict[NamedNode, dict[NamedNode, object]] = {}
    for triple in graph:
        of.setdefault(triple.subject, {})[triple.predicate] = triple.object  # type: ignore[arg-type]
    relationships = [one for one in of.values() if one.get(RDF.type) == ONTO.Relationship]
    assert len(relationships) > 30
    for one in relationships:
        value = one.get(ONTO.hasTarget) or one[ONTO.hasValue]
        assert (one[ONTO.hasSource], one[ONTO.hasPredicate], value) in stated


def test_places_are_known(graph: list[Triple]) -> None:
    used = {t.object for t in graph if t.predicate == ONTO.appliesIn}
    assert used <= set(places().by_name.values())


def test_front_matter_is_simple_and_whole(sample: Path) -> None:
    documents = sorted((sample / "documents").glob("*.md"))
    assert len(documents) >= 6
    for path in documents:
        head = path.read_text(encoding="utf-8").split("---\n")[1]
        told = dict(line.split(": ", 1) for line in head.splitlines())
        assert told.keys() >= FRONT_MATTER and told.keys() <= FRONT_MATTER | OPTIONAL, path.name
        for key in ("issued", "valid_from", "valid_until"):
            assert date.fromisoformat(told.get(key, "2026-01-01"))
        assert NamedNode(told.get("applies_in", "https://w3id.org/askonto/places/EU")) in set(
            places().by_name.values()
        )


def test_pdf_is_what_its_script_writes(sample: Path) -> None:
    written = runpy.run_path(str(sample / "make_pdf.py"))["pdf"]()
    assert (sample / "documents" / "conto-termico-3.pdf").read_bytes() == written


def test_expected_answers_are_labels_or_values_of_the_sample(
    sample: Path, graph: list[Triple]
) -> None:
    known = {getattr(triple.object, "value", "") for triple in graph}
    lines = (sample / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    assert {question["lang"] for question in questions} == {"it", "en"}
    assert any(not question["expected"] for question in questions)
    for question in questions:
        assert set(question["expected"]) <= known, question["id"]
        assert places().named(question.get("place", "IT"))
