"""Ontology files as Protégé saves them, told apart by content, read whole or refused."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

import pyoxigraph as ox
from lxml.etree import XMLSyntaxError
from pyoxigraph import NamedNode, Triple

from ontology import entities, owlxml
from ontology.errors import InputError
from ontology.vocabulary import OWL, RDF

_LIMIT = 200_000_000
_BASE = "http://base.invalid/"
_TRIPLE_TERMS = 50
_PREAMBLE = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?(\w+)[\s>/]")
_COMMENTS = re.compile(r"\s*(?:#[^\n]*(?:\n\s*|\Z))*")
_FOREIGN = (
    (re.compile(r"(?:Prefix|Ontology|Import)\s*\("), "OWL functional syntax"),
    (re.compile(r"(?:Prefix|Ontology|Import|Class|Annotations):\s"), "Manchester syntax"),
    (re.compile(r"(?:format-version|ontology|data-version):"), "OBO format"),
    (re.compile(r"[{]"), "JSON"),
)
_SAVE_AS = "In Protégé save it as Turtle, RDF/XML or OWL/XML"


class OntologyError(InputError):
    """An ontology that cannot be used: broken, empty, or in a syntax that is not read."""


class Syntax(StrEnum):
    """The syntaxes that are read."""

    TURTLE = "Turtle"
    RDF_XML = "RDF/XML"
    OWL_XML = "OWL/XML"


@dataclass(frozen=True, slots=True)
class Ontology:
    """One file's triples, blank nodes unlike those of other files; `left_out`: what has none."""

    path: Path
    syntax: Syntax
    triples: tuple[Triple, ...]
    left_out: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[NamedNode]:
        """Its IRI and version IRI: what an import may call it."""
        versions = NamedNode(OWL.namespace + "versionIRI")
        heads = {t.subject for t in self.triples if (t.predicate, t.object) == _IS_ONTOLOGY}
        dated = {t.object for t in self.triples if t.predicate == versions and t.subject in heads}
        return frozenset(name for name in heads | dated if isinstance(name, NamedNode))

    @property
    def imports(self) -> tuple[NamedNode, ...]:
        """The ontologies that it asks for."""
        asked = (t.object for t in self.triples if t.predicate == OWL.imports)
        return tuple(dict.fromkeys(one for one in asked if isinstance(one, NamedNode)))


_IS_ONTOLOGY = (RDF.type, OWL.Ontology)


def read(path: Path) -> Ontology:
    """The ontology in a file (also .gz); raises OntologyError with file, line, reason and mend."""
    data = _content(path)
    syntax = _recognise(data, path.name)
    if syntax is Syntax.TURTLE:
        return Ontology(path, syntax, _rdf(data, ox.RdfFormat.TURTLE, path.name, syntax))
    try:
        data = entities.checked(data)
    except entities.UnsafeXmlError as error:
        _refuse(syntax, str(error), path.name, error.line, "Save it again from Protégé")
    if syntax is Syntax.RDF_XML:
        return Ontology(path, syntax, _rdf(data, ox.RdfFormat.RDF_XML, path.name, syntax))
    try:
        triples, left_out = owlxml.triples(data, _BASE)
    except (owlxml.UnmappedError, XMLSyntaxError) as error:
        line = error.line if isinstance(error, owlxml.UnmappedError) else error.lineno
        _refuse(syntax, str(error), path.name, line, "Mend that place")
    return Ontology(path, syntax, tuple(triples), tuple(left_out))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            data = file.read(_LIMIT + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or f"cannot be unpacked ({error})"
        raise OntologyError(reason, name=path.name, mend="Name a readable file") from None
    if len(data) > _LIMIT:
        raise OntologyError(f"is larger than {_LIMIT // 10**6} MB", name=path.name)
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf"):
        raise OntologyError("is empty", name=path.name, mend=_SAVE_AS)
    return data.removeprefix(b"\xef\xbb\xbf")


def _recognise(data: bytes, name: str) -> Syntax:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    head = data[:65_536].decode("utf-16" if wide else "utf-8", "replace")
    preamble = _PREAMBLE.match(head)
    root = _ROOT.match(head, preamble.end() if preamble else 0)
    if root or head.lstrip().startswith(("<?xml", "<!")):
        return _markup(root[1] if root else "", name)
    comments = _COMMENTS.match(head)
    for pattern, what in _FOREIGN:
        if pattern.match(head, comments.end() if comments else 0):
            raise OntologyError(f"is in {what}, which is not read", name=name, mend=_SAVE_AS)
    return Syntax.TURTLE


def _markup(root: str, name: str) -> Syntax:
    if root == "catalog":
        reason = "is Protégé's catalog, which tells where imports lie, and no ontology"
        raise OntologyError(reason, name=name, mend="Name the ontology beside it")
    if root in ("RDF", "") or root[0].islower() is False:
        return Syntax.OWL_XML if root == "Ontology" else Syntax.RDF_XML
    raise OntologyError(f"is XML with the root <{root}>, and no ontology", name=name, mend=_SAVE_AS)


def _rdf(data: bytes, form: ox.RdfFormat, name: str, syntax: Syntax) -> tuple[Triple, ...]:
    if data.count(b"<<") > _TRIPLE_TERMS:
        raise OntologyError("holds triple terms, which OWL does not know", name=name)
    lines = _Lines(data)
    try:
        quads = ox.parse(lines, format=form, base_iri=_BASE, rename_blank_nodes=True)  # type: ignore[arg-type]
        return tuple(dict.fromkeys(quad.triple for quad in quads))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or lines.read_so_far
        _refuse(syntax, _said(error), name, line, "Mend that place")


def _said(error: Exception) -> str:
    said = str(getattr(error, "msg", error))
    return said.partition(": ")[2] or said if said.startswith("Parser error") else said


def _refuse(syntax: Syntax, reason: str, name: str, line: int | None, mend: str) -> NoReturn:
    place = f"line {line}" if line else ""
    raise OntologyError(f"{syntax}: {reason}", name=name, place=place, mend=mend)


class _Lines:
    """A file that hands out no more than a line a read, and so knows how far its reader is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self.read_so_far = 1

    def read(self, size: int) -> bytes:
        """The rest of the line, `size` bytes of it at most (a parser aborts when given more)."""
        start = self._at
        self.read_so_far += self._data[start - 1 : start] == b"\n"
        line = self._data.find(b"\n", start) + 1 or len(self._data)
        self._at = min(start + size, line)
        return self._data[start : self._at]
