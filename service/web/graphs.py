"""`/graphs`: the SPARQL 1.1 Graph Store HTTP Protocol; who holds the write token may write."""

from __future__ import annotations

import uuid

from flask import Blueprint, Response, request, url_for
from pyoxigraph import NamedNode
from werkzeug.exceptions import BadRequest, NotFound, UnsupportedMediaType

from loaders.graphs import Graphs
from loaders.iris import Iris
from loaders.sources import rdf
from loaders.sources.recognise import Kind
from queries import library
from queries.guard import Form
from queries.terms import named
from service.build import Askonto
from service.web import results, sparql, token

_FORM = "multipart/form-data"
_KINDS = {
    kind.media_type: kind
    for kind in (Kind.TURTLE, Kind.N_TRIPLES, Kind.RDF_XML, Kind.JSON_LD, Kind.TRIG, Kind.N_QUADS)
}


def blueprint(askonto: Askonto) -> Blueprint:
    """`/graphs?graph=IRI`, `/graphs?default`, and `/graphs/NAME`, whose IRI is its own address."""
    area = Blueprint("graphs", __name__)
    iris = Iris(askonto.settings.base_iri)
    graphs = Graphs(askonto.store, iris)

    @area.get("/graphs")
    @area.get("/graphs/<path:name>")
    def read(name: str = "") -> Response:
        graph = _graph(iris, name)
        accepted = sparql.accepted(Form.CONSTRUCT, pages=False)
        if not graphs.exists(graph):
            raise NotFound(f"There is no graph {graph}.")
        return _content(askonto, graph, accepted)

    @area.put("/graphs")
    @area.put("/graphs/<path:name>")
    def put(name: str = "") -> Response:
        token.check(askonto.settings)
        graph = _graph(iris, name)
        lines, count = _body(iris, graph)
        return Response(status=201 if graphs.put(graph, lines, count) else 204)

    @area.post("/graphs")
    @area.post("/graphs/<path:name>")
    def add(name: str = "") -> Response:
        token.check(askonto.settings)
        fresh = not name and not {"graph", "default"} & request.args.keys()
        graph = _new() if fresh else _graph(iris, name)
        lines = _parts(iris, graph)
        response = Response(status=201 if graphs.add(graph, lines) else 204)
        if fresh:
            response.headers["Location"] = graph.value
        return response

    @area.delete("/graphs")
    @area.delete("/graphs/<path:name>")
    def delete(name: str = "") -> Response:
        token.check(askonto.settings)
        graph = _graph(iris, name)
        if not graphs.delete(graph):
            raise NotFound(f"There is no graph {graph}.")
        return Response(status=204)

    return area


def _graph(iris: Iris, name: str) -> NamedNode:
    """The graph that the request is about."""
    given = [*request.args.getlist("graph"), *(["default"] if "default" in request.args else [])]
    if len(given) + bool(name) != 1:
        raise BadRequest("Name one graph: ?graph=IRI, ?default, or a path under /graphs/.")
    if "default" in request.args:
        return iris.default
    return named(request.base_url if name else given[0])


def _new() -> NamedNode:
    return NamedNode(url_for("graphs.read", name=uuid.uuid4().hex, _external=True))


def _body(iris: Iris, graph: NamedNode) -> tuple[bytes, int]:
    """The request's triples in N-Triples, and how many; all of them were parsed and checked."""
    return _triples(iris, graph, request.get_data(cache=False), request.mimetype)


def _parts(iris: Iris, graph: NamedNode) -> bytes:
    """The triples of a body or, where it is a form, of each of its files."""
    if request.mimetype != _FORM:
        return _body(iris, graph)[0]
    files = [file for name in request.files for file in request.files.getlist(name)]
    return b"".join(_triples(iris, graph, file.read(), file.mimetype)[0] for file in files)


def _triples(iris: Iris, graph: NamedNode, data: bytes, media_type: str) -> tuple[bytes, int]:
    kind = _KINDS.get(media_type)
    if kind is None:
        raise UnsupportedMediaType(f"Send one of {', '.join(_KINDS)}.")
    dataset = rdf.read(
        data,
        kind,
        name="the body",
        base=graph.value,
        skolem=iris.skolem(f"{graph.value} {uuid.uuid4().hex}"),
    )
    if dataset.graphs.keys() - {None, graph}:
        raise BadRequest("The body names other graphs than the one it is for.")
    return b"".join(dataset.graphs.values()), dataset.triples


def _content(askonto: Askonto, graph: NamedNode, accepted: str) -> Response:
    settings = askonto.settings
    query = library.load("extract/graph").bind(graph=[graph])
    reply = askonto.store.query_raw(query, results.NTRIPLES, deadline=settings.query_seconds)
    try:
        cut = results.Cut.from_chunks(reply.chunks, settings.query_rows, settings.query_bytes)
    finally:
        reply.close()
    body = results.graph_as(cut.body, results.GRAPH_FORMATS[accepted])
    response = Response(body, mimetype=accepted, headers={"Vary": "Accept"})
    if cut.short:
        response.headers[sparql.CUT_HEADER] = "true"
    return response
