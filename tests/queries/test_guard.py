"""What the guard lets through runs nowhere else; what it refuses it says why and where."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyoxigraph
import pytest

from queries.guard import LENGTH, Form, GuardError, check, check_graph

SERVICE = [
    "SELECT * { SERVICE <http://x> {} }",
    "SELECT * { sErViCe SILENT <http://x> {} }",
    "SELECT * { # c\nSERVICE#x\n<http://x> {} }",
    "SELECT * {?s ?p 1SERVICE<http://x>{} }",
    "SELECT * {?s ?p trueSERVICE<http://x>{} }",
    "PREFIX x: <http://x> SELECT * {SERVICEx:a{} }",
    "PREFIX x: <http://x> SELECT * {SERVICE SILENTx:a{} }",
    "PREFIX x: <http://x> SELECT * {?s ?p true SERVICEx:a # c\n {} }",
    "SELECT * { S\\u0045RVICE <http://x> {} }",
    "SELECT * { \\U00000053ERVICE <http://x> {} }",
    "SELECT * { FILTER(EXISTS { { SERVICE ?x {} } }) }",
    'SELECT * { ?a ?b ?c FILTER(?a<?b#>"""\n) SERVICE <http://x> {?s ?p ?o} #"""\n}',
    "SELECT * { ?a ?b ?c FILTER(?a<urn:b#>'''\n) SERVICE <http://x> {?s ?p ?o} #'''\n}",
    "SELECT * { ?a ?b ?c FILTER(?a<?b#>'''\r) SERVICE <http://x> {?s ?p ?o} #'''\r}",
]
UPDATES = [
    "INSERT DATA { <a:a> <a:b> 1 }",
    "DELETE WHERE { ?s ?p ?o }",
    "DROP ALL",
    "SELECT * {} ; DROP ALL",
    "LOAD <file:///etc/passwd>",
    "LOAD SILENT <http://x>",
    "PREFIX a: <http://a> WITH a:b DELETE {} WHERE {}",
    "CLEAR DEFAULT",
    "MOVE DEFAULT TO <http://a>",
]
HARMLESS = {
    "SELECT * {?s ?p 'INSERT DATA { SERVICE LOAD'}": Form.SELECT,
    'SELECT * {?s ?p """a "quoted" SERVICE \\""""}': Form.SELECT,
    "# SERVICE\nASK { <http://e/SERVICE#x> ?service $insert }": Form.ASK,
    "PREFIX service: <http://e/> CONSTRUCT WHERE { service:a service:load service:b }": (
        Form.CONSTRUCT
    ),
    "SELECT * { GRAPH service:g { ?s ?p ?o } }": Form.SELECT,
    "base <http://e/> describe <x#y>": Form.DESCRIBE,
    "SELECT * { ?s ?p 'x'@en-service , _:insert, ex:drop }": Form.SELECT,
    "SELECT * FROM <http://e/g> FROM NAMED <http://e/h> { ?s ?p ?o FILTER(?o<3&&?o>1) }": (
        Form.SELECT
    ),
    "SELECT * {?s ?p '\\u0022 \\u0041'}": Form.SELECT,
    "\ufeff".strip("\ufeff") + "  ask {}": Form.ASK,
}


@pytest.mark.parametrize("query", SERVICE)
def test_service_is_refused_however_it_is_written(query: str) -> None:
    with pytest.raises(GuardError, match=r"line \d+, column \d+: SERVICE"):
        check(query)


@pytest.mark.parametrize("query", UPDATES)
def test_updates_are_refused(query: str) -> None:
    with pytest.raises(GuardError, match="updates are not allowed"):
        check(query)


@pytest.mark.parametrize(
    "query", ["", "   ", "# only", "{", "x", "EXPLAIN SELECT * {}", "\0", "\ud800"]
)
def test_what_is_no_query_is_refused(query: str) -> None:
    with pytest.raises(GuardError, match="only SELECT, ASK, CONSTRUCT and DESCRIBE"):
        check(query)


@pytest.mark.parametrize(("query", "form"), HARMLESS.items())
def test_words_inside_strings_names_and_comments_are_fine(query: str, form: Form) -> None:
    assert check(query) is form


@pytest.mark.parametrize(
    "graph",
    ["<file:///etc/passwd>", "NAMED <file:///a>", "<relative>", "f:passwd", "<\\u0066ile:/a>"],
)
def test_a_dataset_outside_the_store_is_refused(graph: str) -> None:
    with pytest.raises(GuardError, match=r"line 1, column \d+: FROM names a graph"):
        check(f"PREFIX f: <file:///etc/> SELECT * FROM {graph} {{}}")


def test_only_graphs_of_the_store_are_a_dataset() -> None:
    known = {"http://e/g", "http://e/x#h"}
    query = "PREFIX x: <http://e/x#> SELECT * FROM <http://e/g> FROM NAMED x:h {}"
    assert check(query, known.__contains__) is Form.SELECT
    with pytest.raises(GuardError, match="http://e/other"):
        check("SELECT * FROM <http://e/other> {}", known.__contains__)
    with pytest.raises(GuardError, match="file:"):
        check_graph("file:///etc/passwd")


