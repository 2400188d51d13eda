"""What holds on the days and at the place that are asked about."""

from __future__ import annotations

from datetime import date

import pytest

from service.answering.question import Question
from service.answering.validity import Asked

PLACE = "https://w3id.org/askonto/place/"


def asked(text: str = "Which limit holds?", place: str | None = None) -> Asked:
    return Asked.from_question(Question(text, "en", date(2026, 3, 1), place))


@pytest.mark.parametrize(
    ("start", "end", "holds"),
    [
        ("", "", True),
        ("2026-01-01", "", True),
        ("2026-03-01", "2026-03-01", True),
        ("2025-01-01", "2025-12-31", False),
        ("2026-03-02", "", False),
    ],
)
def test_day_of_asking_is_compared_with_the_validity(start: str, end: str, holds: bool) -> None:
    assert asked().in_time(start, end) is holds


def test_named_year_goes_before_the_day_of_asking() -> None:
    last = asked("Which limit held in 2025?")
    assert last.years == ("2025",)
    assert last.in_time("2025-01-01", "2025-12-31")
    assert not last.in_time("2026-01-01", "2026-12-31")


def test_numbers_that_are_no_years_name_none() -> None:
    assert asked("Is 2,000.50 or EN2015x the limit?").years == ()
    assert asked("What does law 296/2006 say?").years == ()


@pytest.mark.parametrize(
    ("applies", "place", "holds"),
    [
        ("", "CH-TI", True),
        ("CH-TI", "CH-TI", True),
        ("CH", "CH-TI", True),
        ("CH-TI", "CH", False),
        ("IT", "CH-TI", False),
        ("EU", "IT-25", True),
        ("EU", "CH", False),
        ("IT-21", "IT-TO", True),
        ("IT-25", "IT-TO", False),
        ("EU", "FR-ZZZ", True),
    ],
)
def test_place_takes_in_what_lies_in_it(applies: str, place: str, holds: bool) -> None:
    iri = f"{PLACE}{applies}" if applies else ""
    assert asked(place=f"{PLACE}{place}").in_place(iri) is holds


def test_no_place_takes_all() -> None:
    assert asked().in_place(f"{PLACE}IT")
