from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from loaders import ontology
from loaders.iris import Iris
from loaders.ledger import Ledger
from ontology.read import OntologyError
from ontology.vocabulary import ONTO, OWL
from queries.store import Store

BASE = "https://w3id.org/askonto/data/"
IRIS = Iris(BASE)
PREFIXES = """@prefix e: <http://t/s#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://t/s> a owl:Ontology .
"""
DOG = 'e:Dog a owl:Class ; rdfs:label "dog"@en .\n'
CAT = 'e:Cat a owl:Class ; rdfs:label "cat"@en .\n'
OWNED = (
    'e:owner a owl:ObjectProperty ; rdfs:label "owner"@en .\n'
    "e:Dog rdfs:subClassOf [ a owl:Restriction ; owl:onProperty e:owner ; "
    "owl:someValuesFrom e:Cat ] .\n"
)


def _saved(folder: Path, turtle: str) -> Path:
    path = folder / "pets.owl"
    path.write_text(PREFIXES + turtle, encoding="utf-8")
    return path


def _classes(store: Store) -> set[str]:
    query = f"SELECT ?c {{ GRAPH {IRIS.ontology} {{ ?c a {OWL.Class} }} }}"
    found = {str(row[0]).strip("<>") for row in store.select(query).rows}
    return {iri.removeprefix("http://t/s#") for iri in found if iri.startswith("http://t/")}


def _restrictions(store: Store) -> int:
    owner = "<http://www.w3.org/2002/07/owl#onProperty> <http://t/s#owner>"
    query = f"SELECT ?r {{ GRAPH {IRIS.ontology} {{ ?r {owner} }} }}"
    return len(store.select(query).rows)


def test_reload_publishes_onto_with_the_file(store: Store, tmp_path: Path) -> None:
    report = ontology.reload(store, _saved(tmp_path, DOG + CAT + OWNED), BASE)
    assert report.files == ("pets.owl", "onto.ttl")
    assert _classes(store) == {"Dog", "Cat"}
    assert store.ask(f"ASK {{ GRAPH {IRIS.ontology} {{ {ONTO.Entity} ?p ?o }} }}")
    source = Ledger.from_store(store, IRIS).sources[IRIS.ontology.value]
    assert source.triples == report.triples


def test_deleted_class_goes_with_its_restrictions(store: Store, tmp_path: Path) -> None:
    ontology.reload(store, _saved(tmp_path, DOG + CAT + OWNED), BASE)
    assert _restrictions(store) == 1
    ontology.reload(store, _saved(tmp_path, DOG), BASE)
    assert _classes(store) == {"Dog"}
    assert _restrictions(store) == 0


@pytest.mark.parametrize(
    ("turtle", "said"),
    [
        ((DOG + CAT)[:-60], r"pets\.owl, line 5"),
        ("", "declares no class"),
        ("<http://t/s> owl:imports <https://w3id.org/askonto/onto> .", "declares no class"),
    ],
)
def test_broken_or_empty_file_leaves_the_live_ontology(
    store: Store, tmp_path: Path, turtle: str, said: str
) -> None:
    ontology.reload(store, _saved(tmp_path, DOG + CAT), BASE)
    generation = Ledger.from_store(store, IRIS).sources[IRIS.ontology.value].generation
    with pytest.raises(OntologyError, match=said):
        ontology.reload(store, _saved(tmp_path, turtle), BASE)
    assert _classes(store) == {"Dog", "Cat"}
    assert Ledger.from_store(store, IRIS).sources[IRIS.ontology.value].generation == generation


def test_instances_survive_and_vanished_types_are_told(store: Store, tmp_path: Path) -> None:
    ontology.reload(store, _saved(tmp_path, DOG + CAT), BASE)
    store.update("INSERT DATA { GRAPH <http://t/pets> { <http://t/tom> a <http://t/s#Cat> } }")
    assert ontology.reload(store, _saved(tmp_path, DOG + CAT), BASE).gone == ()
    (gone,) = ontology.reload(store, _saved(tmp_path, DOG), BASE).gone
    assert (gone.iri, gone.instances) == ("http://t/s#Cat", 1)
    assert store.ask("ASK { GRAPH <http://t/pets> { <http://t/tom> a <http://t/s#Cat> } }")


def test_missing_import_is_a_warning(store: Store, tmp_path: Path) -> None:
    turtle = DOG + "<http://t/s> owl:imports <http://127.0.0.1:1/x> ."
    report = ontology.reload(store, _saved(tmp_path, turtle), BASE)
    assert "<http://127.0.0.1:1/x> is not beside the file" in report.warnings[0]
    assert _classes(store) == {"Dog"}


def test_shipped_ontologies_are_published_without_places(store: Store) -> None:
    report = ontology.reload(store, None, BASE)
    assert set(report.files) == {"onto.ttl", "energy.ttl"}
    assert not report.findings
    assert not store.ask(
        f"ASK {{ GRAPH {IRIS.ontology} {{ <https://w3id.org/askonto/places/IT> ?p ?o }} }}"
    )
    heat_pump = NamedNode("https://w3id.org/askonto/energy#HeatPump")
    assert store.ask(f"ASK {{ GRAPH {IRIS.ontology} {{ {heat_pump} ?p ?o }} }}")


def test_edited_onto_takes_the_shipped_ones_place(store: Store, tmp_path: Path) -> None:
    turtle = PREFIXES.replace("<http://t/s> a", "<https://w3id.org/askonto/onto> a") + DOG
    path = tmp_path / "onto.ttl"
    path.write_text(turtle)
    assert ontology.reload(store, path, BASE).files == ("onto.ttl",)


def test_ensure_publishes_only_where_no_ontology_is_live(store: Store, tmp_path: Path) -> None:
    store.update("DROP ALL")
    assert ontology.ensure(store, None, BASE)
    ontology.reload(store, _saved(tmp_path, DOG), BASE)
    assert ontology.ensure(store, None, BASE) is None
    assert _classes(store) == {"Dog"}
