"""What a question's words ask for, in five languages."""

from __future__ import annotations

import pytest

from service.answering.asking import Asks, asks_for, phrases


@pytest.mark.parametrize(
    ("text", "language", "asks"),
    [
        ("How much does a ticket cost?", "en", Asks.NUMBER),
        ("Quando apre il museo?", "it", Asks.DATE),
        ("Welche Unterlagen braucht man?", "de", Asks.LIST),
        ("Pourquoi le ciel est-il bleu ?", "fr", Asks.REASON),
        ("¿Se puede pagar a plazos?", "es", Asks.YES_NO),
        ("How do you clean a carpet?", "en", Asks.MANNER),
        ("Che cos’è un prestito?", "it", Asks.DEFINITION),
        ("Tell me about the tower", "en", Asks.OPEN),
        ("", "it", Asks.OPEN),
    ],
)
def test_words_tell_the_kind_of_answer(text: str, language: str, asks: Asks) -> None:
    assert asks_for(text, language) is asks


def test_language_without_phrases_is_read_as_english() -> None:
    assert phrases("ja") == phrases("en")
