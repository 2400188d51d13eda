"""The W3C's SPARQL 1.1 tests over HTTP, against a service that runs as anybody's does.

    python -m benchmarks.w3c DATA/w3c/sparql11

replays the protocol's and the graph store's requests, asks the syntax tests' queries, and evaluates
the query tests, whose graphs are put at /graphs and named by the protocol's parameters. Tests of
entailment and of SERVICE are left out and counted. The store is that of the settings: the embedded
one, or with `ASKONTO_STORE` another. Rows are compared as bags, blank nodes and order left open,
numbers by their value.
"""

from __future__ import annotations

import csv
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

import httpx
import pyoxigraph as ox
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.compare import isomorphic
from rdflib.namespace import RDF, XSD
from rdflib.query import Result
from rdflib.term import Node

from benchmarks.serving import served

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
HT = Namespace("http://www.w3.org/2011/http#")
HTS = Namespace("http://www.w3.org/2011/http-statusCodes#")
CNT = Namespace("http://www.w3.org/2011/content#")
RS = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/result-set#")
ROW = Namespace("urn:row:")

TOKEN = "the-token-of-the-w3c-tests"
LEFT_OUT = {
    "entailment": "entailment",
    "service": "SERVICE",
    "syntax-fed": "SERVICE",
    "http-rdf-update": "deprecated",
}
QUERIES = {MF.QueryEvaluationTest, MF.CSVResultFormatTest}
SYNTAX: dict[Node, bool] = {MF.PositiveSyntaxTest11: True, MF.NegativeSyntaxTest11: False}
HTTP_TESTS = {MF.ProtocolTest, MF.GraphStoreProtocolTest}

DEFAULT = "urn:w3c:default"
_BLANK = r"_:\w+|http\S*/genid/[\w/]+"
_FORMATS = {".ttl": "text/turtle", ".rdf": "application/rdf+xml", ".nt": "application/n-triples"}
_RESULTS = {".srx": "xml", ".srj": "json", ".tsv": "tsv", ".csv": "csv"}
_ACCEPT = {
    ".srj": "application/sparql-results+json",
    ".tsv": "text/tab-separated-values",
    ".csv": "text/csv",
}
_ENGINE = {
    ".srx": (ox.QueryResultsFormat.XML, "application/sparql-results+xml"),
    ".csv": (ox.QueryResultsFormat.CSV, "text/csv"),
    ".tsv": (ox.QueryResultsFormat.TSV, "text/tab-separated-values"),
}
_CLASSES: dict[Node, range] = {
    HTS[f"StatusCode{n}xx"]: range(100 * n, 100 * n + 100) for n in range(1, 6)
}
_NAMED: dict[Node, int] = {HTS.OK: 200, HTS.Created: 201, HTS.NoContent: 204, HTS.NotFound: 404}


class Failed(Exception):
    """A test's expectation that was not met."""


