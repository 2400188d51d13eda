"""The few words of a sentence that answer."""

from __future__ import annotations

import pytest

from service.answering.span import span


@pytest.mark.parametrize(
    ("sentence", "question", "language", "words"),
    [
        ("The tower was built in 1887 by a small firm.", "When was the tower built?", "en", "1887"),
        ("Il biglietto intero costa 8 euro.", "Quanto costa il biglietto intero?", "it", "8 euro"),
        (
            "Il ponte fu disegnato da Carla Verdi nel dopoguerra.",
            "Chi ha disegnato il ponte?",
            "it",
            "Carla Verdi",
        ),
        ("Die Fahrt dauert zwölf Minuten.", "Wie lange dauert die Fahrt?", "de", "zwölf Minuten"),
    ],
)
def test_span_is_what_the_question_asks_for(
    sentence: str, question: str, language: str, words: str
) -> None:
    assert words in span(sentence, question, language)
    assert len(span(sentence, question, language).split()) <= 5


def test_span_is_verbatim() -> None:
    sentence = "La salita, dura: dodici minuti (circa)."
    assert span(sentence, "Quanto dura la salita?", "it") in sentence


def test_sentence_without_anything_new_stays_whole() -> None:
    assert span("Il prestito?", "Il prestito?", "it") == "Il prestito?"
