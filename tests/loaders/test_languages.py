"""The languages of short questions and of odd texts."""

from __future__ import annotations

import pytest

from loaders.text.languages import LANGUAGES, detect

QUESTIONS = {
    "it": [
        "Quanto costa?",
        "Chi paga il tetto nuovo?",
        "Bonus mobili: limite di spesa 2025",
        "Quali elettrodomestici hanno l'etichetta?",
        "Dov'è Bellinzona?",
        "caldaia a pellet requisiti",
    ],
    "en": [
        "How much is it?",
        "Who pays for the new roof?",
        "Is Bellinzona in Ticino?",
        "heat pump subsidy Italy",
        "Give me all lakes in Switzerland.",
        "What is the limit of the bonus mobili?",
    ],
    "de": [
        "Wie viel kostet das?",
        "Wer zahlt das neue Dach?",
        "Wo liegt Bellinzona?",
        "Wärmepumpe Förderung Schweiz",
    ],
    "fr": [
        "Combien ça coûte ?",
        "Qui paie le nouveau toit ?",
        "Où se trouve Bellinzone ?",
        "Quelle est la durée de vie d'une lampe ?",
    ],
    "es": [
        "¿Cuánto cuesta?",
        "¿Quién paga el techo nuevo?",
        "¿Dónde está Bellinzona?",
        "bomba de calor ayudas",
    ],
}


@pytest.mark.parametrize(
    ("language", "question"),
    [(language, question) for language, asked in QUESTIONS.items() for question in asked],
)
def test_short_questions_are_recognised(language: str, question: str) -> None:
    assert detect(question) == language
    assert detect(question.upper()) == language


@pytest.mark.parametrize("text", ["", " ", "2025", "x", "\ud800", "日本語", "?" * 1_000])
def test_any_text_has_one_of_the_known_languages(text: str) -> None:
    assert detect(text) in LANGUAGES
