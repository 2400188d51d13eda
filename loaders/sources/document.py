"""Documents: what a text file, page or PDF says, in chunks and passages, and as triples."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from pyoxigraph import Literal, NamedNode, Triple

from loaders.identity import names
from loaders.sources.reading import Reading
from loaders.sources.recognise import Kind as SourceKind
from loaders.text.blocks import Block, Kind
from loaders.text.chunks import chunks, pieces
from loaders.text.languages import LANGUAGES, detect
from ontology.errors import InputError
from ontology.vocabulary import DCTERMS, ONTO, RDF, XSD

VERSION = "1"  # grows when the same bytes would give other triples
_LONGEST = 1_000  # characters of a passage
_ENOUGH = 100  # characters whose language is detected rather than believed


@dataclass(frozen=True, slots=True)
class Passage:
    """The structural unit that is searched: verbatim words and what stands above them.

    `start` and `end` are character offsets into the document's text.
    """

    position: int
    kind: Kind
    text: str
    context: str
    page: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document's text with the passages that begin in it and in none before it."""

    position: int
    text: str
    page: int | None
    start: int
    end: int
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A document in its own words; "" and None where it does not tell."""

    address: str
    title: str
    url: str
    language: str
    publisher: str
    issued: date | None
    valid_from: date | None
    valid_until: date | None
    applies_in: str
    blocks: tuple[Block, ...]
    text: str
    chunks: tuple[Chunk, ...]
    pages: int
    warnings: tuple[str, ...]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All passages in reading order."""
        return tuple(passage for chunk in self.chunks for passage in chunk.passages)


def read(
    data: bytes,
    *,
    kind: SourceKind,
    address: str,
    url: str = "",
    title: str = "",
    language: str = "",
) -> Document:
    """The document in `data`; what the caller knows of it goes before what it says of itself.

    Raises InputError where it is broken or holds no text.
    """
    reading = _reading(data, kind, address)
    if not reading.blocks:
        raise InputError(
            "no text was found in it", name=address, mend="Is it a picture, or only a menu?"
        )
    text, passages = _passages(reading.blocks)
    return Document(
        address=address,
        title=title or reading.title or _first_heading(reading.blocks) or _file_name(address),
        url=next(filter(_is_web, (url, address, reading.url)), ""),
        language=language or _language(text, reading.language),
        publisher=reading.publisher,
        issued=reading.issued,
        valid_from=reading.valid_from,
        valid_until=reading.valid_until,
        applies_in=reading.applies_in,
        blocks=reading.blocks,
        text=text,
        chunks=_chunks(text, passages),
        pages=reading.pages,
        warnings=reading.warnings,
    )


def _reading(data: bytes, kind: SourceKind, address: str) -> Reading:
    # Each reader brings its own libraries: only the one that is needed is imported.
    if kind is SourceKind.PDF:
        from loaders.sources import pdf  # noqa: PLC0415

        return pdf.read(data, address)
    if kind is SourceKind.DOCX:
        from loaders.sources import docx  # noqa: PLC0415

        return docx.read(data, address)
    if kind is SourceKind.HTML:
        from loaders.sources import html  # noqa: PLC0415

        return html.read(data)
    if kind is SourceKind.MARKDOWN:
        from loaders.sources import markdown  # noqa: PLC0415

        return markdown.read(data)
    from loaders.sources import text  # noqa: PLC0415

    return text.read(data)


def _passages(blocks: Sequence[Block]) -> tuple[str, list[Passage]]:
    """The document's text, its blocks one a line, and the passages with their place in it."""
    offset = 0
    passages: list[Passage] = []
    for block in blocks:
        for start, end in pieces(block.text, _LONGEST):
            passages.append(
                Passage(
                    len(passages),
                    block.kind,
                    block.text[start:end],
                    block.context,
                    block.page,
                    offset + start,
                    offset + end,
                )
            )
        offset += len(block.text) + 1
    return "\n".join(block.text for block in blocks), passages


