"""What a file is: told by its content, its name being no more than a hint."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePosixPath

import pyoxigraph as ox

from ontology.errors import InputError

_HEAD = 65_536
_TRIPLE_TERMS = 100  # more of them may nest so deeply that the parser crashes


class Unsupported(InputError):
    """A file that holds nothing which can be loaded."""


class NotData(Unsupported):
    """A file that lies among data and is none, as Protégé's catalog."""


class Kind(StrEnum):
    """The kinds of sources; the value is the name that people know."""

    TURTLE = "Turtle"
    TRIG = "TriG"
    N_TRIPLES = "N-Triples"
    N_QUADS = "N-Quads"
    RDF_XML = "RDF/XML"
    OWL_XML = "OWL/XML"
    JSON_LD = "JSON-LD"
    PDF = "PDF"
    DOCX = "DOCX"
    HTML = "HTML"
    MARKDOWN = "Markdown"
    TEXT = "text"

    @property
    def is_rdf(self) -> bool:
        """Whether it holds statements rather than a text for people."""
        return self not in _DOCUMENTS

    @property
    def media_type(self) -> str:
        """The registered media type."""
        return _MEDIA_TYPES[self]


_DOCUMENTS = {Kind.PDF, Kind.DOCX, Kind.HTML, Kind.MARKDOWN, Kind.TEXT}
_LINE_SYNTAXES = {Kind.TURTLE, Kind.TRIG, Kind.N_TRIPLES, Kind.N_QUADS}
_MEDIA_TYPES = {
    Kind.TURTLE: "text/turtle",
    Kind.TRIG: "application/trig",
    Kind.N_TRIPLES: "application/n-triples",
    Kind.N_QUADS: "application/n-quads",
    Kind.RDF_XML: "application/rdf+xml",
    Kind.OWL_XML: "application/owl+xml",
    Kind.JSON_LD: "application/ld+json",
    Kind.PDF: "application/pdf",
    Kind.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    Kind.HTML: "text/html",
    Kind.MARKDOWN: "text/markdown",
    Kind.TEXT: "text/plain",
}
_NAMED = {
    ".ttl": Kind.TURTLE,
    ".n3": Kind.TURTLE,
    ".owl": Kind.RDF_XML,
    ".rdf": Kind.RDF_XML,
    ".owx": Kind.OWL_XML,
    ".trig": Kind.TRIG,
    ".nt": Kind.N_TRIPLES,
    ".nq": Kind.N_QUADS,
    ".jsonld": Kind.JSON_LD,
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
}
_ZIP = b"PK\x03\x04"
_WORD = re.compile(rb"word/document\d*\.xml")  # names in a ZIP archive are never packed
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_BINARY = {
    _ZIP: "a ZIP archive or an office document that is no DOCX",
    _OLD_OFFICE: "an old office document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"(\xb5/\xfd": "a zstd archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"SQLite format": "an SQLite database",
    b"\x7fELF": "a program",
}
_FOREIGN = (
    (re.compile(r"(?:Prefix|Ontology|Import)\s*\("), "OWL in functional syntax"),
    (
        re.compile(r"(?:Prefix|Ontology|Import|Class|AnnotationProperty):\s"),
        "OWL in Manchester syntax",
    ),
    (re.compile(r"(?:format-version|ontology|data-version|default-namespace):"), "an OBO file"),
)
_SAVE_AS = "Save it as Turtle, RDF/XML or OWL/XML (Protégé and ROBOT can) and load that"
_LOADABLE = (
    "Loaded are RDF (Turtle, TriG, N-Triples, N-Quads, RDF/XML, OWL/XML, JSON-LD), PDF, DOCX, "
    "HTML, Markdown and text"
)

_XML_PREAMBLE = re.compile(
    r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE(?:[^\[<>\"']|\"[^\"]*\"|'[^']*')*(?:\[.*?\]\s*)?>\s*)*",
    re.DOTALL,
)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(?=[\s/>])([^>]*)")
_RDF_NAMESPACE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_HTML_ROOTS = set(
    "html head body title meta link script style div p h1 h2 h3 table ul ol section article main "
    "header nav span a br".split()
)
_LINE_COMMENTS = re.compile(r"\s*(?:#[^\n]*(?:\n\s*|\Z))*")
_TERM = r"(?:<[A-Za-z][\w+.-]*:[^<>\"{}|^`\\\s]*>|_:\S+)"
_N_LINE = re.compile(
    rf"\s*{_TERM}\s*<[^<>\s]*>\s*(?:{_TERM}|\".*\"\S*|<<\(.*)\s*({_TERM})?\s*\.\s*(?:#.*)?"
)
_TURTLE_START = re.compile(
    r"@(?:prefix|base|version)\b|(?:PREFIX|BASE)\s+\S*\s*\S*<|<[^<>\s]*>\s|<[^<>\s]*>$|_:\S+\s+[<\w]",
    re.I,
)
_SPARQL = re.compile(
    r"(?:\s*(?:PREFIX\s+\S*:\s*<[^>]*>|BASE\s*<[^>]*>|#[^\n]*\n))+"
    r"\s*(?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE)\b(?!\s*:)",
    re.I,
)
_GRAPH_BLOCK = re.compile(
    r"(?:\}|\.|>|^)\s*(?:GRAPH\s+)?(?:<[^<>\s]*>|[\w.-]*:[\w.-]*|_:\w+)?\s*\{", re.M | re.I
)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|[-=]{3,}\s*$|\[.+\]\(.+\)|```)", re.M)
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def recognise(data: bytes, name: str) -> Kind:
    """The kind of a file's unpacked content; raises Unsupported, which says what it is instead."""
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf"):
        raise Unsupported("is empty", name=name, mend="Save it again and load that")
    if b"%PDF-" in data[:1024]:
        return Kind.PDF
    if data.startswith(_ZIP) and _WORD.search(data):
        return Kind.DOCX
    if data.startswith(_OLD_OFFICE) and _LOCKED in data:
        raise Unsupported("password needed", name=name, mend="Save a copy without a password")
    for magic, what in _BINARY.items():
        if data.startswith(magic):
            raise Unsupported(f"is {what}", name=name, mend=_LOADABLE)
    head = _head(data, name)
    if _hint(name) in _LINE_SYNTAXES and _ROOT.match(head.lstrip()) and _parses(data):
        # it begins with a relative IRI, which looks like a tag
        return _turtle_family(head, _hint(name))
    return _markup(head, name) or _json(head, name) or _lines(data, head, name)


def _head(data: bytes, name: str) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data[:_HEAD].decode(encoding, "replace")
    head = data[:_HEAD]
    if len(_CONTROLS.findall(head)) * 50 > len(head) or b"\x00\x00" in head:
        raise Unsupported("is binary data of an unknown kind", name=name, mend=_LOADABLE)
    return head.decode("utf-8-sig", "replace")


def _markup(head: str, name: str) -> Kind | None:
    """What an XML or HTML file is by its root element, or None where it is no markup."""
    preamble = _XML_PREAMBLE.match(head)
    body = head[preamble.end() :] if preamble else head
    if re.match(r"\s*<!doctype\s+html", head, re.I):
        return Kind.HTML
    root = _ROOT.match(body)
    declared = head.lstrip().startswith(("<?xml", "<!DOCTYPE", "<!--"))
    if root is None or (root[1] and "xmlns" not in head):
        return Kind.RDF_XML if declared and not root else None
    if _hint(name) is Kind.MARKDOWN and not declared:
        return None
    return _by_root(root[2], root[3], head, name)


def _by_root(root: str, attributes: str, head: str, name: str) -> Kind:
    if root.lower() in _HTML_ROOTS:
        return Kind.HTML
    if root == "catalog" and "catalog" in attributes:
        raise NotData(
            "is an XML catalog, which tells Protégé where imports lie, and holds no data",
            name=name,
            place="line 1",
            mend="Load the ontology beside it",
        )
    if root == "Ontology" and "http://www.w3.org/2002/07/owl#" in head:
        return Kind.OWL_XML
    if root == "RDF" or _RDF_NAMESPACE in head:
        return Kind.RDF_XML
    raise Unsupported(
        f"is XML, but not RDF (its root is <{root}>)", name=name, place="line 1", mend=_LOADABLE
    )


def _json(head: str, name: str) -> Kind | None:
    if not re.match(r"\s*(?:\{\s*(?:\"|\}|$)|\[\s*(?:[\{\"\]\[]|$))", head):
        return None
    if (
        re.search(r'"@(?:context|id|graph|type|value|base|vocab)"', head)
        or _hint(name) is Kind.JSON_LD
    ):
        return Kind.JSON_LD
    if re.match(r"\s*\[\s*\]\s*[<:\w]", head):
        return None
    raise Unsupported(
        "is JSON without the marks of JSON-LD",
        name=name,
        place="line 1",
        mend="Give it an @context, or load its RDF",
    )


def _lines(data: bytes, head: str, name: str) -> Kind:
    comments = _LINE_COMMENTS.match(head)
    body = head[comments.end() :] if comments else head
    for pattern, what in _FOREIGN:
        if pattern.match(body):
            raise Unsupported(
                f"is {what}, which is not read", name=name, place="line 1", mend=_SAVE_AS
            )
    if _SPARQL.match(body) or PurePosixPath(name.lower()).suffix in (".rq", ".ru", ".sparql"):
        raise Unsupported(
            "is a SPARQL query, and no data",
            name=name,
            place="line 1",
            mend="Run it with `askonto sparql`",
        )
    if _TURTLE_START.match(body) or (body.startswith(("[", "(", "{", "GRAPH")) and _parses(data)):
        return _turtle_family(body, _hint(name))
    hint = _hint(name)
    if hint is not None and (hint.is_rdf or hint is Kind.MARKDOWN):
        return Kind.TURTLE if hint in (Kind.RDF_XML, Kind.OWL_XML) else hint
    if PurePosixPath(name.lower()).suffix in (".csv", ".tsv"):
        raise Unsupported(
            "is a table",
            name=name,
            place="line 1",
            mend="Turn its rows into RDF, or into an HTML table",
        )
    return Kind.MARKDOWN if _MARKDOWN.search(head) else Kind.TEXT


def _turtle_family(body: str, hint: Kind | None) -> Kind:
    lines = [line for line in body.splitlines()[:50] if line.strip() and not line.startswith("#")]
    matches = [_N_LINE.fullmatch(line) for line in (lines[:-1] or lines)]
    if all(matches):
        return Kind.N_QUADS if any(match and match[1] for match in matches) else Kind.N_TRIPLES
    if hint in (Kind.N_TRIPLES, Kind.N_QUADS) and body.startswith(("<", "_:")):
        return hint
    return Kind.TRIG if _GRAPH_BLOCK.search(body) else Kind.TURTLE


def _parses(data: bytes) -> bool:
    if data.count(b"<<") > _TRIPLE_TERMS:
        return False
    try:
        for _ in ox.parse(data, format=ox.RdfFormat.TRIG, base_iri="http://base.invalid/"):
            pass
    except SyntaxError:
        return False
    return True


def _hint(name: str) -> Kind | None:
    return _NAMED.get(PurePosixPath(name.lower().removesuffix(".gz")).suffix)
