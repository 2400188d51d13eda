"""Which graphs an update from outside writes to, and which updates are not run."""

from __future__ import annotations

import pyoxigraph
import pytest

from queries.guard import GuardError
from queries.updates import spelled_out, targets

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


@pytest.mark.parametrize(
    ("update", "spelled"),
    [
        (
            f"PREFIX a: <a:> WITH <{G}> DELETE {{ ?s a:p 'with {{' }} INSERT {{ ?s a:p 2 }}"
            " WHERE { ?s a:p 1 }",
            f"PREFIX a: <a:>  DELETE {{  GRAPH <{G}> {{ ?s a:p 'with {{' }}  }} INSERT {{  GRAPH"
            f" <{G}> {{ ?s a:p 2 }}  }} WHERE {{ GRAPH <{G}> {{  ?s a:p 1  }} }}",
        ),
        (
            f"WITH <{G}> INSERT {{ ?s ?p 1 . GRAPH <{H}> {{ ?s ?p 2 }} ?s ?p 3 }} WHERE {{ }}",
            f" INSERT {{  GRAPH <{G}> {{ ?s ?p 1 . }}  GRAPH <{H}> {{ ?s ?p 2 }}  GRAPH <{G}> {{"
            f" ?s ?p 3 }}  }} WHERE {{ GRAPH <{G}> {{   }} }}",
        ),
        (f"CLEAR GRAPH <{G}> ; DELETE WHERE {{ GRAPH <{G}> {{ ?s ?p ?o }} }}", None),
        (f"WITH <{G}> DELETE {{ ?s ?p ?o }} USING <{H}> WHERE {{ ?s ?p ?o }}", None),
    ],
)
def test_graph_stands_for_with(update: str, spelled: str | None) -> None:
    assert spelled_out(update) == (update if spelled is None else spelled)
    assert targets(spelled_out(update)) == targets(update)


def test_what_is_spelled_out_changes_the_same() -> None:
    data = f"INSERT DATA {{ GRAPH <{G}> {{ <a:s> <a:p> 1, 2 }} GRAPH <{H}> {{ <a:t> <a:q> 1 }} }}"
    update = (
        f"WITH <{G}> DELETE {{ ?s ?p 1 }} INSERT {{ ?s ?q ?t . GRAPH <{H}> {{ ?s ?p 1 }} }}"
        f" WHERE {{ ?s ?p 1 . GRAPH ?g {{ ?t ?q 1 }} FILTER(?g != <{G}>) }}"
    )
    one, other = pyoxigraph.Store(), pyoxigraph.Store()
    for store, text in ((one, update), (other, spelled_out(update))):
        store.update(data)
        store.update(text)
    assert set(one) == set(other)
    assert len(one) == 4
