from __future__ import annotations

import pytest

from ontology.places import places


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ticino", "CH-TI"),
        ("cantone ticino", "CH-TI"),
        ("Tessin", "CH-TI"),
        ("CH-TI", "CH-TI"),
        ("Svizzera", "CH"),
        ("Italy", "IT"),
        ("Unione europea", "EU"),
        ("Milan", "IT-MI"),
        ("Lussemburgo", "LU"),
    ],
)
def test_place_is_found_by_code_and_name(text: str, code: str) -> None:
    found = places().named(text)
    assert found is not None
    assert found.value == f"https://w3id.org/askonto/places/{code}"


def test_small_words_are_no_codes() -> None:
    assert places().named("it") is None
    assert places().named("Atlantis") is None


def test_places_lie_in_each_other() -> None:
    milan = places().named("Milano")
    assert milan is not None
    codes = [place.value.rpartition("/")[2] for place in places().around(milan)]
    assert codes == ["IT-MI", "IT-25", "IT", "EU"]


def test_asker_sees_what_applies_around_the_place_only() -> None:
    known = places()
    ticino, swiss, italy, union = map(known.named, ("CH-TI", "CH", "IT", "EU"))
    assert ticino and swiss and italy and union
    assert known.concerns(swiss, ticino)
    assert known.concerns(union, italy)
    assert not known.concerns(italy, ticino)
    assert not known.concerns(ticino, swiss)