def main() -> int:
    """Run the tests of the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "manifest-all.ttl").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "ASKONTO_DATA": data, "ASKONTO_WRITE_TOKEN": TOKEN}
        with served(environment) as http:
            http.headers["Authorization"] = f"Bearer {TOKEN}"
            for area, name, run in _tests(folder):
                counts[area, _outcome(http, f"{area}/{name}", run)] += 1
    for area in sorted({area for area, _ in counts}):
        told = {outcome: n for (one, outcome), n in sorted(counts.items()) if one == area}
        print(f"{area}: " + ", ".join(f"{n} {outcome}" for outcome, n in told.items()))
    return 0


Test = Callable[[httpx.Client], None] | str


def _outcome(http: httpx.Client, name: str, run: Test) -> str:
    if isinstance(run, str):
        return f"left out ({run})"
    try:
        run(http)
    except Failed as error:
        print(f"FAILED {name}: {error}")
        return "failed"
    return "passed"


def _tests(folder: Path) -> Iterator[tuple[str, str, Test]]:
    for manifest in sorted(folder.glob("*/manifest*.ttl")):
        graph = Graph().parse(manifest, format="turtle", publicID=manifest.as_uri())
        for entries in graph.objects(None, MF.entries):
            for test in Collection(graph, entries):
                kinds = set(graph.objects(test, RDF.type))
                name = str(test).rpartition("#")[2]
                area = manifest.parent.name
                if kinds & HTTP_TESTS:
                    run: Test = lambda http, g=graph, t=test: replay(http, g, t)  # noqa: E731
                    yield area, name, LEFT_OUT.get(area, run)
                elif kinds & SYNTAX.keys():
                    good = next(SYNTAX[kind] for kind in kinds if kind in SYNTAX)
                    run = lambda http, g=graph, t=test, w=good: syntax(http, g, t, w)  # noqa: E731
                    yield area, name, LEFT_OUT.get(area, run)
                elif kinds & QUERIES:
                    run = lambda http, g=graph, t=test: evaluate(http, g, t)  # noqa: E731
                    yield area, name, LEFT_OUT.get(area, run)


def syntax(http: httpx.Client, graph: Graph, test: Node, good: bool) -> None:
    """Ask the query and see whether it is understood, as it should be or should not."""
    query = _path(graph.value(test, MF.action)).read_text("utf-8")
    reply = http.post("/sparql", data={"query": query})
    if reply.status_code == 400 and _UNKNOWN_GRAPH in reply.text:
        return  # understood, and refused for what it asks
    if (reply.status_code != 400) != good:
        raise Failed(f"{reply.status_code}, though the query is {'right' if good else 'wrong'}")


def evaluate(http: httpx.Client, graph: Graph, test: Node) -> None:
    """Put the test's graphs, ask its query of just these, and compare the result."""
    action = _one(graph, test, MF.action)
    default = [str(one) for one in graph.objects(action, QT.data)]
    named = [str(one) for one in graph.objects(action, QT.graphData)]
    triples = {_graph(file): _triples(file) for file in default + named} | {DEFAULT: []}
    for name, stated in triples.items():
        _put(http, name, stated)
    expected = _path(graph.value(test, MF.result))
    query_file = graph.value(action, QT.query)
    query = f"BASE <{_graph(str(query_file))}>\n" + _path(query_file).read_text("utf-8")
    asked = [_graph(one) for one in default] or [DEFAULT], [_graph(one) for one in named]
    form = {"query": query, "default-graph-uri": asked[0], "named-graph-uri": asked[1]}
    accept = _ACCEPT.get(expected.suffix, "application/sparql-results+xml, text/turtle;q=0.9")
    reply = http.post("/sparql", data=form, headers={"Accept": accept})
    if reply.status_code != 200:
        raise Failed(f"status {reply.status_code}: {reply.text[:200]}")
    mime = reply.headers["content-type"].partition(";")[0]
    if not _same(reply.content, mime, expected):
        also = "" if _oxigraph(triples, asked, query, expected) else ", as Oxigraph in process"
        raise Failed(f"another result than {expected.name}{also}")


def _oxigraph(
    triples: dict[str, list[ox.Triple]],
    asked: tuple[list[str], list[str]],
    query: str,
    expected: Path,
) -> bool:
    """Whether the engine of the embedded store, without askonto around it, gets it right."""
    store = ox.Store()
    store.extend(
        ox.Quad(t.subject, t.predicate, t.object, ox.NamedNode(name))
        for name, stated in triples.items()
        for t in stated
    )
    result = store.query(
        query,
        default_graph=[ox.NamedNode(one) for one in asked[0]],
        named_graphs=[ox.NamedNode(one) for one in asked[1]],
    )
    if isinstance(result, ox.QueryTriples):
        return _same(result.serialize(format=ox.RdfFormat.TURTLE) or b"", "text/turtle", expected)
    form, mime = _ENGINE.get(expected.suffix, _ENGINE[".srx"])
    return _same(result.serialize(format=form) or b"", mime, expected)


def _graph(file: str) -> str:
    return file.replace("file://", "http://w3c.test")


def _triples(file: str) -> list[ox.Triple]:
    path = _path(URIRef(file))
    form = ox.RdfFormat.from_extension(path.suffix[1:])
    quads = ox.parse(path.read_bytes(), format=form, base_iri=_graph(file))
    return [quad.triple for quad in quads]


