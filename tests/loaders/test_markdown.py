"""What Markdown files give."""

from __future__ import annotations

from datetime import date

import pytest

from loaders.sources import markdown
from loaders.text.blocks import Kind
from ontology.errors import InputError

PAGE = """---
title: Furniture bonus: what changes
publisher: Agency
url: https://example.org/bonus
language: en
issued: 2025-01-31
valid_from: 2025-01-01
valid_until: 2025-12-31
applies_in: https://example.org/places/IT
---
# Bonus

It pays **half** of:

1. ovens
   - of class A
2. [fridges](https://example.org)

| Year | Limit |
|------|-------|
| 2024 | 5,000 |

```
code stays
```
"""


def test_front_matter_says_what_the_document_is() -> None:
    reading = markdown.read(PAGE.encode())
    assert reading.title == "Furniture bonus: what changes"
    assert (reading.publisher, reading.language) == ("Agency", "en")
    assert reading.url == "https://example.org/bonus"
    assert reading.issued == date(2025, 1, 31)
    assert (reading.valid_from, reading.valid_until) == (date(2025, 1, 1), date(2025, 12, 31))
    assert reading.applies_in == "https://example.org/places/IT"


def test_blocks_keep_their_structure() -> None:
    told = [(b.kind, b.text, b.context) for b in markdown.read(PAGE.encode()).blocks]
    assert told == [
        (Kind.HEADING, "Bonus", ""),
        (Kind.PARAGRAPH, "It pays half of:", "Bonus"),
        (Kind.ITEM, "ovens", "Bonus › It pays half of:"),
        (Kind.ITEM, "of class A", "Bonus › ovens"),
        (Kind.ITEM, "fridges", "Bonus › It pays half of:"),
        (Kind.ROW, "2024\t5,000", "Bonus; Year: 2024; Limit: 5,000"),
        (Kind.PARAGRAPH, "code stays", "Bonus"),
    ]


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="issued is 'soon'"):
        markdown.read(b"---\nissued: soon\n---\nText.")


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    texts = [block.text for block in markdown.read(b"---\nText\n\n---\nMore\n").blocks]
    assert texts == ["Text", "More"]


def test_an_empty_file_has_no_blocks() -> None:
    assert markdown.read(b"").blocks == ()
