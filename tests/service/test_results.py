"""Outside results: cut at whole lines, and the same in every format."""

from __future__ import annotations

import json

from pyoxigraph import QueryResultsFormat, RdfFormat

from service.web.results import BOOLEAN, NTRIPLES, TSV, Cut, graph_as, rows_as, table_from

ROWS = b'?x\t?y\n<http://e.org/a>\t"it\\u00e0"@it\n<http://e.org/b>\t\n<http://e.org/c>\t5\n'


def test_a_short_result_is_kept_whole() -> None:
    assert Cut.from_chunks([ROWS[:10], ROWS[10:]], 100, 10_000) == Cut(ROWS, short=False)


def test_a_result_of_exactly_the_limit_is_not_cut() -> None:
    assert not Cut.from_chunks([ROWS], 4, 10_000).short


def test_rows_above_the_limit_are_cut_at_a_whole_line() -> None:
    cut = Cut.from_chunks([ROWS[:20], ROWS[20:]], 3, 10_000)
    assert cut.short
    assert cut.body == ROWS[: ROWS.index(b"<http://e.org/c>")]


def test_bytes_above_the_limit_are_cut_at_a_whole_line() -> None:
    cut = Cut.from_chunks([ROWS], 100, 50)
    assert cut.short
    assert cut.body == ROWS[: ROWS.index(b"<http://e.org/b>")]


def test_nothing_is_read_past_the_limit() -> None:
    def endless() -> object:
        while True:
            yield ROWS

    assert Cut.from_chunks(endless(), 10, 10_000).short  # type: ignore[arg-type]


def test_rows_keep_their_terms_in_another_format() -> None:
    found = json.loads(rows_as(ROWS, TSV, QueryResultsFormat.JSON))["results"]["bindings"]
    assert found[0]["y"] == {"type": "literal", "value": "ità", "xml:lang": "it"}
    assert "y" not in found[1]


def test_triples_keep_their_terms_in_another_format() -> None:
    body = b'<http://e.org/a> <http://e.org/p> "x"@it .\n'
    assert b"http://e.org/a" in graph_as(body, RdfFormat.JSON_LD)
    assert graph_as(body, RdfFormat.N_TRIPLES) == body


def test_a_page_shows_values_and_nothing_for_what_is_unbound() -> None:
    table = table_from(Cut(ROWS, short=True), TSV)
    assert table.columns == ("x", "y")
    assert table.rows[1] == ("http://e.org/b", "")
    assert table.cut


def test_a_page_shows_triples_and_truth() -> None:
    body = b'<http://e.org/a> <http://e.org/p> "x" .\n'
    assert table_from(Cut(body, short=False), NTRIPLES).rows[0][2] == "x"
    truth = b'{"head":{},"boolean":true}'
    assert table_from(Cut(truth, short=False), BOOLEAN).truth is True
