"""Mentions of entities in texts."""

from __future__ import annotations

import time

from loaders.identity.mentions import find

LABELS = {
    "heat pump": ["heat pump", "Pompa di calore"],
    "pump": ["Pump"],
    "information technology": ["IT"],
    "tax": ["IVA"],
    "ecobonus": ["Ecobonus"],
    "or": ["Or"],
    "year": ["2025"],
    "the who": ["The Who"],
}


def mentioned(text: str) -> list[str]:
    return [entity for _, entity in find({"chunk": text}, LABELS)]


def test_the_longest_label_wins_at_word_bounds_in_any_case() -> None:
    assert mentioned("A HEAT PUMP or la pompa di calore, not heat pumps.") == ["heat pump"]
    assert mentioned("The Pump stands alone.") == ["pump"]


def test_short_capitals_match_as_they_are_written() -> None:
    assert mentioned("is it in IT? L'iva e l'IVA.") == ["information technology", "tax"]


def test_function_words_numbers_and_short_words_in_lower_case_are_none() -> None:
    assert mentioned("a pump or the who in 2025") == []


def test_a_long_word_in_lower_case_is_one() -> None:
    assert mentioned("il nuovo ecobonus") == ["ecobonus"]


def test_pairs_come_once_for_each_chunk() -> None:
    chunks = {"a": "Ecobonus, ecobonus", "b": "Ecobonus"}
    assert list(find(chunks, LABELS)) == [("a", "ecobonus"), ("b", "ecobonus")]


def test_many_labels_cost_little() -> None:
    labels = {str(n): [f"Name{n} of thing {n}"] for n in range(50_000)}
    chunks = {str(n): f"Here name{n} of thing {n} is told. " * 20 for n in range(500)}
    started = time.process_time()
    assert len(list(find(chunks, labels))) == 500
    assert time.process_time() - started < 3
