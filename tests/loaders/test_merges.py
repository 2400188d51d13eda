"""Merges of entities: proposed, accepted, undone, and gone with what they merge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from loaders.identity.merges import Merge, MergeError, Merges, by_key
from loaders.identity.names import entity
from loaders.identity.similar import Candidate, pairs
from loaders.ports import Vectors
from ontology.vocabulary import OWL, RDFS
from tests.loaders.conftest import BASE, Desk, Write


class Senses:
    """An embedder that knows what a few names mean."""

    model = "senses"

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what the names mean."""
        senses = {"pompa di calore": 0, "heat pump": 0, "lavatrice": 1, "forno": 2}
        rows = [np.eye(8)[senses.get(text.lower(), 3 + len(text) % 5)] for text in texts]
        return np.array(rows, np.float32)

    questions = passages

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Vectors of both, which are alike here."""
        return self.passages(questions), self.passages(passages)


def turtle(*things: tuple[str, ...]) -> str:
    return "".join(
        f'{entity(name, BASE)} {RDFS.label} "{name}"{"".join(language)} ; a <http://e/{kind}> .\n'
        for name, kind, *language in things
    )


THINGS = turtle(
    ("Pompa di calore", "Heater"),
    ("heat pump", "Heater", "@en"),
    ("Lavatrice", "Appliance"),
    ("Lavatrici", "Appliance"),
    ("Forno", "Appliance"),
    ("forni", "Room"),
    ("Bonus 2024", "Bonus"),
    ("Bonus 2025", "Bonus"),
)


def names(merges: Sequence[Merge]) -> set[frozenset[str]]:
    return {frozenset(one.names) for one in merges}


def test_pairs_are_alike_in_letters_or_sense_and_of_one_kind(desk: Desk, write: Write) -> None:
    desk.load(write("x.ttl", THINGS))
    merges = Merges(desk.store, desk.loader.iris)
    assert names(merges.proposed(None)) == {frozenset({"Lavatrice", "Lavatrici"})}
    assert names(merges.proposed(Senses())) == {
        frozenset({"Lavatrice", "Lavatrici"}),
        frozenset({"Pompa di calore", "heat pump"}),
    }


def test_a_merge_is_accepted_listed_and_undone(desk: Desk, write: Write) -> None:
    desk.load(write("x.ttl", THINGS))
    merges = Merges(desk.store, desk.loader.iris)
    (proposed,) = merges.proposed(None)
    merges.accept(proposed)
    (accepted,) = merges.accepted()
    assert (accepted.key, set(accepted.names)) == (proposed.key, set(proposed.names))
    assert merges.proposed(None) == []
    same = f"ASK {{ GRAPH {desk.loader.iris.merges} {{ ?a {OWL.sameAs} ?b }} }}"
    assert desk.store.ask(same)
    assert desk.loader.iris.merges.value in desk.ledger.sources
    merges.undo(accepted)
    assert not desk.store.ask(same)
    assert merges.accepted() == []
    assert desk.loader.iris.merges.value not in desk.ledger.sources


def test_a_merge_goes_with_the_last_source_of_an_entity(desk: Desk, write: Write) -> None:
    path = write("x.ttl", THINGS)
    other = write("y.ttl", turtle(("Lavatrice", "Appliance")))
    desk.load(path, other)
    merges = Merges(desk.store, desk.loader.iris)
    merges.accept(merges.proposed(None)[0])
    assert desk.loader.unload(str(other)).merges == 0
    assert desk.loader.unload(str(path)).merges == 1
    assert merges.accepted() == []
    assert desk.count() == 0


def test_a_key_that_leads_nowhere_or_to_several_is_told() -> None:
    ends = [entity(name, BASE) for name in "abc"]
    merges = [Merge(ends[0], ends[1], 1.0), Merge(ends[1], ends[2], 1.0)]
    assert by_key(merges, merges[0].key[:6]) is merges[0]
    for key in ("", "nothing"):
        with pytest.raises(MergeError):
            by_key(merges, key)


def test_what_a_name_says_against_it_counts() -> None:
    def candidate(name: str) -> Candidate:
        return Candidate(entity(name, BASE), ((name, "it"),), frozenset(), True)

    apart = [candidate("Castro (Bergamo)"), candidate("Castro (Lecce)")]
    assert pairs(apart, None) == []
    assert len(pairs([candidate("Castro (Bergamo)"), candidate("Castro Bergamo")], None)) == 1
