"""Results of queries as typed terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Triple,
    parse,
    parse_query_results,
)

from queries.store.errors import StoreError

Term = NamedNode | BlankNode | Literal | Triple
Row = tuple[Term | None, ...]

# TSV parses in under half the time of JSON; both are asked for, since stores may have only one.
ACCEPT_ROWS = "text/tab-separated-values, application/sparql-results+json;q=0.8"
ACCEPT_BOOLEAN = "application/sparql-results+json"
ACCEPT_TRIPLES = "application/n-triples"
_FORMATS = {
    "text/tab-separated-values": QueryResultsFormat.TSV,
    "application/sparql-results+json": QueryResultsFormat.JSON,
    "application/json": QueryResultsFormat.JSON,
}


@dataclass(frozen=True, slots=True)
class Solutions:
    """Rows of a SELECT, each a tuple in the order of `variables`; None where nothing is bound."""

    variables: tuple[str, ...]
    rows: list[Row]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def ordered(self) -> Solutions:
        """The same rows in an order of their terms: that of a store is its own."""
        return Solutions(self.variables, sorted(self.rows, key=lambda row: [*map(str, row)]))

    def columns(self, *names: str) -> Iterator[Row]:
        """The rows with these variables only, in this order; one that is none is not bound."""
        places = [self.variables.index(n) if n in self.variables else None for n in names]
        for row in self.rows:
            yield tuple(None if place is None else row[place] for place in places)

    def __len__(self) -> int:
        return len(self.rows)


def solutions(body: bytes, content_type: str) -> Solutions:
    """The rows of a SELECT's reply; a StoreError where it is none."""
    parsed = _parsed(body, content_type)
    if not isinstance(parsed, QuerySolutions):
        raise _unreadable(content_type)
    try:
        rows = [tuple(row) for row in parsed]
    except (ValueError, SyntaxError) as error:
        raise _unreadable(content_type) from error
    return Solutions(tuple(v.value for v in parsed.variables), rows)


def boolean(body: bytes, content_type: str) -> bool:
    """The reply to an ASK."""
    parsed = _parsed(body, content_type)
    if not isinstance(parsed, QueryBoolean):
        raise _unreadable(content_type)
    return bool(parsed)


def triples(body: bytes, content_type: str) -> list[Triple]:
    """The triples of a CONSTRUCT or DESCRIBE's reply in N-Triples."""
    if _media_type(content_type) != ACCEPT_TRIPLES:
        raise _unreadable(content_type)
    try:
        return [quad.triple for quad in parse(body, format=RdfFormat.N_TRIPLES)]
    except (ValueError, SyntaxError) as error:
        raise _unreadable(content_type) from error


def _parsed(body: bytes, content_type: str) -> QuerySolutions | QueryBoolean:
    form = _FORMATS.get(_media_type(content_type))
    if form is None:
        raise _unreadable(content_type)
    try:
        return parse_query_results(body, format=form)
    except (ValueError, SyntaxError) as error:
        raise _unreadable(content_type) from error


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _unreadable(content_type: str) -> StoreError:
    return StoreError(
        f"its reply is not a SPARQL result but {content_type or 'of no stated type'}",
        name="store",
        mend="Is the address that of a SPARQL 1.1 store?",
    )
