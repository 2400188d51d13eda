"""What PDF files give, and that none of them hangs or kills the loader."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from loaders.sources import pdf, pdfpages
from loaders.sources.reading import Reading
from loaders.text.blocks import Kind
from ontology.errors import InputError

MakePdf = Callable[..., bytes]


def line(text: str, top: float, left: float = 60, size: float = 12) -> str:
    return f"BT /F1 {size} Tf {left} {800 - top} Td ({text}) Tj ET\n"


def texts(reading: Reading) -> list[str]:
    return [block.text for block in reading.blocks]


def test_lines_become_headings_paragraphs_items_and_rows(make_pdf: MakePdf) -> None:
    page = (
        line("Heat pumps", 80, size=20)
        + line("A heat pump moves heat from a cold place", 120)
        + line("to a warm one. It needs:", 135)
        + line("- electricity", 165)
        + line("- a source of heat", 180)
        + "".join(
            line(text, 220 + 15 * row, left)
            for row, cells in enumerate(
                [("Kind", "Price", "COP"), ("Air", "8000", "3.5"), ("Ground", "15000", "4.5")]
            )
            for text, left in zip(cells, (60, 260, 460), strict=True)
        )
    )
    reading = pdf.read(make_pdf(page), "a.pdf")
    told = [(block.kind, block.text, block.context) for block in reading.blocks]
    assert told == [
        (Kind.HEADING, "Heat pumps", ""),
        (
            Kind.PARAGRAPH,
            "A heat pump moves heat from a cold place to a warm one. It needs:",
            "Heat pumps",
        ),
        (Kind.ITEM, "electricity", "Heat pumps › It needs:"),
        (Kind.ITEM, "a source of heat", "Heat pumps › It needs:"),
        (Kind.ROW, "Kind\tPrice\tCOP", "Heat pumps"),
        (Kind.ROW, "Air\t8000\t3.5", "Heat pumps; Kind: Air; Price: 8000; COP: 3.5"),
        (Kind.ROW, "Ground\t15000\t4.5", "Heat pumps; Kind: Ground; Price: 15000; COP: 4.5"),
    ]
    assert {block.page for block in reading.blocks} == {1}
    assert reading.title == "Heat pumps"
    assert str(reading.issued) == "2025-01-24"


def test_running_heads_and_page_numbers_go_and_words_cut_at_a_line_are_whole(
    make_pdf: MakePdf,
) -> None:
    pages = [
        line("Energy report", 30)
        + line(f"Chapter {word} speaks of knowl-", 100)
        + line("edge and nothing else.", 115)
        + line(f"Page {number} of 4", 780)
        for number, word in enumerate(("one", "two", "three", "four"), 1)
    ]
    reading = pdf.read(make_pdf(*pages), "a.pdf")
    assert texts(reading) == [
        f"Chapter {word} speaks of knowledge and nothing else."
        for word in ("one", "two", "three", "four")
    ]
    assert [block.page for block in reading.blocks] == [1, 2, 3, 4]


def test_ligatures_are_letters_and_lost_characters_are_told(make_pdf: MakePdf) -> None:
    cmap = (
        "begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n"
        "3 beginbfchar <01> <FB01> <02> <E000> <03> <00AD> endbfchar\n"
        "1 beginbfrange <20> <7E> <0020> endbfrange endcmap"
    )
    page = line("A \\001eld of of\\002ce wor\\003k", 100)
    reading = pdf.read(make_pdf(page, cmap=cmap), "a.pdf")
    assert texts(reading) == ["A field of ofce work"]
    assert reading.warnings == ("page 1: it has characters whose meaning its fonts do not tell",)


@pytest.mark.parametrize(
    "hidden",
    [
        f"3 Tr {line('Budget is 1', 130)} 0 Tr\n",
        f"1 g {line('Budget is 1', 130)} 0 g\n",
        line("Budget is 1", 130, size=1),
        line("Budget is 1", 130, left=9000),
    ],
    ids=["invisible", "white", "one point", "off the page"],
)
def test_hidden_text_is_left_out_and_told(make_pdf: MakePdf, hidden: str) -> None:
    reading = pdf.read(make_pdf(line("Budget is 485000", 100) + hidden), "a.pdf")
    assert texts(reading) == ["Budget is 485000"]
    assert reading.warnings == ("page 1: hidden text was left out: 'Budget is 1'",)


def test_white_text_on_a_dark_ground_is_read(make_pdf: MakePdf) -> None:
    page = "0 0 0 rg 50 680 400 40 re f\n1 g " + line("White on black", 105)
    assert texts(pdf.read(make_pdf(page), "a.pdf")) == ["White on black"]


def test_a_page_without_text_is_told_and_the_others_are_read(make_pdf: MakePdf) -> None:
    drawing = "10 10 200 200 re f"
    reading = pdf.read(make_pdf(line("First page", 100), drawing, ""), "a.pdf")
    assert texts(reading) == ["First page"]
    assert reading.pages == 3
    assert reading.warnings == ("page 2: no text: OCR needed", "page 3: it is empty")


def test_a_file_without_any_text_is_refused(make_pdf: MakePdf) -> None:
    drawing = "10 10 200 200 re f"
    with pytest.raises(InputError, match=r"a\.pdf: no text: OCR needed \(page 1, 2\)"):
        pdf.read(make_pdf(drawing, drawing), "a.pdf")


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"<html><body>Not a PDF</body></html>"])
def test_what_is_no_pdf_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^a\.pdf: is no PDF that can be read"):
        pdf.read(data, "a.pdf")


def test_a_broken_start_is_refused_or_read(make_pdf: MakePdf) -> None:
    whole = make_pdf(line("Some text", 100))
    for length in range(50, len(whole), 250):
        try:
            assert pdf.read(whole[:length], "a.pdf").blocks
        except InputError as error:
            assert error.name == "a.pdf"


@pytest.mark.parametrize("across", [False, True], ids=["column by column", "across"])
def test_two_columns_are_read_one_after_the_other(make_pdf: MakePdf, across: bool) -> None:
    words = "a little rain falls on every roof of our old town while people sleep and dream".split()
    lefts = [line(" ".join(words[n : n + 6]), 100 + 15 * n, 50) for n in range(7)]
    rights = [line(" ".join(words[::-1][n : n + 6]), 100 + 15 * n, 320) for n in range(7)]
    pairs = [part for pair in zip(lefts, rights, strict=True) for part in pair]
    page = "".join(pairs if across else lefts + rights)
    told = [" ".join(words[n : n + 6]) for n in range(7)]
    told += [" ".join(words[::-1][n : n + 6]) for n in range(7)]
    assert " ".join(texts(pdf.read(make_pdf(page), "a.pdf"))) == " ".join(told)


def test_one_page_named_by_20000_references_ends_in_time(make_pdf: MakePdf) -> None:
    data = make_pdf(line("Again and again", 100))
    bomb = data.replace(b"[6 0 R] /Count 1", b"[" + b"6 0 R " * 20_000 + b"] /Count 20000")
    started = time.monotonic()
    file = pdfpages.read(bomb, "a.pdf")
    assert time.monotonic() - started < 30
    assert [page.number for page in file.pages] == [*range(1, len(file.pages) + 1)]
    assert len(file.pages) >= 20_000
    assert all(page.lines or page.faults for page in file.pages)


def test_a_page_that_stalls_its_reader_is_told_and_the_next_is_read(
    make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdfpages, "_PAGE_SECONDS", 0.5)
    endless = line("Bomb", 100) * 300_000
    file = pdfpages.read(make_pdf(line("First", 100), endless, line("Third", 100)), "a.pdf")
    assert [page.faults for page in file.pages] == [(), ("it made the reader fail",), ()]


def test_two_readers_share_a_large_file_and_its_pages_stay_in_order(
    make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdfpages, "_LARGE", 0)
    words = ("First", "Second", "Third", "Fourth", "Fifth")
    file = pdfpages.read(make_pdf(*(line(word, 100) for word in words)), "a.pdf")
    assert [page.number for page in file.pages] == [1, 2, 3, 4, 5]
    assert [page.lines[0].text for page in file.pages] == [*words]
