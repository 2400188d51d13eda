"""Values as models and texts write them."""

from __future__ import annotations

import pytest
from pyoxigraph import NamedNode

from loaders.extract.values import Kind, literal, split, unit
from ontology.vocabulary import RDFS, XSD


@pytest.mark.parametrize(
    ("text", "quote", "language", "value"),
    [
        ("5000", "5.000 euro", "it", "5000"),
        ("5.000", "5.000 euro", "it", "5000"),
        ("5.000", "5000", "it", "5"),
        ("0,68", "0,68 kWh", "it", "0.68"),
        ("0.68", "0,68 kWh", "it", "0.68"),
        ("5,000.5", "5,000.5", "en", "5000.5"),
        ("10 000", "10 000 €", "fr", "10000"),
        ("1'000", "1'000 franchi", "it", "1000"),
        ("−5", "−5 °C", "en", "-5"),
        ("900.000.000", "900.000.000", "it", "900000000"),
        ("many", "many", "en", None),
    ],
)
def test_a_number_is_read_by_the_conventions_of_its_text(
    text: str, quote: str, language: str, value: str | None
) -> None:
    found = literal(text, Kind.NUMBER, frozenset({XSD.decimal}), quote=quote, language=language)
    assert (found and found.value) == value


@pytest.mark.parametrize(
    ("text", "kind", "datatype", "value"),
    [
        ("31 dicembre 2038", Kind.DATE, RDFS.Literal, "2038-12-31"),
        ("2038-12-31", Kind.TEXT, XSD.date, "2038-12-31"),
        ("yes", Kind.BOOLEAN, RDFS.Literal, "true"),
        ("L. 207/2024", Kind.NUMBER, XSD.string, "L. 207/2024"),
        ("2.5", Kind.NUMBER, XSD.integer, None),
        ("2017", Kind.NUMBER, XSD.gYear, "2017"),
    ],
)
def test_a_value_has_the_datatype_asked_for_or_there_is_none(
    text: str, kind: Kind, datatype: NamedNode, value: str | None
) -> None:
    found = literal(text, kind, frozenset({datatype}), quote=text, language="it")
    assert (found and found.value) == value
    assert found is None or datatype in (RDFS.Literal, found.datatype)


def test_words_of_the_text_carry_its_language_and_others_none() -> None:
    told, made = (
        literal(text, Kind.TEXT, frozenset(), quote="in classe A", language="it")
        for text in ("classe A", "class A")
    )
    assert (told and told.language, made and made.language) == ("it", None)


def test_units_are_equal_in_all_spellings() -> None:
    assert unit("EUR") == unit("euro") == unit("€") == "€"
    assert unit("per cento") == unit("percent") == "%"
    assert unit("giorni") == unit("days")
    assert unit("kWh") == "kWh"
    assert split("5.000 euro") == ("5.000", "euro")
