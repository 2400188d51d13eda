"""RDF files: parsed whole and checked, blank nodes made IRIs, before anything changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any, cast

import pyoxigraph as ox
from lxml import etree

from loaders.sources import isolated
from loaders.sources.datatypes import is_well_typed
from loaders.sources.limits import Limits
from loaders.sources.recognise import Kind
from ontology import entities, owlxml
from ontology.errors import InputError

_BOM = b"\xef\xbb\xbf"
_NESTED = 100
_MEND = "Mend that place; nothing of the file was loaded"
_FORMATS: Mapping[Kind, tuple[ox.RdfFormat, ...]] = {
    Kind.TURTLE: (ox.RdfFormat.TURTLE, ox.RdfFormat.TRIG),
    Kind.TRIG: (ox.RdfFormat.TRIG,),
    Kind.N_TRIPLES: (ox.RdfFormat.N_QUADS, ox.RdfFormat.TURTLE),
    Kind.N_QUADS: (ox.RdfFormat.N_QUADS, ox.RdfFormat.TRIG),
    Kind.RDF_XML: (ox.RdfFormat.RDF_XML,),
}


class BrokenRdf(InputError):
    """A file that its syntax does not allow."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a file states: N-Triples by graph (None: no graph named), counts without repetition.

    `ill_typed` counts the literals whose words are not in their datatype.
    """

    graphs: Mapping[ox.NamedNode | None, bytes]
    triples: int
    ill_typed: int
    warnings: tuple[str, ...] = ()


def read(
    data: bytes, kind: Kind, *, name: str, base: str, skolem: str, limits: Limits | None = None
) -> Dataset:
    """Every statement of the file; `skolem` starts the IRIs that stand for its blank nodes.

    Raises BrokenRdf, or ParserDied, with the file's name, the place, the reason and the mend.
    """
    limits = limits or Limits()
    data = _as_utf8(data, kind, name)
    if kind in (Kind.RDF_XML, Kind.OWL_XML):
        data = _safe(data, kind, name)
    if kind is Kind.OWL_XML:
        return _read_owl_xml(data, name, base, skolem)
    if kind is Kind.JSON_LD or data.count(b"<<") > _NESTED:
        data = isolated.to_n_quads(data, kind, name=name, base=base, seconds=limits.parse_seconds)
        kind = Kind.N_QUADS
    return _first_that_parses(data, kind, name, base, skolem)


def _safe(data: bytes, kind: Kind, name: str) -> bytes:
    try:
        return entities.checked(data)
    except entities.UnsafeXmlError as error:
        raise BrokenRdf(
            f"{kind}: it {error}", name=name, place=f"line {error.line}", mend=_MEND
        ) from None


def _as_utf8(data: bytes, kind: Kind, name: str) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    data = data.removeprefix(_BOM)
    if kind in (Kind.RDF_XML, Kind.OWL_XML) or data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BrokenRdf(
            f"{kind}: its bytes are not UTF-8",
            name=name,
            place=f"line {line}",
            mend="Save it as UTF-8",
        ) from None
    return data


def _read_owl_xml(data: bytes, name: str, base: str, skolem: str) -> Dataset:
    try:
        triples, warnings = owlxml.triples(data, base)
    except (ValueError, etree.XMLSyntaxError) as error:
        line = getattr(error, "line", None) or getattr(error, "lineno", None)
        fault = SyntaxError(str(error), (None, line, None, None))
        raise _broken(Kind.OWL_XML, fault, name, line or 1) from None
    except RecursionError:
        fault = SyntaxError("it nests too deeply")
        raise _broken(Kind.OWL_XML, fault, name, 1) from None
    quads = (ox.Quad(one.subject, one.predicate, one.object) for one in triples)
    return replace(_collect(quads, skolem), warnings=tuple(warnings))


def _first_that_parses(data: bytes, kind: Kind, name: str, base: str, skolem: str) -> Dataset:
    faults = []
    for syntax in _FORMATS[kind]:
        try:
            return _collect(ox.parse(data, format=syntax, base_iri=base), skolem)
        except SyntaxError as error:
            faults.append(error)
    worst = max(faults, key=lambda fault: fault.lineno or 0)
    line = worst.lineno or _line_reached(data, _FORMATS[kind][0], base)
    raise _broken(kind, worst, name, line) from None


def _broken(kind: Kind, error: SyntaxError, name: str, line: int) -> BrokenRdf:
    column = f", column {error.offset}" if error.lineno and error.offset else ""
    said = re.sub(r"^Parser error .*?\d: ", "", error.msg)
    return BrokenRdf(
        f"{kind}: {said}",
        name=name,
        place=f"line {line}{column}",
        mend=_MEND,
    )


class _Lines:
    """A file that hands out one line a read, and so knows how far its reader has come."""

    def __init__(self, data: bytes) -> None:
        self._lines = iter(data.splitlines(keepends=True))
        self.read_so_far = 0

    def read(self, _size: int = -1) -> bytes:
        line = next(self._lines, b"")
        self.read_so_far += bool(line)
        return line


def _line_reached(data: bytes, syntax: ox.RdfFormat, base: str) -> int:
    """The line at which the parser stops, for the parsers that do not tell."""
    lines = _Lines(data)
    try:
        for _ in ox.parse(cast(IO[bytes], lines), format=syntax, base_iri=base):
            pass
    except SyntaxError:
        pass
    return lines.read_so_far


def _collect(quads: Iterable[ox.Quad], skolem: str) -> Dataset:
    """Statements by graph, each once."""
    graphs: dict[ox.NamedNode | None, dict[str, None]] = {}
    iris = _Skolem(skolem)
    ill_typed = 0
    for subject, predicate, object_, graph in quads:
        kind = type(object_)
        if kind is ox.Literal:
            ill_typed += not is_well_typed(object_)
        s = subject if type(subject) is ox.NamedNode else iris[subject]
        o = object_ if kind is ox.NamedNode or kind is ox.Literal else iris[object_]
        g = None if type(graph) is ox.DefaultGraph else iris[graph]
        graphs.setdefault(g, {})[f"{s} {predicate} {o} ."] = None
    return Dataset(
        {graph: "\n".join([*lines, ""]).encode() for graph, lines in graphs.items()},
        sum(map(len, graphs.values())),
        ill_typed,
    )


class _Skolem(dict[Any, Any]):
    """Terms without blank nodes: those are numbered as they come, inside triple terms too."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._count = 0

    def __missing__(self, term: Any) -> Any:
        if isinstance(term, ox.BlankNode):
            self[term] = ox.NamedNode(f"{self._start}{self._count}")
            self._count += 1
            return self[term]
        if isinstance(term, ox.Triple):
            return ox.Triple(self[term.subject], term.predicate, self[term.object])
        return term
