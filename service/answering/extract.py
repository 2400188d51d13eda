"""The short answer in the documents' own words: a sentence or two, a row, or a whole list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.answering.asking import Asks
from service.answering.ranking import Ranked
from service.index.passages import Passage, Passages

_MOST = 38  # words of an answer
_AROUND = 40  # passages before and after one in which its list is looked for
_ALONE = frozenset({Asks.NUMBER, Asks.DATE, Asks.YES_NO, Asks.DEFINITION})
_HEAD = re.compile(r"\s*[:–—]\s+|\s+-\s+|(?<=\w)[.;]\s+")
_CLAUSE = re.compile(r"(?<=[,;:])\s+|\s+(?=[(–—])")


@dataclass(frozen=True, slots=True)
class Piece:
    """What is shown and the passage's verbatim words behind it."""

    text: str
    quote: str
    passage: Passage
    ranked: Ranked


def extract(ranked: Sequence[Ranked], asks: Asks, passages: Passages) -> list[Piece]:
    """The answer's pieces in reading order, out of the best sentences; none without any."""
    if not ranked:
        return []
    best = ranked[0]
    around = passages.passages(
        best.group.document,
        best.sentence.position - _AROUND,
        best.sentence.position + _AROUND,
    )
    by_position = {passage.position: passage for passage in around}
    if asks is Asks.LIST and (items := _list_at(best.sentence.position, by_position)):
        return [_list_piece(items, by_position, best)]
    first = _piece(best, by_position[best.sentence.position])
    if asks in _ALONE or first.passage.kind == "row":
        return [first]
    second = _second(ranked, first, passages)
    pieces = [first, second] if second else [first]
    return sorted(pieces, key=lambda one: (one.passage.position, one.ranked.sentence.start))


def _second(ranked: Sequence[Ranked], first: Piece, passages: Passages) -> Piece | None:
    """The next best sentence of the same document, where both are short enough."""
    document = first.passage.document
    other = next((one for one in ranked[1:] if one.group.document == document), None)
    if other is None:
        return None
    position = other.sentence.position
    piece = _piece(other, passages.passages(document, position, position)[0])
    return piece if _words(first.text) + _words(piece.text) <= _MOST else None


def _piece(ranked: Ranked, passage: Passage) -> Piece:
    sentence = ranked.sentence
    quote = " ".join(passage.text[sentence.start : sentence.stop].split())
    if passage.kind == "row":
        headed = " ".join(sentence.text.split())
        return Piece(headed if _words(headed) <= _MOST else quote, quote, passage, ranked)
    return Piece(_shortened(quote), quote, passage, ranked)


def _list_at(position: int, passages: dict[int, Passage]) -> list[Passage]:
    """The items of the list that a passage belongs or leads to."""
    here = passages[position]
    start = position if here.kind == "item" else position + 1
    if start not in passages or passages[start].kind != "item":
        return []
    first = last = start
    while _follows(passages, first - 1, first):
        first -= 1
    while _follows(passages, last, last + 1):
        last += 1
    return [passages[number] for number in range(first, last + 1)]


def _follows(passages: dict[int, Passage], one: int, other: int) -> bool:
    """Whether two neighbours are items of one list."""
    if one not in passages or other not in passages:
        return False
    before, after = passages[one], passages[other]
    return before.kind == after.kind == "item" and before.context == after.context


def _list_piece(items: Sequence[Passage], around: dict[int, Passage], best: Ranked) -> Piece:
    texts = [" ".join(item.text.split()) for item in items]
    quote = "\n".join(texts)
    if sum(map(_words, texts)) > _MOST:
        texts = [_head(text) for text in texts]
    most = max(_MOST // len(texts), 3)
    told = (
        "; ".join(_cut(text.rstrip(".;,"), most) for text in texts)
        if (sum(map(_words, texts)) > _MOST)
        else "; ".join(text.rstrip(".;,") for text in texts)
    )
    return Piece(told, quote, around[items[0].position], best)


def _head(text: str) -> str:
    """What a list item names before it explains it."""
    return _HEAD.split(text, maxsplit=1)[0]


def _shortened(text: str) -> str:
    """The sentence, or as many of its first clauses as an answer may have words."""
    if _words(text) <= _MOST:
        return text
    kept = ""
    for clause in _CLAUSE.split(text):
        if kept and _words(f"{kept} {clause}") > _MOST:
            break
        kept = f"{kept} {clause}".strip()
    return _cut(kept, _MOST)


def _cut(text: str, most: int) -> str:
    words = text.split()
    return text if len(words) <= most else f"{' '.join(words[:most])} …"


def _words(text: str) -> int:
    return len(text.split())


def joined(pieces: Iterable[Piece]) -> str:
    """The pieces' texts one after the other."""
    return " ".join(piece.text for piece in pieces)
