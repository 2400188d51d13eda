"""Results of outside queries: cut at the limits, and in the format that the client asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyoxigraph import (
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    RdfFormat,
    parse,
    parse_query_results,
    serialize,
)

TSV = "text/tab-separated-values"
NTRIPLES = "application/n-triples"
BOOLEAN = "application/sparql-results+json"

ROW_FORMATS = {
    "application/sparql-results+json": QueryResultsFormat.JSON,
    "application/json": QueryResultsFormat.JSON,
    "application/sparql-results+xml": QueryResultsFormat.XML,
    "application/xml": QueryResultsFormat.XML,
    "text/csv": QueryResultsFormat.CSV,
    "text/tab-separated-values": QueryResultsFormat.TSV,
}
GRAPH_FORMATS = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/ld+json": RdfFormat.JSON_LD,
}


@dataclass(frozen=True, slots=True)
class Cut:
    """The lines of a result up to the limits, and whether more would have come."""

    body: bytes
    short: bool

    @classmethod
    def from_chunks(cls, chunks: Iterable[bytes], lines: int, size: int) -> Cut:
        """At most `lines` whole lines and `size` bytes of line-based chunks (TSV, N-Triples)."""
        kept: list[bytes] = []
        left, room = lines, size
        for chunk in chunks:
            count = chunk.count(b"\n")
            if count > left or len(chunk) > room:
                return cls(_whole_lines(b"".join([*kept, chunk[:room]]), lines), short=True)
            kept.append(chunk)
            left -= count
            room -= len(chunk)
        return cls(b"".join(kept), short=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A result for people: columns and cells, or the truth of an ASK."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    truth: bool | None = None
    cut: bool = False


def rows_as(body: bytes, kind: str, form: QueryResultsFormat) -> bytes:
    """A SELECT's TSV or an ASK's JSON, `kind` saying which, in another format."""
    return parse_query_results(body, format=ROW_FORMATS[kind]).serialize(format=form) or b""


def graph_as(body: bytes, form: RdfFormat) -> bytes:
    """N-Triples in another format."""
    if form == RdfFormat.N_TRIPLES:
        return body
    return serialize(parse(body, format=RdfFormat.N_TRIPLES), format=form) or b""


def table_from(cut: Cut, kind: str) -> Table:
    """A result for the page; `kind` is TSV, NTRIPLES or BOOLEAN."""
    if kind == NTRIPLES:
        quads = parse(cut.body, format=RdfFormat.N_TRIPLES)
        rows = tuple((_shown(q.subject), _shown(q.predicate), _shown(q.object)) for q in quads)
        return Table(("subject", "predicate", "object"), rows, cut=cut.short)
    parsed = parse_query_results(cut.body, format=ROW_FORMATS[kind])
    if isinstance(parsed, QueryBoolean):
        return Table(truth=bool(parsed))
    columns = tuple(variable.value for variable in parsed.variables)
    return Table(columns, tuple(tuple(map(_shown, row)) for row in parsed), cut=cut.short)


def _shown(term: object) -> str:
    if isinstance(term, NamedNode | Literal):
        return term.value
    return "" if term is None else str(term)


def _whole_lines(body: bytes, most: int) -> bytes:
    lines = body.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    return b"".join(lines[:most])
