"""Passages made into what is searched: groups of neighbours under one heading, their sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

from loaders.text.languages import FUNCTION_WORDS
from loaders.text.sentences import spans
from service.index.harvest import PassageRow

_ENOUGH = 100  # words that make a group
_MOST = 150  # words that a group may hold, unless one passage has more
_SHORTEST = 4  # words of a sentence that stands alone; shorter ones join the next
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence, list item or table row: a span of the passage at `position`.

    `text` says it with the header of each cell; `start` and `end` are offsets in the passage.
    """

    position: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class GroupOfPassages:
    """Passages `first` to `last` of a document, and the text under which they are searched."""

    document: PassageRow
    heading: str
    first: int
    last: int
    text: str
    spans: tuple[Span, ...]

    def words(self) -> set[str]:
        """Return the content words of the text, as they are written but in lower case."""
        grammar = FUNCTION_WORDS.get(self.document.language, frozenset())
        return set(_WORD.findall(self.text.lower())) - grammar


@dataclass(slots=True)
class _Open:
    """A group that still takes passages."""

    heading: str
    passages: list[PassageRow] = field(default_factory=list)
    words: int = 0


def grouped(rows: Iterable[PassageRow]) -> Iterator[GroupOfPassages]:
    """Yield the groups of each document: 100 to 150 words that stand under one heading.

    Pages with headings alone make groups of their own.
    """
    ordered = sorted(rows, key=lambda row: (row.graph, row.document, row.position))
    for _, passages in groupby(ordered, key=lambda row: (row.graph, row.document)):
        some = list(passages)
        yield from map(_closed, chain(_cut(some), _titles(some)))


def vocabulary(groups: Iterable[GroupOfPassages]) -> Counter[tuple[str, str, str]]:
    """Count the groups of each graph and language that hold a word."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for group in groups:
        owner = group.document
        counts.update((owner.graph, owner.language, word) for word in group.words())
    return counts


def lead_and_cells(context: str, heading: str) -> tuple[str, str]:
    """Return what of a passage's context stands below its heading: lead-in or caption, cells."""
    below = context.removeprefix(heading)
    lead, _, cells = below.partition("; ")
    return lead.removeprefix(" › "), cells


def _cut(passages: Iterable[PassageRow]) -> Iterator[_Open]:
    group = _Open("")
    for passage in passages:
        length = len(passage.text.split())
        if passage.kind == "heading":
            if group.passages:
                yield group
            group = _Open(" › ".join(filter(None, (passage.context, passage.text))))
            continue
        if group.passages and group.words + length > _MOST:
            yield group
            group = _Open(group.heading)
        group.passages.append(passage)
        group.words += length
        if group.words >= _ENOUGH:
            yield group
            group = _Open(group.heading)
    if group.passages:
        yield group


def _titles(rows: Sequence[PassageRow]) -> Iterator[_Open]:
    """The headings of each page that has nothing else, such as a cover."""
    read = {None, *(row.page for row in rows if row.kind != "heading")}
    alone = (row for row in rows if row.page not in read)
    for _, headings in groupby(alone, key=lambda row: row.page):
        yield _Open("", list(headings))


def _closed(group: _Open) -> GroupOfPassages:
    head = group.passages[0]
    lines = [_line(passage, group.heading) for passage in group.passages]
    if head.kind == "item" and (lead := lead_and_cells(head.context, group.heading)[0]):
        lines.insert(0, lead)
    named = group.heading.startswith(head.title) or head.source.endswith(head.title)
    title = "" if named else head.title  # a file's name tells nothing
    text = ". ".join(filter(None, (title, group.heading.replace(" › ", ". "), " ".join(lines))))
    sentences = tuple(span for row in group.passages for span in _spans(row, group.heading))
    positions = [passage.position for passage in group.passages]
    return GroupOfPassages(head, group.heading, positions[0], positions[-1], text, sentences)


def _line(passage: PassageRow, heading: str) -> str:
    cells = lead_and_cells(passage.context, heading)[1] if passage.kind == "row" else ""
    return cells or " ".join(passage.text.split())


def _spans(passage: PassageRow, heading: str) -> Iterator[Span]:
    if passage.kind == "row":
        yield Span(passage.position, 0, len(passage.text), _line(passage, heading))
        return
    for start, end in _joined(passage.text, spans(passage.text)):
        yield Span(passage.position, start, end, passage.text[start:end])


def _joined(text: str, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    begin = None
    for start, end in pieces:
        begin = start if begin is None else begin
        if len(text[begin:end].split()) >= _SHORTEST or end == pieces[-1][1]:
            yield begin, end
            begin = None
