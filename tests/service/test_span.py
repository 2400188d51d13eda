"""The few words of a sentence that answer."""

from __future__ import annotations

import pytest

from loaders.text.languages import FUNCTION_WORDS
from service.answering.span import span
from service.answering.verbs import are_verbs


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
        ("Prima la gara era tenuta da Anna Neri.", "Chi ha tenuto la gara?", "it", "Anna Neri"),
        ("La mostra fu ideata con Ugo Poli.", "Chi organizzò la mostra?", "it", "Ugo Poli"),
        ("The tower was repainted blue by Ann Hill.", "Who restored the tower?", "en", "Ann Hill"),
        ("Part V of the book praises Jane Roe.", "Who is praised in the book?", "en", "Jane Roe"),
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


@pytest.mark.parametrize(
    ("sentence", "language", "verb"),
    [
        ("La mostra fu ideata con Ugo.", "it", "ideata"),
        ("La gente cantava forte.", "it", "cantava"),
        ("The bridge was quickly finished.", "en", "finished"),
        ("Le pont fut enfin construite hier.", "fr", "construite"),
        ("La torre fue pintada ayer.", "es", "pintada"),
        ("Das Haus wurde saniert.", "de", "saniert"),
    ],
)
def test_verbs_are_known_by_their_endings(sentence: str, language: str, verb: str) -> None:
    words = sentence.rstrip(".").split()
    found = are_verbs(words, FUNCTION_WORDS[language], language)
    assert [word for word, is_verb in zip(words, found, strict=True) if is_verb] == [verb]
