"""Statements held against the days and place of a question."""

from __future__ import annotations

from datetime import date

from pyoxigraph import Literal, NamedNode

from service.answering.holding import Holding, accounted
from service.answering.plan.words import read
from service.answering.question import Question
from service.answering.validity import Asked
from service.answering.verbalise import Statement

BONUS, LIMIT = NamedNode("https://example.org/bonus"), NamedNode("https://example.org/limit")
PLACE = "https://w3id.org/askonto/place/"


def stated(value: int, first: str = "", last: str = "", place: str = "") -> Statement:
    return Statement(BONUS, LIMIT, Literal(value), valid_from=first, valid_until=last, place=place)


def holding(text: str, *reified: Statement, place: str | None = None) -> Holding:
    return Holding(Asked.from_question(Question(text, "en", date(2025, 6, 1), place)), reified)


def test_a_statement_without_dates_holds() -> None:
    assert holding("What is the limit?").of([stated(5)]) == [stated(5)]


def test_an_expired_statement_does_not_answer() -> None:
    old, new = stated(8, "2023-01-01", "2023-12-31"), stated(5, "2025-01-01", "2025-12-31")
    held = holding("What is the limit?", old, new)
    ways = [stated(8), stated(5)]
    assert held.of(ways) == [new]
    assert held.answers((Literal(8), Literal(5)), ways) == (Literal(5),)


def test_a_year_in_the_question_is_the_one_asked_for() -> None:
    old, new = stated(8, "2023-01-01", "2023-12-31"), stated(5, "2025-01-01", "2025-12-31")
    assert holding("What was the limit in 2023?", old, new).of([stated(8), stated(5)]) == [old]


def test_what_applies_elsewhere_does_not_answer() -> None:
    here, there = stated(300, place=f"{PLACE}CH-TI"), stated(200, place=f"{PLACE}IT")
    held = holding("What is the limit?", here, there, place=f"{PLACE}CH-TI")
    assert held.of([stated(300), stated(200)]) == [here]


def test_a_year_is_accounted_for_by_a_statement_that_is_dated() -> None:
    text = "What was the limit in 2023?"
    words, asked = read(text, "en"), Asked.from_question(Question(text, "en", date(2025, 6, 1)))
    year = frozenset(i for i, word in enumerate(words) if word.text == "2023")
    assert accounted(words, asked, [stated(8, "2023-01-01", "2023-12-31")]) == year
    assert accounted(words, asked, [stated(8)]) == frozenset()


def test_a_place_is_accounted_for_by_what_applies_there_or_around_it() -> None:
    text = "What is the limit in Ticino?"
    words, asked = read(text, "en"), Asked.from_question(Question(text, "en", date(2025, 6, 1)))
    place = frozenset(i for i, word in enumerate(words) if word.text == "Ticino")
    assert accounted(words, asked, [stated(8, place=f"{PLACE}CH")]) == place
    assert accounted(words, asked, [stated(8, place=f"{PLACE}IT")]) == frozenset()


def test_the_place_that_is_asked_for_is_accounted_for_by_what_holds_everywhere() -> None:
    text = "Which grants exist in Italy?"
    words = read(text, "en")
    place = frozenset(i for i, word in enumerate(words) if word.text == "Italy")
    for code, expected in (("IT", place), ("CH", frozenset())):
        asked = Asked.from_question(Question(text, "en", date(2025, 6, 1), f"{PLACE}{code}"))
        assert accounted(words, asked, [stated(8)]) == expected