def _put(http: httpx.Client, name: str, triples: list[ox.Triple]) -> None:
    lines = "".join(f"{triple} .\n" for triple in triples)
    headers = {"Content-Type": "application/n-triples"}
    reply = http.put("/graphs", params={"graph": name}, content=lines, headers=headers)
    if reply.status_code not in {201, 204}:
        raise Failed(f"its graph was not taken: {reply.text[:200]}")


def _same(body: bytes, mime: str, expected: Path) -> bool:
    if expected.suffix == ".csv":
        return _table(body.decode("utf-8")) == _table(expected.read_text("utf-8"))
    if mime == "text/turtle":
        found, wanted = Graph().parse(data=body, format="turtle"), Graph().parse(expected)
        return isomorphic(_blank(found), _blank(wanted))
    kind = {"application/sparql-results+json": "json", "text/tab-separated-values": "tsv"}
    rows = _rows(Result.parse(source=BytesIO(body), format=kind.get(mime, "xml")))
    return isomorphic(_blank(rows), _blank(_expected(expected)))


def _table(text: str) -> list[list[tuple[str, str]]]:
    """The rows of a CSV result, columns and rows in any order."""
    rows = csv.DictReader(re.sub(_BLANK, "_:b", text).splitlines())
    return sorted(sorted((name, value or "") for name, value in row.items()) for row in rows)


def _expected(file: Path) -> Graph:
    if file.suffix in _RESULTS:
        return _rows(Result.parse(source=BytesIO(file.read_bytes()), format=_RESULTS[file.suffix]))
    told, rows = Graph().parse(file), Graph()
    for truth in told.objects(None, RS.boolean):
        rows.add((BNode(), ROW.boolean, truth))
    for solution in told.objects(None, RS.solution):
        row = BNode()
        rows.add((row, RDF.type, ROW.row))
        for binding in told.objects(solution, RS.binding):
            value = _one(told, binding, RS.value)
            rows.add((row, ROW[str(told.value(binding, RS.variable))], value))
    return rows


def _rows(result: Result) -> Graph:
    """A result as a graph, each row a blank node, so that blank nodes may have other names."""
    graph = Graph()
    if result.type == "ASK":
        graph.add((BNode(), ROW.boolean, Literal(bool(result.askAnswer))))
        return graph
    for row in result.bindings:
        node = BNode()
        graph.add((node, RDF.type, ROW.row))
        for variable, value in row.items():
            graph.add((node, ROW[str(variable)], value))
    return graph


def _blank(graph: Graph) -> Graph:
    """The graph with askonto's names of blank nodes blank again, numbers in one form."""
    nodes: dict[Node, Node] = {}

    def plain(term: Node) -> Node:
        if isinstance(term, URIRef) and "/genid/" in term:
            return nodes.setdefault(term, BNode())
        if isinstance(term, Literal) and term.datatype in _NUMBERS and term.value is not None:
            return Literal(f"{float(term.value):.9g}", datatype=term.datatype)
        if isinstance(term, Literal) and term.language:
            return Literal(str(term), lang=term.language.lower())
        if isinstance(term, Literal) and term.datatype == XSD.string:
            return Literal(str(term))
        return term

    made = Graph()
    for s, p, o in graph:
        made.add((plain(s), p, plain(o)))
    return made


_NUMBERS = {XSD.integer, XSD.decimal, XSD.double, XSD.float}


def replay(http: httpx.Client, graph: Graph, test: Node) -> None:
    """Send the test's requests one after the other to a store without their graphs."""
    found = http.get("/sparql", params={"query": _GRAPHS}).json()["results"]["bindings"]
    for row in found:
        http.delete("/graphs", params={"graph": row["graph"]["value"]})
    for number in range(4):  # graphs that the tests take for granted
        name = f"http://kasei.us/2009/09/sparql/data/data{number}.rdf"
        _put(http, name, [ox.Triple(ox.NamedNode(name), _TYPE, ox.NamedNode("urn:t"))])
    action = _one(graph, test, MF.action)
    known: dict[str, str] = {}
    for request in Collection(graph, _one(graph, action, HT.requests)):
        _send(http, graph, request, known)


