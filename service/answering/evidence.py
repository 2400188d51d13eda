"""Facts and passages as numbered evidence: what a generator reads, and what each is cited as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loaders.ledger import Source
from service.answering.reply import Citation, Fact, FactAnswer, PassageAnswer, RankedPassage

_CHARACTERS = 5000
_FACTS_BESIDE_PASSAGES = 3000


@dataclass(frozen=True, slots=True)
class Evidence:
    """One line of the context, and the citation of who relies on it."""

    line: str
    citation: Citation


def evidence_from(
    facts: FactAnswer, passages: PassageAnswer, sources: Mapping[str, Source]
) -> list[Evidence]:
    """The most relevant facts and passages, numbered from 1, in at most 5,000 characters."""
    room = _FACTS_BESIDE_PASSAGES if passages.passages else _CHARACTERS
    chosen: list[Evidence] = []
    for lines, limit in (
        (_of_facts(facts.context or facts.facts, sources), room),
        (_of_passages(passages.passages), _CHARACTERS),
    ):
        length = sum(len(one.line) + 1 for one in chosen)
        for text, citation in lines:
            number = len(chosen) + 1
            line = f"[{number}] {text}"
            length += len(line) + 1
            if length > limit:
                break
            chosen.append(Evidence(line, _numbered(citation, number)))
    return chosen


def context_of(evidence: Iterable[Evidence]) -> str:
    """The text that a generator gets."""
    return "\n".join(one.line for one in evidence)


def citations_of(facts: Iterable[Fact], sources: Mapping[str, Source]) -> tuple[Citation, ...]:
    """What the facts are cited as: each quoted one by itself, the others once for each source."""
    kept: dict[tuple[str, str], Citation] = {}
    for fact in facts:
        key = (fact.url or fact.graph, fact.quote)
        if key not in kept:
            kept[key] = _numbered(citation_of(fact, sources), len(kept) + 1)
    return tuple(kept.values())


def statement(fact: Fact) -> str:
    """The fact in words, with the time for which it holds."""
    held = " – ".join((fact.valid_from, fact.valid_until)).strip()
    words = f"{fact.subject} {fact.predicate} {fact.object}"
    return words if held == "–" else f"{words} ({held})"


def citation_of(fact: Fact, sources: Mapping[str, Source], number: int = 0) -> Citation:
    """What bears the fact out, its document or else its source; its quote or else its words."""
    source = sources.get(fact.graph)
    return Citation(
        number,
        fact.relationship or fact.subject_iri,
        fact.title or (source.title or source.address if source else fact.graph),
        fact.url or (source.address if source else ""),
        fact.page,
        fact.quote or statement(fact),
    )


def _of_facts(
    facts: Iterable[Fact], sources: Mapping[str, Source]
) -> Iterator[tuple[str, Citation]]:
    for fact in facts:
        yield statement(fact), citation_of(fact, sources)


def _of_passages(passages: Iterable[RankedPassage]) -> Iterator[tuple[str, Citation]]:
    for passage in passages:
        text = f"{passage.context}: {passage.text}" if passage.context else passage.text
        yield (
            text,
            Citation(0, passage.iri, passage.title, passage.source, passage.page, passage.text),
        )


def _numbered(citation: Citation, number: int) -> Citation:
    return Citation(
        number, citation.iri, citation.title, citation.url, citation.page, citation.quote
    )
