"""What a question asks for, by its shape."""

from __future__ import annotations

import pytest

from service.answering.plan.intent import Form, Intent, read_intent
from service.answering.plan.words import read


def intent(text: str, language: str = "en") -> Intent:
    return read_intent(text, read(text, language), language)


@pytest.mark.parametrize(
    ("text", "language", "form"),
    [
        ("Which rivers cross Turin?", "en", Form.THINGS),
        ("How many rivers cross Turin?", "en", Form.COUNT),
        ("Does the Po cross Turin?", "en", Form.VERDICT),
        ("Can you list the rivers of Turin?", "en", Form.THINGS),
        ("Il Po attraversa Torino?", "it", Form.THINGS),
        ("Il Po è un fiume?", "it", Form.VERDICT),
        ("Quanti fiumi attraversano Torino?", "it", Form.COUNT),
        ("Wie viele Flüsse gibt es?", "de", Form.COUNT),
    ],
)
def test_the_form_of_the_answer_is_read(text: str, language: str, form: Form) -> None:
    assert intent(text, language).form is form


def test_the_noun_asked_for_is_found() -> None:
    assert intent("Which alpine rivers are in Turin?").asked == {1, 2}
    assert intent("Who are the mayors of Turin?").asked == {3}
    assert intent("Who designed the bridge?").asked == frozenset()
    assert intent("Show me all bridges over the Po").asked == {3}


def test_where_in_a_relative_clause_asks_nothing() -> None:
    assert intent("Where is Turin?").kind == "place"
    assert intent("Which towns where the Po flows are old?").kind == ""


def test_an_extreme_names_its_measure() -> None:
    extreme = intent("What is the heaviest bell of Turin?").extreme
    assert extreme is not None
    assert extreme.highest
    assert "weight" in extreme.hints


def test_numbers_bound_the_answer() -> None:
    bounds = intent("Which bridges are longer than 120.5 metres?").bounds
    assert [(bound.sign, bound.value) for bound in bounds] == [(">", 120.5)]
    assert intent("Which motors have a loss of -1.5E-06?").bounds[0].value == -1.5e-06


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the API of the weather office?", "en"),
        ("Which rivers cross Turin", "en"),
        ("List the bridges over the Po", "en"),
        ("Can you show me the bridges over the Po", "en"),
        ("Qual è il sito del museo?", "it"),
        ("Was ist die Adresse des Museums?", "de"),
        ("Quel est le site du musée ?", "fr"),
        ("¿Cuál es el sitio del museo?", "es"),
        ("Der Po?", "de"),
    ],
)
def test_a_question_is_no_bare_name(text: str, language: str) -> None:
    assert not intent(text, language).bare


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Tower of Pisa", "en"),
        ("number of floors", "en"),
        ("has opening hours", "en"),
        ("Waiting list", "en"),
        ("Torre di Pisa", "it"),
        ("Turm von Pisa", "de"),
        ("Tour de Pise", "fr"),
        ("Torre de Pisa", "es"),
    ],
)
def test_words_that_ask_nothing_are_a_bare_name(text: str, language: str) -> None:
    assert intent(text, language).bare