@pytest.mark.parametrize("bomb", ["(", "{", "[", "!", "-", "^", "( ", "{\n"])
def test_nesting_has_a_limit(bomb: str) -> None:
    with pytest.raises(GuardError, match="nests more than 200"):
        check("SELECT * { ?s ?p ?o FILTER" + bomb * 6000)


def test_length_has_a_limit() -> None:
    with pytest.raises(GuardError, match="characters long"):
        check("SELECT * {} #" + "x" * LENGTH)


def doubled(times: int, double: str = "CONCAT(?v{0}, ?v{0})") -> Iterator[str]:
    return (f"({double.format(n)} AS ?v{n + 1})" for n in range(times))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { BIND('x' AS ?v0) BIND" + " BIND".join(doubled(40)) + " }",
        "SELECT " + " { { SELECT ".join(reversed([*doubled(40)])) + " { ?s ?p ?v0 }" + "}}" * 39,
        "SELECT " + " ".join(doubled(20)) + " { ?s ?p ?v0 }",
        "SELECT * { ?s ?p ?v0 BIND"
        + " BIND".join(doubled(7, "CONCAT(" + "?v{0}," * 9 + "?v{0})"))
        + "}",
        f"SELECT (REPLACE('{'x' * 999}', 'x', '{'y' * 999}') AS ?a)"
        f" (REPLACE(?a, 'y', '{'z' * 999}') AS ?b) {{}}",
    ],
)
def test_texts_that_grow_without_end_are_refused(query: str) -> None:
    with pytest.raises(GuardError, match="a text of more than 100,000,000 characters"):
        check(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT (CONCAT(" + ", ' ', ".join(f"?v{n}" for n in range(500)) + ") AS ?all) {}",
        "SELECT (REPLACE(REPLACE(LCASE(?a), '[^a-z0-9]+', '-'), '^-', '') AS ?key) { ?s ?p ?a }",
        "SELECT (CONCAT('"
        + "a" * 300
        + "', REPLACE(REPLACE(?a, ' ', '_'), '/', '-'), '"
        + "b" * 900
        + "') AS ?url) { ?s ?p ?a }",
        "SELECT (COUNT(*) AS ?n) (GROUP_CONCAT(?a; separator=', ') AS ?all) { ?s ?p ?a }",
        "SELECT * { ?s ?p ?v0 BIND" + " BIND".join(doubled(10)) + " }",
    ],
)
def test_texts_that_grow_a_little_are_fine(query: str) -> None:
    assert check(query) is Form.SELECT


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "(.*a){25}$",
        "((ab)*)*",
        "(a|b+)*c",
        "(?:x+y?)+z",
        "(a{2,})+",
        "((a+))?*",
        ".*a" * 3,
        "^" + ".*a" * 4,
        "^" + "a?" * 50,
        "(a|aa){40}",
        "(.{0,99}a){9}",
        r"^(a|aa)+\\1$",
        "(.*a)\\u007b25}",
    ],
)
def test_patterns_that_may_take_for_ever_are_refused(pattern: str) -> None:
    with pytest.raises(GuardError, match="may take for ever"):
        check(f"SELECT * {{ ?s ?p ?o FILTER REGEX(STR(?o), '{pattern}', 'i') }}")


@pytest.mark.parametrize("flags", ["'x'", "'ix'", "?flags", "CONCAT('i', 'x')"])
def test_patterns_with_spaces_or_flags_that_are_made_are_refused(flags: str) -> None:
    with pytest.raises(GuardError, match="pattern must be written"):
        check(f"SELECT * {{ ?s ?p ?o FILTER REGEX(?o, 'a b', {flags}) }}")


FUNCTIONS = "PREFIX f: <http://www.w3.org/2005/xpath-functions#> PREFIX x: <http://e.org/x#> "


@pytest.mark.parametrize(
    "query",
    [
        "SELECT (<http://e.org/wait>(9) AS ?x) {}",
        "SELECT <http://e.org/wait>(9) {}",
        "SELECT * { FILTER f:matches('a', '(.*a){25}') }",
        "SELECT * { FILTER x:f(1) }",
        "SELECT * { ?s ?p ?o FILTER(?o > 1 && !x:f(?o)) }",
        "SELECT * { ?s ?p ?o } ORDER BY ?s x:f(?o)",
        "SELECT * { { SELECT ?s { ?s ?p ?o } GROUP BY ?s x:f(?s) } }",
        "SELECT * { ?s ?p ?o } HAVING (1 = 1) x:f(?o)",
        "SELECT * { BIND(CALL(IRI('http://e.org/wait'), 9) AS ?x) }",
        "SELECT * { ?s <http://jena.apache.org/ARQ/property#strSplit> ('a' '(a+)+') }",
        "SELECT * { ?s <http://\\u006aena.apache.org/ARQ/list#member> ?o }",
        "BASE <http://jena.apache.org/ARQ/> SELECT * { ?s <property#strSplit> ('a' 'b') }",
        "SELECT * { FILTER <java:org.example.Wait>(1) }",
        "SELECT * { FILTER f:m\\u0061tches('a', 'b') }",
        "SELECT * { FILTER " + "x" * 70 + ":f(1) }",
    ],
)
def test_functions_of_a_store_are_refused(query: str) -> None:
    with pytest.raises(GuardError, match="only SPARQL's own functions"):
        check(FUNCTIONS + query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?s x:p (1 2) ; <http://e.org/q> ('a' (?o)) . (1 2) x:p ?o }",
        "SELECT * { [ x:p (1 2) ] x:q ?o FILTER EXISTS { ?s x:p (1) } }",
        "SELECT * { ?s x:p/(x:q|^x:r)* ?o . ?o (x:p) (1) }",
        "SELECT * { VALUES (?a ?b) { (x:a x:b) (x:c 'd'^^x:d) } }",
        "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
        "SELECT (xsd:integer(?o) AS ?n) { ?s ?p ?o } ORDER BY ?s xsd:date(?o)",
        "SELECT (<http://www.w3.org/2001/XMLSchema#date>(?o) AS ?n) { ?s x:call ?o }",
    ],
)
def test_casts_and_lists_are_no_functions_of_a_store(query: str) -> None:
    assert check(FUNCTIONS + query) is Form.SELECT