def _chunks(text: str, passages: Sequence[Passage]) -> tuple[Chunk, ...]:
    places = chunks(text)
    owner = 0
    owners = []
    for passage in passages:
        while places[owner][1] <= passage.start:
            owner += 1
        owners.append(owner)
    members = {
        number: tuple(passage for _, passage in group)
        for number, group in groupby(zip(owners, passages, strict=True), key=lambda pair: pair[0])
    }
    pages = _pages(places, passages)
    return tuple(
        Chunk(number, text[start:end], pages[number], start, end, members.get(number, ()))
        for number, (start, end) in enumerate(places)
    )


def _pages(places: Sequence[tuple[int, int]], passages: Sequence[Passage]) -> list[int | None]:
    """The page on which each piece of text begins."""
    pages = []
    at = 0
    for start, _ in places:
        while at + 1 < len(passages) and passages[at + 1].start <= start:
            at += 1
        pages.append(passages[at].page)
    return pages


def _first_heading(blocks: Sequence[Block]) -> str:
    return next((block.text for block in blocks if block.kind is Kind.HEADING), "")


def _file_name(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def _language(text: str, declared: str) -> str:
    """The language found; the declared one where that is unknown to us or the text is short."""
    if declared and (declared not in LANGUAGES or len(text) < _ENOUGH):
        return declared
    return detect(text)


def triples(document: Document, base_iri: str) -> Iterator[Triple]:
    """The document, its chunks and passages as triples, below the base IRI."""
    key = hashlib.md5(document.address.encode(), usedforsecurity=False).hexdigest()
    node = NamedNode(f"{base_iri}document/{key}")
    yield from _described(document, node, base_iri)
    for chunk in document.chunks:
        chunk_node = NamedNode(f"{base_iri}chunk/{key}/{chunk.position}")
        yield Triple(node, ONTO.hasChunk, chunk_node)
        yield Triple(chunk_node, RDF.type, ONTO.Chunk)
        yield from _placed(chunk, chunk_node, document.language)
        for passage in chunk.passages:
            passage_node = NamedNode(f"{base_iri}passage/{key}/{passage.position}")
            yield Triple(chunk_node, ONTO.hasPassage, passage_node)
            yield Triple(passage_node, RDF.type, ONTO.Passage)
            yield from _placed(passage, passage_node, document.language)
            yield Triple(passage_node, ONTO.passageKind, Literal(passage.kind))
            context = _context(document.title, passage.context)
            yield Triple(
                passage_node, ONTO.hasContext, Literal(context, language=document.language)
            )


def _described(document: Document, node: NamedNode, base_iri: str) -> Iterator[Triple]:
    yield Triple(node, RDF.type, ONTO.Document)
    yield Triple(node, DCTERMS.title, Literal(document.title, language=document.language))
    yield Triple(node, DCTERMS.language, Literal(document.language))
    if document.url:
        yield Triple(node, DCTERMS.source, NamedNode(document.url))
    else:
        yield Triple(node, ONTO.address, Literal(document.address))
    if document.publisher:
        yield Triple(node, DCTERMS.publisher, Literal(document.publisher))
    dates = (
        (DCTERMS.issued, document.issued),
        (ONTO.validFrom, document.valid_from),
        (ONTO.validUntil, document.valid_until),
    )
    for predicate, day in dates:
        if day:
            yield Triple(node, predicate, Literal(day.isoformat(), datatype=XSD.date))
    if place := document.applies_in:
        where = NamedNode(place) if _is_web(place) else names.entity(place, base_iri)
        yield Triple(node, ONTO.appliesIn, where)


def _placed(part: Chunk | Passage, node: NamedNode, language: str) -> Iterator[Triple]:
    """The words of a chunk or passage, and where they stand."""
    yield Triple(node, ONTO.hasContent, Literal(part.text, language=language))
    numbers = (
        (ONTO.position, part.position),
        (ONTO.page, part.page),
        (ONTO.startOffset, part.start),
        (ONTO.endOffset, part.end),
    )
    for predicate, number in numbers:
        if number is not None:
            yield Triple(node, predicate, Literal(number))


def _context(title: str, context: str) -> str:
    """The context below the title, unless its first heading says the title already."""
    if not context:
        return title
    first = context.partition(" › ")[0]
    return context if first in title or title in first else f"{title} › {context}"
