"""Sentences in five languages."""

from __future__ import annotations

import pytest

from loaders.text.sentences import sentences, spans


@pytest.mark.parametrize(
    "expected",
    [
        ["Si veda l'art. 16 del D.Lgs. n. 28 del 2011.", "Vale fino al 2025."],
        ["La spesa è di 1.500,50 euro (cfr. pag. 3).", "È detraibile?", "Sì!"],
        ["Il dott. G. Rossi abita in via S. Maria.", "Lavora all'ENEA."],
        ["Per i forni serve la classe A.", "Per le lavatrici la classe E."],
        ["Frigoriferi, forni, ecc.", "Anche altri apparecchi."],
        ["See e.g. the U.S. Department of Energy.", "It uses approx. 3.5 kWh per day."],
        ["Dr. Smith paid $5.50.", "He was happy..."],
        ["Am 3. Oktober 2025 gilt z. B. die Regel.", "Das ist neu."],
        ["Die Norm, z.B. Abs. 2, gilt bzw. galt.", "Siehe Nr. 5."],
        ["M. Dupont a gagné le 1er prix, cf. p. 12.", "Il est content."],
        ["¿Cuánto cuesta?", "El Sr. García paga 3.000 euros.", "¡Bien!"],
        ["Visit https://www.example.org/a.b?c=d. for more.", "Done."],
        ['Disse: "Va bene."', "Poi uscì."],
    ],
)
def test_sentences_are_told_apart(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_the_number_of_a_list_item_ends_no_sentence() -> None:
    assert sentences("1. Il richiedente paga. 2. Il fornitore consegna.")[0].startswith("1. Il")


def test_a_lines_end_is_a_sentences_end() -> None:
    assert sentences("A heading\nA paragraph. With two.") == [
        "A heading",
        "A paragraph.",
        "With two.",
    ]


def test_spans_lead_to_the_words() -> None:
    text = "  One. Two!\n\n Three "
    assert [text[start:end] for start, end in spans(text)] == ["One.", "Two!", "Three"]
    assert spans("") == spans(" \n ") == []


def test_a_long_text_takes_little_time() -> None:
    assert len(sentences("This is a sentence. " * 20_000)) == 20_000
