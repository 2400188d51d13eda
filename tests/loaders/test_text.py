"""What plain text files give."""

from __future__ import annotations

from loaders.sources import text
from loaders.text.blocks import Kind


def told(data: bytes) -> list[tuple[Kind, str]]:
    return [(block.kind, block.text) for block in text.read(data).blocks]


def test_blank_lines_end_paragraphs_and_bullets_begin_items() -> None:
    data = (
        b"First line\ngoes on.\r\n \r\nYou need:\n- one thing\n- another\n  thing\n"
        b"1. a third\n\nEnd."
    )
    assert told(data) == [
        (Kind.PARAGRAPH, "First line goes on."),
        (Kind.PARAGRAPH, "You need:"),
        (Kind.ITEM, "one thing"),
        (Kind.ITEM, "another thing"),
        (Kind.ITEM, "1. a third"),
        (Kind.PARAGRAPH, "End."),
    ]
    assert text.read(data).blocks[2].context == "You need:"


def test_lines_in_capitals_underlined_or_numbered_are_headings() -> None:
    data = b"REPORT\n\nScope\n-----\n\n2.1 Field of use\n\nIt holds for all.\n\nYes\n"
    assert [kind for kind, _ in told(data)] == [
        Kind.HEADING,
        Kind.HEADING,
        Kind.HEADING,
        Kind.PARAGRAPH,
        Kind.PARAGRAPH,
    ]


def test_charset_and_control_characters() -> None:
    assert told("Perché no?\x00\x07 So\u00adft".encode()) == [
        (Kind.PARAGRAPH, "Perché no? Soft"),
    ]
    assert told("La città è più bella, perché sì. Già così.".encode("cp1252"))[0][1].startswith(
        "La città è più bella"
    )


def test_nothing_in_nothing_out() -> None:
    assert told(b"") == told(b"\n \n\t\n") == told(b"--- *** ---") == []
