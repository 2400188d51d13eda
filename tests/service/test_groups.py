"""Passages become groups under one heading, and sentences that stand in them word for word."""

from __future__ import annotations

from service.index.groups import GroupOfPassages, grouped, vocabulary
from service.index.harvest import PassageRow


def row(
    position: int,
    text: str,
    kind: str = "paragraph",
    context: str = "Guide",
    page: int | None = None,
) -> PassageRow:
    return PassageRow(
        graph="g",
        iri=f"p{position}",
        chunk="c",
        document="d",
        source="https://example.org/guide",
        title="Guide",
        page=page,
        position=position,
        kind=kind,
        language="en",
        text=text,
        context=context,
        valid_from="",
        valid_until="",
        applies_in="",
    )


def groups(*rows: PassageRow) -> list[GroupOfPassages]:
    return list(grouped(rows))


def test_heading_begins_a_group_and_stands_before_its_text() -> None:
    first, second = groups(
        row(0, "Guide", "heading", ""),
        row(1, "Keep the filter clean."),
        row(2, "Costs", "heading"),
        row(3, "It costs little.", context="Guide › Costs"),
    )
    assert first.text == "Guide. Keep the filter clean."
    assert second.text == "Guide. Costs. It costs little."
    assert (second.first, second.last) == (3, 3)


def test_group_ends_at_a_hundred_words_and_no_passage_is_lost() -> None:
    made = groups(
        *[row(n, "Each of these words counts once here, ten words in all.") for n in range(25)]
    )
    assert [group.last - group.first + 1 for group in made] == [10, 10, 5]


def test_row_is_searched_with_the_header_of_each_cell_but_quoted_without() -> None:
    text = "North\t14 hours"
    (group,) = groups(row(0, text, "row", "Guide › Hours; Zone: North; A day: 14 hours"))
    (span,) = group.spans
    assert span.text == "Zone: North; A day: 14 hours"
    assert text[span.start : span.end] == text


def test_a_page_of_headings_alone_is_a_group() -> None:
    text, cover = groups(
        row(0, "Guide", "heading", "", page=1),
        row(1, "Of the agency", "heading", page=1),
        row(2, "Costs", "heading", page=2),
        row(3, "It costs little.", context="Guide › Costs", page=2),
    )
    assert (cover.first, cover.last) == (0, 1)
    assert cover.text == "Guide. Guide Of the agency"
    assert text.text == "Guide. Costs. It costs little."


def test_sentences_are_the_passages_own_characters() -> None:
    text = "Turn it off at night. In summer, open the windows early!"
    (group,) = groups(row(0, text))
    assert [text[one.start : one.end] for one in group.spans] == [
        "Turn it off at night.",
        "In summer, open the windows early!",
    ]


def test_group_that_begins_inside_a_list_is_told_what_led_to_it() -> None:
    (group,) = groups(row(0, "a new boiler", "item", "Guide › The grant covers:"))
    assert "The grant covers: a new boiler" in group.text


def test_vocabulary_counts_groups_that_hold_a_word_and_leaves_grammar_out() -> None:
    counted = vocabulary(groups(row(0, "The boiler and the other boiler are warm.")))
    assert counted["g", "en", "boiler"] == 1
    assert ("g", "en", "the") not in counted