_TYPE = ox.NamedNode(str(RDF.type))
_GRAPHS = "SELECT DISTINCT ?graph { ?source <https://w3id.org/askonto/onto#inGraph> ?graph }"
_UNKNOWN_GRAPH = "FROM names a graph"


def _send(http: httpx.Client, graph: Graph, request: Node, known: dict[str, str]) -> None:
    headers, body = _message(graph, request, known)
    path = _address(_filled(str(graph.value(request, HT.absolutePath)), known), headers, body)
    method = str(graph.value(request, HT.methodName))
    reply = http.request(method, path, headers=headers, content=body)
    response = _one(graph, request, HT.resp)
    statuses = list(graph.objects(response, MF.expectedStatus))
    statuses += list(graph.objects(response, HT.statusCodeNumber))
    if not any(_is(reply.status_code, status) for status in statuses):
        wanted = ", ".join(str(one).rpartition("#")[2] for one in statuses)
        told = reply.text[:150].replace("\n", " ")
        raise Failed(f"{method} {unquote(path)[:90]}: {reply.status_code}, not {wanted}; {told}")
    truth = graph.value(response, MF.expectedBoolean)
    if truth is not None and f'"boolean":{str(truth).lower()}' not in reply.text.replace(" ", ""):
        raise Failed(f"{method} {unquote(path)[:90]}: not {truth}")
    location = graph.value(response, MF.expectedLocation)
    if location is not None:
        known[str(location)] = reply.headers["Location"]
    _compare(graph, response, reply, known)


def _compare(graph: Graph, response: Node, reply: httpx.Response, known: dict[str, str]) -> None:
    headers, body = _message(graph, response, known)
    if body and "turtle" in headers.get("content-type", ""):
        base = "http://example/"
        ours = Graph().parse(data=reply.text, format="turtle", publicID=base)
        if not isomorphic(_blank(ours), _blank(Graph().parse(data=body, publicID=base))):
            raise Failed("the graph is another one")


def _message(graph: Graph, message: Node, known: dict[str, str]) -> tuple[dict[str, str], bytes]:
    """The headers, by names in lower case, and the body of a request or response."""
    listed = graph.value(message, HT.headers)
    headers = {
        str(graph.value(one, HT.fieldName)).lower(): str(graph.value(one, HT.fieldValue))
        for one in (Collection(graph, listed) if listed else ())
    }
    content = graph.value(message, HT.body)
    text = graph.value(content, CNT.chars) if content is not None else None
    encoding = str(graph.value(content, CNT.characterEncoding) or "utf-8") if content else "utf-8"
    return headers, _filled(str(text), known).encode(encoding) if text is not None else b""


def _filled(text: str, known: dict[str, str]) -> str:
    for template, value in known.items():
        text = text.replace(template, value)
    return text


def _address(path: str, headers: dict[str, str], body: bytes) -> str:
    """Our address for the tests': queries and updates have one each."""
    if path.startswith("http"):
        return path
    rest = path.removeprefix("/sparql").removeprefix("/gsp").removeprefix("/")
    if path.startswith("/gsp"):
        return f"/graphs{'' if rest.startswith('?') or not rest else '/'}{rest}"
    told = headers.get("content-type", "") + rest + body.decode("latin-1")
    update = "sparql-update" in told or "update=" in told or "INSERT" in told or "CLEAR" in told
    return f"/{'update' if update else 'sparql'}{rest}"


def _is(status: int, expected: Node) -> bool:
    if expected in _CLASSES:
        return status in _CLASSES[expected]
    return status == (_NAMED.get(expected) or int(str(expected).rpartition("#")[2] or 0))


def _one(graph: Graph, subject: Node, predicate: Node) -> Node:
    """The object that the manifest must have."""
    return next(graph.objects(subject, predicate))


def _path(node: Node | None) -> Path:
    return Path(unquote(str(node).removeprefix("file://")))


if __name__ == "__main__":
    sys.exit(main())
