"""Words known in several languages, whatever their ending."""

from __future__ import annotations

import pytest

from service.answering.glossary import Glossary, stem
from service.answering.lexicon import Lexicon, generic_questions, table
from service.answering.localise import localised

LANGUAGES = ("it", "en", "de", "fr", "es")


def test_inflections_of_a_word_have_one_stem() -> None:
    assert stem("lavatrici") == stem("lavatrice")
    assert stem("Ovens") == stem("oven")
    assert stem("A") == "a"


def test_longest_entry_is_found_first() -> None:
    found = Glossary.between("en", "it").found("Which washing machines save hot water?")
    assert list(found) == ["washing machines", "save", "hot water"]
    assert found["washing machines"] == ("lavatrice",)


def test_words_of_the_caller_go_before_the_built_in_ones() -> None:
    own = Glossary.between("it", "en").with_entries([("forno", "kiln")])
    assert own.translate("un forno nuovo") == "un kiln nuovo"
    assert Glossary.between("it", "en").translate("un forno nuovo") == "un oven nuovo"


def test_unknown_language_leaves_the_text_as_it_is() -> None:
    assert Glossary.between("it", "ja").translate("il forno") == "il forno"
    assert Lexicon.between("it", "ja").translate("1 marzo") == "1 marzo"


def test_dates_and_measures_are_told_in_the_askers_language() -> None:
    told = localised("dal 15 ottobre al 15 aprile, 14 ore al giorno", "it", "en")
    assert told == "from 15 October al 15 April, 14 hours per day"


def test_letter_that_names_a_class_is_no_word() -> None:
    assert localised("classe E", "it", "en") == "class E"


def test_own_language_is_left_alone() -> None:
    assert localised("14 ore", "it", "it") == "14 ore"


@pytest.mark.parametrize("name", ["parallel.tsv", "lexicon.tsv", "glossary.tsv"])
def test_word_lists_have_every_cell(name: str) -> None:
    for line in table(name):
        assert tuple(line) == LANGUAGES
        assert all(cell and all(cell) for cell in line.values()), line


def test_generic_questions_are_the_same_number_in_each_language() -> None:
    assert {len(generic_questions(language)) for language in LANGUAGES} == {60}
    assert generic_questions("ja") == []


def test_a_sentence_keeps_its_words_but_for_measures_and_explains_the_main_ones() -> None:
    text = "Dal 15 ottobre il riscaldamento di una casa nuova può restare acceso 14 ore al giorno"
    told = localised(text, "it", "en")
    assert told.startswith("from 15 October il riscaldamento di una casa nuova")
    assert "14 hours per day" in told
    assert "riscaldamento: heating" in told
