"""Days and periods as texts write them."""

from __future__ import annotations

from datetime import date

import pytest

from loaders.extract.validity import Period, day, period

END = date(2025, 12, 31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fino al 31 dicembre 2025", Period(end=END)),
        ("comprati entro il 31/12/2025", Period(end=END)),
        ("non oltre il 31.12.2025", Period(end=END)),
        ("until December 31, 2025", Period(end=END)),
        ("by 31 December 2025", Period(end=END)),
        ("bis zum 31. Dezember 2025", Period(end=END)),
        ("jusqu'au 31 décembre 2025", Period(end=END)),
        ("hasta el 31 de diciembre de 2025", Period(end=END)),
        ("a partire dal 1° gennaio 2024", Period(start=date(2024, 1, 1))),
        ("since 1 January 2024", Period(start=date(2024, 1, 1))),
        ("ab dem 1. Januar 2024", Period(start=date(2024, 1, 1))),
        ("à partir du 1er janvier 2024", Period(start=date(2024, 1, 1))),
        ("dal 2024 al 2025", Period(date(2024, 1, 1), END)),
        ("from 1 May 2025 to 8 May 2027", Period(date(2025, 5, 1), date(2027, 5, 8))),
        ("Per il 2025 la detrazione è del 50%", Period(date(2025, 1, 1), END)),
        ("im Jahr 2025", Period(date(2025, 1, 1), END)),
        ("within 90 days of 1 March 2025", Period(end=date(2025, 5, 30))),
        ("entro 6 mesi dal 31 agosto 2025", Period(end=date(2026, 2, 28))),
        ("within 90 days of the end of the works", Period()),
        ("50% nel 2025 e 36% nel 2026", Period()),
        ("legge 10 del 9 gennaio 1991", Period()),
        ("fino al 31 febbraio 2025", Period()),
        ("5.000 euro", Period()),
    ],
)
def test_a_text_says_when_it_holds(text: str, expected: Period) -> None:
    assert period(text) == expected


def test_a_year_or_month_gives_its_first_and_its_last_day() -> None:
    assert day("2025") == date(2025, 1, 1)
    assert day("2025", last=True) == END
    assert day("2024-02", last=True) == day("febbraio 2024", last=True) == date(2024, 2, 29)
    assert day("soon") is None
