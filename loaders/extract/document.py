"""A loaded document as extraction sees it: its chunks, and what it says of itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Self

from pyoxigraph import Literal, NamedNode, Triple

from loaders.extract.validity import Period
from ontology.vocabulary import DCTERMS, ONTO, RDF

_Facts = Mapping[object, Mapping[object, list[object]]]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk's words; `start` is their offset in the document, `heading` what stands above them.

    `pages` are the pages' numbers, each after the offset from which on it is the page.
    """

    node: NamedNode
    position: int
    text: str
    start: int
    heading: str
    pages: tuple[tuple[int, int], ...]

    def page(self, offset: int) -> int | None:
        """The page of an offset in the document."""
        before = [page for start, page in self.pages if start <= offset]
        return before[-1] if before else None


@dataclass(frozen=True, slots=True)
class Document:
    """A document's own words by chunks; `valid` and `places` are what it says of itself."""

    node: NamedNode
    title: str
    language: str
    issued: str
    valid: Period
    places: tuple[NamedNode, ...]
    chunks: tuple[Chunk, ...]

    @classmethod
    def from_triples(cls, triples: Iterable[Triple]) -> Self:
        """The document that a graph describes."""
        facts: dict[object, dict[object, list[object]]] = defaultdict(lambda: defaultdict(list))
        for triple in triples:
            facts[triple.subject][triple.predicate].append(triple.object)
        node = next(one for one, told in facts.items() if ONTO.Document in told[RDF.type])
        told = facts[node]
        chunks = (_chunk(facts, one) for one in told[ONTO.hasChunk] if isinstance(one, NamedNode))
        return cls(
            node=NamedNode(str(node).strip("<>")),
            title=_text(told, DCTERMS.title),
            language=_text(told, DCTERMS.language),
            issued=_text(told, DCTERMS.issued),
            valid=Period(_day(told, ONTO.validFrom), _day(told, ONTO.validUntil)),
            places=tuple(one for one in told[ONTO.appliesIn] if isinstance(one, NamedNode)),
            chunks=tuple(sorted(chunks, key=lambda chunk: chunk.position)),
        )


def _chunk(facts: _Facts, node: NamedNode) -> Chunk:
    told = facts[node]
    passages = sorted(
        (facts[one] for one in told[ONTO.hasPassage]), key=lambda one: _number(one, ONTO.position)
    )
    starts = [told, *passages]
    return Chunk(
        node=node,
        position=_number(told, ONTO.position),
        text=_text(told, ONTO.hasContent),
        start=_number(told, ONTO.startOffset),
        heading=_text(passages[0], ONTO.hasContext) if passages else "",
        pages=tuple(
            (_number(one, ONTO.startOffset), _number(one, ONTO.page))
            for one in starts
            if one[ONTO.page]
        ),
    )


def _text(told: Mapping[object, list[object]], predicate: NamedNode) -> str:
    values = [one.value for one in told[predicate] if isinstance(one, Literal)]
    return values[0] if values else ""


def _number(told: Mapping[object, list[object]], predicate: NamedNode) -> int:
    return int(_text(told, predicate) or 0)


def _day(told: Mapping[object, list[object]], predicate: NamedNode) -> date | None:
    text = _text(told, predicate)
    return date.fromisoformat(text[:10]) if text else None