@pytest.mark.parametrize("pattern", ["?p", "CONCAT('(a+)', '+$')", "STR(?p)"])
def test_patterns_that_are_made_by_the_query_are_refused(pattern: str) -> None:
    with pytest.raises(GuardError, match="written out"):
        check(f"SELECT (REPLACE(?o, {pattern}, '') AS ?x) {{ ?s ?p ?o }}")


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "^heat.*pump$",
        "(a|b)+",
        r"\\(a+\\)+",
        "[a+]+",
        "(ab){2}",
        "^(the )?cat",
        "a{2,3}b+",
        "(a+)?b",
        r"^([0-9]{1,3}\\.){3}[0-9]{1,3}$",
        "(" + "|".join(["word"] * 40) + ")",
        "^(.*)-(.*)-(.*)$",
        "^-?[0-9]+([.][0-9]+)?$",
    ],
)
def test_harmless_patterns_are_fine(pattern: str) -> None:
    query = f"SELECT * {{ ?s ?p ?o FILTER(REGEX(LCASE(STR(?o)), '{pattern}')) }} LIMIT 5"
    assert check(query) is Form.SELECT


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_an_open_string_is_refused_where_it_opens(quote: str) -> None:
    with pytest.raises(GuardError, match="line 2, column 3: a string is not closed"):
        check(f"SELECT * {{\n ?{quote}SERVICE".replace("?", " "))


@pytest.mark.parametrize(
    "piece",
    ["<", "a:.", ":", "<a#>", "a.", "_:", "\\u0041", "<a#>\n", "<a#>'''\n", '"', "'''\"", "a-"],
)
def test_no_text_takes_long_to_read(piece: str) -> None:
    start = time.thread_time()
    with suppress(GuardError):
        check("SELECT * {" + piece * (LENGTH // len(piece) // 2))
    assert time.thread_time() - start < 2


@pytest.fixture(scope="module")
def canary() -> Iterator[tuple[str, list[str]]]:
    """An address that nobody may call, and the calls."""
    calls: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            calls.append(self.path)
            self.send_error(500)

        do_GET = do_POST  # noqa: N815 - the name that http.server looks for

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", calls
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_passes_calls_nobody(canary: tuple[str, list[str]]) -> None:
    """Random texts around SERVICE: what the guard lets through reaches out to nobody."""
    address, calls = canary
    pieces = [
        "SERVICE", "service", f"<{address}>", "{?s ?p ?o}", "x:a", "x:", "?x", "'", '"', "'''",
        '"""', "#", "\n", " ", "{", "}", "(", ")", "<", ">", "<?b#>", "<urn:b#>", "true", "1",
        ".", "a", "_:b", "@en", "\\u0027", "\\u0020", "FILTER(?s<?b", "SILENT", "OPTIONAL", ";",
        "x:b.", "?s ?p ?o", "EXISTS", "GRAPH", "\r", "BIND(1 AS ?z)", "''", "\\", "UNION",
    ]  # fmt: skip
    source, store, passed = random.Random(4), pyoxigraph.Store(), 0
    for _ in range(6000):
        middle = "".join(source.choices(pieces, k=source.randint(1, 7)))
        query = (
            f"PREFIX x: <{address}> SELECT * {{ ?s ?p ?o {middle}"
            f"SERVICE{source.choice([' ', '', middle])}<{address}>{{}} {middle}\n}}"
        )
        try:
            check(query)
            passed += 1
            list(store.query(query))  # type: ignore[arg-type]
        except (GuardError, SyntaxError, OSError, ValueError, RuntimeError):
            continue
    assert passed > 100
    assert not calls


def test_the_canary_sings(canary: tuple[str, list[str]]) -> None:
    address, calls = canary
    with pytest.raises((OSError, RuntimeError, ValueError)):
        list(pyoxigraph.Store().query(f"SELECT * {{ SERVICE <{address}> {{}} }}"))  # type: ignore[arg-type]
    assert calls
    calls.clear()
