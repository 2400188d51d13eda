"""Which graphs an update from outside writes to, and which updates are not run."""

from __future__ import annotations

import pytest

from queries.guard import GuardError
from queries.updates import targets

G, H = "http://g.test/one", "http://g.test/two"


@pytest.mark.parametrize(
    ("update", "graphs"),
    [
        (f"INSERT DATA {{ GRAPH <{G}> {{ <a:a> <a:b> 1 }} }}", [G]),
        (f"INSERT DATA {{ GRAPH <{G}> {{ }} . GRAPH <{H}> {{ <a:a> <a:b> '}} ;' }} }}", [G, H]),
        ("PREFIX g: <http://g.test/> DELETE DATA { GRAPH g:one { <a:a> <a:b> 1 } }", [G]),
        (f"DELETE WHERE {{ GRAPH <{G}> {{ ?s ?p ?o }} }}", [G]),
        (f"WITH <{G}> DELETE {{ ?s ?p ?o }} INSERT {{ GRAPH <{H}> {{ ?s ?p 1 }} }}"
         f" WHERE {{ GRAPH <http://g.test/read> {{ ?s ?p ?o }} }}", [G, H]),
        (f"CLEAR SILENT GRAPH <{G}> ; # and\n drop graph <{H}> ;", [G, H]),
        (f"COPY <{G}> TO GRAPH <{H}>", [H]),
        (f"move silent graph <{G}> to <{H}>", [G, H]),
        (f"PREFIX a: <a:> INSERT {{ GRAPH <{G}> {{ ?s a:service 'load' }} }} WHERE {{ ?s ?p ?o }}",
         [G]),
    ],
)  # fmt: skip
def test_the_graphs_that_are_written_to_are_told(update: str, graphs: list[str]) -> None:
    assert [graph.value for graph in targets(update)] == graphs


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ("LOAD <file:///etc/passwd>", "LOAD"),
        (f"lOaD <http://x.test/> INTO GRAPH <{G}>", "LOAD"),
        (f"INSERT {{ GRAPH <{G}> {{ ?s ?p 1 }} }} WHERE {{ SERVICE <a:a> {{ ?s ?p 1 }} }}",
         "SERVICE"),
        ("INSERT DATA { <a:a> <a:b> 1 }", "must be named"),
        (f"INSERT DATA {{ \\u0047RAPH <{G}> {{ <a:a> <a:b> 1 }} }}", "must be named"),
        (f"INSERT DATA {{ GRAPH <{G}> {{ }} <a:a> <a:b> 1 }}", "must be named"),
        ("INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }", "must be named"),
        ("DELETE WHERE { ?s ?p ?o }", "must be named"),
        ("DROP ALL", "must be named"),
        ("CLEAR DEFAULT", "must be named"),
        (f"ADD DEFAULT TO <{G}> ; COPY <{G}> TO DEFAULT", "must be named"),
        ("DROP GRAPH <relative>", "whole"),
        ("SELECT * { ?s ?p ?o }", "only updates"),
        ("", "no update"),
        (f"INSERT DATA {{ GRAPH <{G}> {{ <a:a> <a:b> 'open }} }}", "not closed"),
        ("INSERT DATA " + "{" * 300, "nests"),
        ("INSERT DATA", "is missing"),
        (f"INSERT DATA {{ GRAPH <{G}> {{", "is missing"),
    ],
)  # fmt: skip
def test_what_is_not_run_says_why(update: str, reason: str) -> None:
    with pytest.raises(GuardError, match=reason):
        targets(update)
