"""What HTML pages give: content with its structure, without what surrounds it."""

from __future__ import annotations

from loaders.sources import html
from loaders.text.blocks import Block, Kind

MENU = (
    "<nav><ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a></li>" for n in range(9)) + "</ul></nav>"
)


def blocks(body: str, head: str = "") -> tuple[Block, ...]:
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    return html.read(page.encode()).blocks


def texts(body: str) -> list[str]:
    return [block.text for block in blocks(body)]


def test_headings_paragraphs_and_items_know_what_stands_above_them() -> None:
    body = """<h1>Bonus</h1><p>First words. It is paid for:</p>
      <ul><li>ovens of <b>class A</b>;</li><li>fridges:<ul><li>small</li></ul></li></ul>
      <h2>When</h2><p>In<br>2025.</p><h2>Where</h2><p>In Italy.</p>"""
    assert [(b.kind, b.text, b.context) for b in blocks(body)] == [
        (Kind.HEADING, "Bonus", ""),
        (Kind.PARAGRAPH, "First words. It is paid for:", "Bonus"),
        (Kind.ITEM, "ovens of class A;", "Bonus › It is paid for:"),
        (Kind.ITEM, "fridges:", "Bonus › It is paid for:"),
        (Kind.ITEM, "small", "Bonus › fridges:"),
        (Kind.HEADING, "When", "Bonus"),
        (Kind.PARAGRAPH, "In 2025.", "Bonus › When"),
        (Kind.HEADING, "Where", "Bonus"),
        (Kind.PARAGRAPH, "In Italy.", "Bonus › Where"),
    ]


def test_table_rows_carry_their_header_and_caption() -> None:
    body = """<p>Heating hours by zone:</p><table>
      <tr><th>Zone</th><th colspan=2>Hours</th></tr>
      <tr><td rowspan=2>B</td><td>8</td><td>winter</td></tr>
      <tr><td>0</td><td>summer</td></tr></table>"""
    rows = [block for block in blocks(body) if block.kind is Kind.ROW]
    assert [row.text for row in rows] == ["B\t8\twinter", "B\t0\tsummer"]
    assert rows[0].context == "Heating hours by zone:; Zone: B; Hours: 8"


def test_a_table_that_lays_out_a_page_is_read_as_text() -> None:
    body = "<table><tr><td><h2>News</h2><p>One.</p></td><td><p>Two.</p></td></tr></table>"
    assert texts(body) == ["News", "One.", "Two."]


def test_menus_footers_banners_and_link_lists_go() -> None:
    links = "<ul>" + "".join(f"<li><a href=x>Other page {n}</a></li>" for n in range(5)) + "</ul>"
    body = f"""<header>{MENU}</header><div class="cookie-banner">We use cookies.</div>
      <main><h1>Title</h1><p>{"Real content of the page. " * 9}</p>{links}</main>
      <div role="navigation">Home</div><footer>Imprint</footer><script>var x</script>"""
    assert texts(body) == ["Title", ("Real content of the page. " * 9).strip()]


def test_a_list_of_links_that_a_sentence_announces_stays() -> None:
    body = "<p>The label is on:</p><ul>" + "".join(
        f"<li><a href=x>{name}</a></li>" for name in ("ovens", "lamps", "fridges")
    )
    assert texts(body) == ["The label is on:", "ovens", "lamps", "fridges"]


def test_folded_answers_are_read() -> None:
    body = """<details><summary>How long?</summary><p>Ten years.</p></details>
      <h3><button aria-controls=x>How much?</button></h3><div hidden>Half.</div>"""
    told = [(block.text, block.context) for block in blocks(body)]
    assert ("Ten years.", "How long?") in told
    assert ("Half.", "How much?") in told


def test_what_repeats_on_a_page_is_read_once() -> None:
    long = (
        "This long paragraph is shown once to phones and once to larger screens, as on many sites."
    )
    body = f"<h1>A</h1><p>{long}</p><p>Read more</p><p>{long}</p><p>Read more</p><p>Read more</p>"
    assert texts(body) == ["A", long]


def test_words_of_inline_elements_stay_together_and_of_blocks_apart() -> None:
    assert texts("<div>CO<sub>2</sub> of <span>the</span><div>next</div>line</div>") == [
        "CO2 of the",
        "next",
        "line",
    ]


def test_the_page_says_its_title_language_publisher_and_date() -> None:
    head = """<title>Heat pumps - Agency</title><meta property="og:site_name" content="Agency">
      <meta property="article:published_time" content="2024-05-06T10:00:00Z">
      <link rel="canonical" href="https://example.org/heat-pumps">"""
    page = (
        f"<html lang=en-GB><head>{head}</head><body><h1>Heat pumps</h1><p>Text.</p></body></html>"
    )
    reading = html.read(page.encode())
    assert reading.title.startswith("Heat pumps")
    assert (reading.language, reading.publisher) == ("en", "Agency")
    assert str(reading.issued) == "2024-05-06"
    assert reading.url == "https://example.org/heat-pumps"


def test_charsets_are_found_with_and_without_a_declaration() -> None:
    text = "<p>Zürich è più cara — “molto”.</p>"
    expected = ("Zürich è più cara — “molto”.",)
    declared = "<meta charset=windows-1252>" + text
    for data in (
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode("utf-16"),
        declared.encode("cp1252"),
        declared.replace("windows-1252", "iso-8859-1").encode("cp1252"),
    ):
        assert tuple(block.text for block in html.read(data).blocks) == expected


def test_an_empty_or_hollow_page_has_no_blocks() -> None:
    for page in (b"", b"  ", b"<html></html>", b"<script>x</script>", MENU.encode()):
        assert html.read(page).blocks == ()


def test_deep_nesting_is_read_or_cut_but_never_crashes() -> None:
    body = "<div>" * 20_000 + "deep" + "</div>" * 20_000 + "<p>Last words.</p>"
    assert html.read(body.encode()) is not None


def test_a_cell_that_spans_a_million_columns_is_cut() -> None:
    body = "<table><tr><td colspan=1000000>a</td><td>b</td></tr><tr><td>c<td>d</tr></table>"
    assert sum(len(block.text) for block in blocks(body)) < 1_000
