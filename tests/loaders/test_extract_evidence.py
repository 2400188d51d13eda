"""Quotes and the texts they are to stand in."""

from __future__ import annotations

import pytest

from loaders.extract.evidence import find


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("is 50 %", "is  50\n%"),
        (" rate\tis ", "rate is"),
        ("Cafe\u0301", "Café"),
        ("(a.b)", "(a.b)"),
        ("is 60 %", None),
        ("", None),
        (" \n", None),
        ("RATE", None),
    ],
)
def test_a_quote_is_found_whatever_its_white_space(quote: str, said: str | None) -> None:
    text = "The rate is  50\n% at the Café (a.b)."
    span = find(quote, text)
    assert (text[slice(*span)] if span else None) == said
