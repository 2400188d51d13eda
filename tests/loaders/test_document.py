"""Documents, their chunks and passages, and the triples made of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from loaders.sources import document
from loaders.sources.document import Document
from loaders.sources.recognise import Kind
from ontology.errors import InputError
from ontology.vocabulary import DCTERMS, ONTO, RDF, XSD

BASE = "https://w3id.org/askonto/data/"
LONG = "# Report\n\n" + "\n\n".join(
    f"## Part {n}\n\n" + f"Sentence number {n} says what part {n} is about. " * 30 for n in range(5)
)


def read(text: str, kind: Kind = Kind.MARKDOWN, **known: str) -> Document:
    return document.read(text.encode(), kind=kind, address="file:///a/report.md", **known)


def test_offsets_lead_to_the_words() -> None:
    told = read(LONG)
    assert all(told.text[part.start : part.end] == part.text for part in told.chunks)
    assert all(told.text[part.start : part.end] == part.text for part in told.passages)


def test_chunks_cover_every_passage_once_and_stay_within_1000_characters() -> None:
    told = read(LONG)
    assert max(len(chunk.text) for chunk in told.chunks) <= 1_000
    assert [passage.position for passage in told.passages] == list(range(len(told.passages)))
    for chunk in told.chunks:
        assert all(chunk.start <= passage.start < chunk.end for passage in chunk.passages)


def test_long_paragraphs_are_several_passages_that_end_with_sentences() -> None:
    told = read(LONG)
    assert max(len(passage.text) for passage in told.passages) <= 1_000
    assert all(p.text.endswith(".") for p in told.passages if p.kind == "paragraph")


def test_what_the_caller_knows_goes_before_what_the_file_says() -> None:
    page = "---\ntitle: Own\nlanguage: it\nurl: https://own.example/\n---\nText of the page.\n"
    known = read(page, title="Given", language="fr", url="https://given.example/")
    assert (known.title, known.language, known.url) == ("Given", "fr", "https://given.example/")
    own = read(page)
    assert (own.title, own.language, own.url) == ("Own", "it", "https://own.example/")


def test_without_a_title_it_is_the_first_heading_or_the_files_name() -> None:
    assert read("# Heat pumps\n\nText.").title == "Heat pumps"
    assert read("Text only.").title == "report.md"


def test_the_language_is_detected_where_the_declared_one_is_doubtful() -> None:
    italian = "La pompa di calore prende il calore dall'aria e lo porta in casa. " * 3
    page = f"<html lang=en><p>{italian}</p></html>"
    assert read(page, Kind.HTML).language == "it"


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.MARKDOWN, Kind.HTML])
def test_a_document_without_text_is_refused_with_its_name(kind: Kind) -> None:
    with pytest.raises(InputError, match=r"^file:///a/report\.md: no text"):
        read(" \n ", kind)


def test_triples_hold_the_document_its_chunks_and_passages() -> None:
    page = (
        "---\npublisher: Agency\nissued: 2025-01-31\nvalid_until: 2025-12-31\n"
        "applies_in: https://example.org/IT\n---\n# Bonus\n\nIt pays for ovens.\n"
    )
    told = read(page)
    found = set(document.triples(told, BASE))
    (node,) = {t.subject for t in found if t.object == ONTO.Document}
    assert isinstance(node, NamedNode) and node.value.startswith(BASE + "document/")
    about = {t.predicate: t.object for t in found if t.subject == node}
    assert about[DCTERMS.title] == Literal("Bonus", language="en")
    assert about[DCTERMS.publisher] == Literal("Agency")
    assert about[DCTERMS.issued] == Literal("2025-01-31", datatype=XSD.date)
    assert about[ONTO.validUntil] == Literal("2025-12-31", datatype=XSD.date)
    assert about[ONTO.appliesIn] == NamedNode("https://example.org/IT")
    assert about[ONTO.address] == Literal("file:///a/report.md")
    chunk = about[ONTO.hasChunk]
    assert isinstance(chunk, NamedNode)
    assert Triple(chunk, RDF.type, ONTO.Chunk) in found
    passages = {t.object for t in found if t.subject == chunk and t.predicate == ONTO.hasPassage}
    contents = {t.object for t in found if t.subject in passages and t.predicate == ONTO.hasContent}
    assert contents == {
        Literal("Bonus", language="en"),
        Literal("It pays for ovens.", language="en"),
    }
    assert serialize(found, format=RdfFormat.N_TRIPLES)


def test_pages_of_a_pdf_are_told(make_pdf: Callable[..., bytes]) -> None:
    pages = [f"BT /F1 12 Tf 60 700 Td (This is sheet {word}.) Tj ET" for word in ("one", "two")]
    told = document.read(make_pdf(*pages), kind=Kind.PDF, address="file:///a.pdf")
    assert [passage.page for passage in told.passages] == [1, 2]
    pages_told = {t.object for t in document.triples(told, BASE) if t.predicate == ONTO.page}
    assert pages_told == {Literal(1), Literal(2)}
