"""The query library: one `.rq` file a query, its parameters replaced by serialised terms.

Parameters are lines of the file, which therefore runs as it stands:

    VALUES ?entity { UNDEF }                    bind(entity=[term, …])
    VALUES (?entity ?predicate) { (UNDEF UNDEF) }   bind(entity_predicate=[(term, term), …])
    LIMIT 10 # ?limit                           bind(limit=10)

An empty list matches nothing; a parameter that stands several times is replaced everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ontology.errors import AskontoError
from queries.terms import serialise

_PARAMETER = re.compile(
    r"VALUES\s+\?(?P<one>\w+)\s*\{\s*UNDEF\s*\}"
    r"|VALUES\s+\((?P<row>(?:\s*\?\w+)+)\s*\)\s*\{\s*\((?:\s*UNDEF)+\s*\)\s*\}"
    r"|LIMIT\s+\d+\s*#\s*\?(?P<count>\w+)"
)


class QueryError(AskontoError):
    """A query that the library does not have, or parameters that do not fit it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter's place: `kind` is one, row or count; `variables` as the file writes them."""

    kind: str
    name: str
    variables: str

    @classmethod
    def from_match(cls, match: re.Match[str]) -> Slot:
        """The slot that a parameter line is."""
        kind = match.lastgroup or ""
        variables = match[kind].split()
        return cls(kind, "_".join(v.lstrip("?") for v in variables), " ".join(variables))

    def fill(self, value: object) -> str:
        """The line with the value in it; a QueryError where the value has another shape."""
        if self.kind == "count":
            if not isinstance(value, int) or value < 0:
                raise QueryError("expected a whole number", name=self.name)
            return f"LIMIT {value}"
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise QueryError("expected a list of terms", name=self.name)
        if self.kind == "one":
            return f"VALUES ?{self.variables} {{ {' '.join(map(serialise, value))} }}"
        return f"VALUES ({self.variables}) {{ {' '.join(map(self._row, value))} }}"

    def _row(self, terms: object) -> str:
        if not isinstance(terms, tuple) or len(terms) != len(self.variables.split()):
            raise QueryError(f"expected rows of {self.variables}", name=self.name)
        return f"({' '.join(map(serialise, terms))})"


@dataclass(frozen=True, slots=True)
class Query:
    """A query of the library: its name, the file's text, and the text cut at its slots."""

    name: str
    text: str
    parts: tuple[str | Slot, ...]

    @classmethod
    def from_text(cls, name: str, text: str) -> Query:
        """The query that a file's text is."""
        parts: list[str | Slot] = []
        end = 0
        for match in _PARAMETER.finditer(text):
            parts += [text[end : match.start()], Slot.from_match(match)]
            end = match.end()
        return cls(name, text, (*parts, text[end:]))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The places of its parameters."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

    @property
    def parameters(self) -> frozenset[str]:
        """The names that `bind` takes."""
        return frozenset(slot.name for slot in self.slots)

    @property
    def answers(self) -> str:
        """What the query answers, as its first line says."""
        return self.text.split("\n", 1)[0].lstrip("# ").rstrip()

    def bind(self, **values: object) -> str:
        """The query with every parameter given; a missing or unknown one is a QueryError."""
        if values.keys() != self.parameters:
            wanted = ", ".join(sorted(self.parameters)) or "none"
            raise QueryError(f"parameters are {wanted}; given {sorted(values)}", name=self.name)
        lists = {k: tuple(v) if isinstance(v, Iterable) else v for k, v in values.items()}
        return "".join(p if isinstance(p, str) else p.fill(lists[p.name]) for p in self.parts)


@cache
def load(name: str) -> Query:
    """The query of that name: `retrieve/head` is `queries/retrieve/head.rq`."""
    file = files("queries").joinpath(f"{name}.rq")
    if not re.fullmatch(r"\w+/\w+", name) or not file.is_file():
        raise QueryError("no such query", name=name)
    return Query.from_text(name, file.read_text(encoding="utf-8"))


def union(queries: Sequence[str]) -> str:
    """One query for the rows of several SELECTs, each bound and without PREFIX lines."""
    if len(queries) == 1:
        return queries[0]
    parts = "\n} UNION {\n".join(query.strip() for query in queries)
    return f"SELECT * WHERE {{ {{\n{parts}\n}} }}\n"
