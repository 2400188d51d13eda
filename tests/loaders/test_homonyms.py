"""Things that share a name, and places."""

from __future__ import annotations

import pytest

from loaders.identity.homonyms import Homonyms, Mention, qualifier
from loaders.identity.places import place

BASE = "https://e.org/"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Castro", "Castro (BG) is small", "BG"),
        ("Castro", "the village of Castro near Bergamo is small", "Bergamo"),
        ("Castro", "Castro, in provincia di Lecce, si trova", "Lecce"),
        ("Legge 10", "la Legge 10 del 9 gennaio 1991", "1991"),
        ("Act 5", "Act 5 of 2001", "2001"),
        ("coefficient of performance", "the coefficient of performance (COP)", ""),
        ("Castro", "Castro lies on a lake", ""),
    ],
)
def test_a_text_tells_which_thing_of_a_name_is_meant(name: str, text: str, expected: str) -> None:
    assert qualifier(name, text) == expected


def test_a_bare_name_is_that_of_the_only_qualified_thing_around() -> None:
    mentions = [Mention("Castro", "Bergamo", 1), Mention("Castro", "Lecce", 2)]
    both = Homonyms(mentions)
    assert both.qualifier(Mention("castro", "", 1)) == "Bergamo"
    assert both.qualifier(Mention("castro", "", 3)) == ""
    assert Homonyms(mentions[:1]).qualifier(Mention("Castro", "", 3)) == "Bergamo"


def test_shipped_places_are_found_and_communes_made_within_them() -> None:
    assert place("Lombardia", BASE).node.value == "https://w3id.org/askonto/places/IT-25"
    near, same, far = (
        place("Castro", BASE, "Bergamo"),
        place("Castro (Bergamo)", BASE),
        place("Castro, Lecce", BASE),
    )
    assert near.node == same.node != far.node
    assert str(near.within) == "<https://w3id.org/askonto/places/IT-BG>"
    assert place("Bergamo", BASE, "Lombardia").node == near.within
