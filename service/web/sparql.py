"""`/sparql`: SPARQL 1.1 Protocol, read only, guarded, bounded in time, rows and bytes."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request
from werkzeug.datastructures import MIMEAccept, MultiDict
from werkzeug.exceptions import BadRequest, Forbidden, NotAcceptable, UnsupportedMediaType

from queries import guard, library
from queries.guard import Form
from queries.store import Store
from queries.store.errors import StoreError, StoreRefused
from queries.terms import named
from service.build import Askonto
from service.settings import Settings
from service.web import markup, results
from service.web.slots import Slots

CUT_HEADER = "Askonto-Truncated"
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_PAGE_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Asked:
    """A protocol request: the query and the graphs that it names beside it."""

    query: str
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


def blueprint(askonto: Askonto) -> Blueprint:
    """`GET` and `POST /sparql`; to a browser, a page with the query and its rows."""
    area = Blueprint("sparql", __name__)
    settings = askonto.settings
    slots = Slots(max(1, settings.threads // 4), settings.query_seconds)

    @area.route("/sparql", methods=["GET", "POST"])
    def sparql() -> Response:
        if markup.wants_page() and request.method == "GET" and "query" not in request.args:
            return Response(render_template("sparql.html", query=""), mimetype="text/html")
        asked = _asked()
        form = _checked(asked, askonto.store)
        best = accepted(form)
        with slots.taken():
            cut, kind = _run(askonto, asked, form, _most_rows(settings, best))
        try:
            return _response(asked, cut, kind, best)
        except (ValueError, SyntaxError) as error:
            raise StoreError(f"its result cannot be read: {error}", name="store") from error

    return area


def _asked() -> Asked:
    """The request's query, by any of the protocol's three ways."""
    if request.method == "GET":
        return _from_parameters(request.args)
    if request.mimetype in _FORMS:
        return _from_parameters(request.form)
    if request.mimetype == "application/sparql-update":
        raise Forbidden("This address only reads; nothing was changed.")
    if request.mimetype != "application/sparql-query":
        raise UnsupportedMediaType("Send a form, or the query as application/sparql-query.")
    try:
        query = request.get_data(cache=False).decode("utf-8")
    except UnicodeDecodeError:
        raise BadRequest("The query is not UTF-8.") from None
    return _from_parameters(MultiDict([*request.args.items(multi=True), ("query", query)]))


def _from_parameters(given: MultiDict[str, str]) -> Asked:
    if "update" in given:
        raise Forbidden("This address only reads; nothing was changed.")
    queries = given.getlist("query")
    if len(queries) != 1:
        raise BadRequest(f"Send one query; {len(queries)} came.")
    return Asked(
        queries[0],
        tuple(given.getlist("default-graph-uri")),
        tuple(given.getlist("named-graph-uri")),
    )


def _checked(asked: Asked, store: Store) -> Form:
    """The query's form; a GuardError where it must not run."""

    def holds(graph: str) -> bool:
        return store.ask(library.load("check/graph").bind(graph=[named(graph)]))

    for graph in (*asked.default_graphs, *asked.named_graphs):
        guard.check_graph(graph, holds)
    return guard.check(asked.query, holds)


def accepted(form: Form, *, pages: bool = True) -> str:
    """The best media type for this form of query; raises NotAcceptable where there is none."""
    formats = results.GRAPH_FORMATS if form.gives_triples else results.ROW_FORMATS
    offered = [*formats, *(["text/html"] if pages else [])]
    asked = MIMEAccept((name.partition(";")[0], q) for name, q in request.accept_mimetypes)
    best = asked.best_match(offered) if asked else offered[0]
    if not best:
        raise NotAcceptable(f"Accept one of {', '.join(offered)}.")
    return best


def _most_rows(settings: Settings, accepted: str) -> int:
    return min(_PAGE_ROWS, settings.query_rows) if accepted == "text/html" else settings.query_rows


def _run(askonto: Askonto, asked: Asked, form: Form, rows: int) -> tuple[results.Cut, str]:
    """The result up to the limits, always in a format of lines, and that format."""
    settings = askonto.settings
    kind = form.line_format
    try:
        reply = askonto.store.query_raw(
            asked.query,
            kind,
            deadline=settings.query_seconds,
            default_graphs=asked.default_graphs,
            named_graphs=asked.named_graphs,
        )
    except StoreRefused as error:
        raise BadRequest(error.reason) from None
    try:
        head = 1 if kind == results.TSV else 0
        return results.Cut.from_chunks(reply.chunks, rows + head, settings.query_bytes), kind
    finally:
        reply.close()


def _response(asked: Asked, cut: results.Cut, kind: str, accepted: str) -> Response:
    if accepted == "text/html":
        table = results.table_from(cut, kind)
        body: str | bytes = render_template("sparql.html", query=asked.query, table=table)
    elif kind == results.NTRIPLES:
        body = results.graph_as(cut.body, results.GRAPH_FORMATS[accepted])
    else:
        body = results.rows_as(cut.body, kind, results.ROW_FORMATS[accepted])
    response = Response(body, mimetype=accepted)
    if cut.short:
        response.headers[CUT_HEADER] = "true"
    response.headers["Vary"] = "Accept"
    return response
