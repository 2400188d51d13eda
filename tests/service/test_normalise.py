"""Texts made comparable."""

from __future__ import annotations

import pytest

from service.index.normalise import grams, local_name, normalise, proper, variants


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  Città  di-Roma! ", "citta di roma"),
        ("STRASSE Straße", "strasse strasse"),
        ("CO₂ ½", "co2 1 2"),
        ("snake_case", "snake case"),
        ("...", ""),
        ("Київ 北京", "киів 北京"),
    ],
)
def test_accents_case_and_punctuation_go(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_composed_and_decomposed_letters_are_one() -> None:
    assert normalise("Caf\u00e9") == normalise("Cafe\u0301") == "cafe"


def test_grams_mark_where_words_begin_and_end() -> None:
    assert grams("È ok") == ["_e_", "e_o", "_ok", "ok_"]
    assert grams("abc", (4, 5)) == ["_abc", "abc_", "_abc_"]


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://x.test/ns#heatPump", "heat Pump"),
        ("http://x.test/r/directed_by", "directed by"),
        ("http://x.test/Caf%C3%A9_Roma/", "Café Roma"),
        ("http://x.test/HTTPServer", "HTTP Server"),
        ("http://x.test/ns#IdentifiedObject.name", "Identified Object name"),
        ("urn:isbn:Some-Book", "Some Book"),
        ("http://x.test/E1004237", ""),
        ("urn:uuid:f1769bc6-9aeb-11e5-91da-b8763fd99c5f", ""),
    ],
)
def test_iri_is_read_as_words_where_it_holds_any(iri: str, name: str) -> None:
    assert local_name(iri) == name


@pytest.mark.parametrize(
    ("text", "language", "one"),
    [
        ("Tom Baker", "", True),
        ("Tour de France 2024", "en", True),
        ("Apollo 13", "", True),
        ("heat pump", "en", False),
        ("Heat pump", "en", False),
        ("Wikipedia", "en", False),
        ("Elektrische Wärmepumpe", "de", False),
        ("Das Grüne Haus", "en", True),
    ],
)
def test_a_name_of_one_thing_is_told_by_its_capitals(text: str, language: str, one: bool) -> None:
    assert proper(text, language) is one


@pytest.mark.parametrize(
    ("label", "others"),
    [
        ("Pompa di calore (PdC)", ["Pompa di calore", "PdC"]),
        ("PdC (pompa di calore)", ["PdC", "pompa di calore"]),
        ("Mercury (planet)", ["Mercury"]),
        ("GSE – Gestore dei Servizi Energetici", ["GSE", "Gestore dei Servizi Energetici"]),
        ("Bologna - Modena", []),
        ("Heat pump", []),
    ],
)
def test_label_carries_its_acronym_where_it_is_one(label: str, others: list[str]) -> None:
    assert list(variants(label)) == others
