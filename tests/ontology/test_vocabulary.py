from __future__ import annotations

import re

from pyoxigraph import NamedNode

from ontology import vocabulary
from ontology.check import declared
from ontology.imports import SHIPPED
from ontology.read import read
from ontology.vocabulary import ONTO, RDFS

TRIPLES = read(SHIPPED / "onto.ttl").triples


def _terms(vocabulary_class: type) -> set[NamedNode]:
    return {value for value in vars(vocabulary_class).values() if isinstance(value, NamedNode)}


def test_onto_declares_exactly_the_terms_that_python_names() -> None:
    ours = {term for terms in declared(TRIPLES) for term in terms}
    assert {t for t in ours if t.value.startswith(ONTO.namespace)} == _terms(ONTO)


def test_every_onto_term_has_label_and_comment_in_both_languages() -> None:
    for predicate in (RDFS.label, RDFS.comment):
        for language in ("en", "it"):
            told = {
                t.subject
                for t in TRIPLES
                if t.predicate == predicate and getattr(t.object, "language", "") == language
            }
            assert _terms(ONTO) <= told, (predicate, language)


def test_reused_terms_of_dublin_core_prov_and_skos_are_declared() -> None:
    ours = {term for terms in declared(TRIPLES) for term in terms}
    reused = _terms(vocabulary.DCTERMS) | _terms(vocabulary.PROV) | _terms(vocabulary.SKOS)
    assert reused <= ours


def test_energy_terms_have_label_and_comment_in_both_languages_and_properties_a_range() -> None:
    triples = read(SHIPPED / "energy.ttl").triples
    classes, properties = declared(triples)
    energy = {t for t in classes | properties if "/energy#" in t.value}
    assert len(energy) > 60
    for predicate in (RDFS.label, RDFS.comment):
        for language in ("en", "it"):
            told = {
                t.subject
                for t in triples
                if t.predicate == predicate and getattr(t.object, "language", "") == language
            }
            assert energy <= told
    for predicate in (RDFS.domain, RDFS.range):
        assert energy & properties <= {t.subject for t in triples if t.predicate == predicate}


def test_shapes_speak_only_of_declared_terms() -> None:
    text = (SHIPPED / "shapes.ttl").read_text(encoding="utf-8")
    used = {NamedNode(ONTO.namespace + name) for name in re.findall(r"onto:(\w+)", text)}
    assert used <= _terms(ONTO)
