"""Lexical spaces of XML Schema's datatypes."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal, NamedNode

from loaders.sources.datatypes import is_well_typed
from ontology.vocabulary import XSD


@pytest.mark.parametrize(
    ("words", "datatype", "well"),
    [
        ("01", "integer", True),
        ("1.0", "integer", False),
        ("-1", "nonNegativeInteger", False),
        ("9" * 40, "nonNegativeInteger", True),
        ("300", "byte", False),
        ("1.50", "decimal", True),
        ("1,5", "decimal", False),
        ("1e3", "double", True),
        ("INF", "double", True),
        ("yes", "boolean", False),
        ("2024-02-29", "date", True),
        ("2023-02-29", "date", False),
        ("2024-01-01T00:00:00Z", "date", False),
        ("2024-01-01T00:00:00Z", "dateTime", True),
        ("2024-01-01 00:00", "dateTime", False),
        ("2024", "gYear", True),
        ("24", "gYear", False),
        ("P1Y2M", "duration", True),
        ("P", "duration", False),
        ("anything", "unheard", True),
    ],
)
def test_words_are_of_their_datatype(words: str, datatype: str, well: bool) -> None:
    literal = Literal(words, datatype=NamedNode(XSD.namespace + datatype))
    assert is_well_typed(literal) is well


def test_plain_and_tagged_literals_are_always_well_typed() -> None:
    assert is_well_typed(Literal("x"))
    assert is_well_typed(Literal("x", language="it"))
