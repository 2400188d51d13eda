"""What a graph is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from queries.store import Store
from service.index.schema import Hop, Schema, compute, current

E = "https://example.org/"
DATA = f"""
<{E}anna> a <{E}Person> ; <{E}parent> <{E}bea> ; <{E}born> "1950-01-02" ; <{E}code> "A1" .
<{E}bea> a <{E}Person> ; <{E}child> <{E}anna> ; <{E}near> <{E}carl> ; <{E}height> 170 .
<{E}carl> a <{E}Person> ; <{E}near> <{E}bea> ; <{E}height> 181 .
<{E}anna> <{E}lives> <{E}turin> . <{E}turin> a <{E}City> ; <{E}in> <{E}italy> .
"""


@pytest.fixture(scope="module")
def schema(store: Store) -> Schema:
    store.update(f"INSERT DATA {{ GRAPH <{E}g> {{ {DATA} }} }}")
    return compute(store, 1)


def test_classes_have_their_number_of_instances(schema: Schema) -> None:
    assert schema.classes == {f"{E}Person": 3, f"{E}City": 1}


def test_predicates_tell_what_they_lead_to(schema: Schema) -> None:
    lives, height = schema.predicates[f"{E}lives"], schema.predicates[f"{E}height"]
    assert lives.range == {f"{E}City": 1.0}
    assert lives.domain == {f"{E}Person": 1.0}
    assert (height.numbers, height.literals) == (1.0, 1.0)
    assert schema.predicates[f"{E}born"].dates == 1.0


def test_types_and_labels_are_no_predicates_to_ask_for(schema: Schema) -> None:
    assert not any("rdf-syntax" in iri or "rdf-schema" in iri for iri in schema.predicates)


def test_mirrored_and_symmetric_predicates_are_one(schema: Schema) -> None:
    assert schema.predicates[f"{E}near"].mirror == f"{E}near"
    assert schema.canonical(Hop(f"{E}near", True)) == Hop(f"{E}near")
    one = schema.canonical(Hop(f"{E}child", True))
    assert one == schema.canonical(Hop(f"{E}parent"))


def test_steps_follow_those_that_the_data_has(schema: Schema) -> None:
    after = schema.following[Hop(f"{E}lives")]
    assert Hop(f"{E}in") in after
    assert Hop(f"{E}height") not in after


def test_it_is_kept_until_the_generation_changes(store: Store, tmp_path: Path) -> None:
    first = current(store, tmp_path, 7)
    assert current(store, tmp_path, 7) == first
    assert current(store, tmp_path, 8).generation == 8


@pytest.mark.parametrize("left", ["", '{"version": ', "\0\0\0"])
def test_a_file_that_a_crash_left_broken_is_made_again(
    store: Store, tmp_path: Path, left: str
) -> None:
    first = current(store, tmp_path, 7)
    (tmp_path / "schema.json").write_text(left)
    assert current(store, tmp_path, 7) == first
