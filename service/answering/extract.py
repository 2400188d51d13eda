"""The short answer in the documents' own words: a sentence or two, a row, or a whole list."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from service.answering.asking import Asks, phrases
from service.answering.ranking import Ranked
from service.index.normalise import normalise
from service.index.passages import Passage, Passages

_MOST = 38  # words of an answer
_EXPLAINING = 8  # of them, for what words of another language mean
_AROUND = 40  # passages before and after one in which its list is looked for
_TRIED = 4  # sentences of the best document that may lead to a list, or hold the number
_ALONE = frozenset({Asks.NUMBER, Asks.DATE})
_LISTED = frozenset({Asks.LIST, Asks.MANNER})
_HEAD = re.compile(r"\s*[:–—]\s+|\s+-\s+|(?<=\w)[.;]\s+")
_CLAUSE = re.compile(r"(?<=[,;:])\s+|\s+(?=[(–—])")
_WORD = re.compile(r"\w+")

Letters = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Piece:
    """What is shown and the passage's verbatim words behind it; `items` where it is a list."""

    text: str
    quote: str
    passage: Passage
    ranked: Ranked
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extractor:
    """Makes short answers; `letters` are the question's weighted n-grams in each language.

    `language` is the asker's: where the documents' is another, words are left for explanations.
    """

    asks: Asks
    language: str
    letters: Letters
    passages: Passages

    def extract(self, ranked: Sequence[Ranked]) -> list[Piece]:
        """The answer's pieces in reading order, out of the best sentences; none without any."""
        if not ranked:
            return []
        document = ranked[0].group.document
        tried = list(islice((one for one in ranked if one.group.document == document), _TRIED))
        for one in tried if self.asks in _LISTED else tried[:1]:
            if listed := self._list(one):
                return [listed]
        first = self._piece(self._best(tried))
        if self.asks in _ALONE or first.passage.kind == "row":
            return [first]
        others = [one for one in tried if one.sentence != first.ranked.sentence]
        second = self._piece(others[0]) if others else None
        if second is None or _words(first.text) + _words(second.text) > self._most(first.passage):
            return [first]
        pieces = [first, second]
        return pieces if self.asks is Asks.DEFINITION else sorted(pieces, key=_place)

    def _best(self, tried: Sequence[Ranked]) -> Ranked:
        """The best sentence; where a number or a date is asked for, the best with one."""
        if self.asks not in _ALONE:
            return tried[0]
        words = phrases(tried[0].group.language).numbers if self.asks is Asks.NUMBER else ()
        return next((one for one in tried if _has_number(one.sentence.text, words)), tried[0])

    def _piece(self, ranked: Ranked) -> Piece:
        sentence = ranked.sentence
        passage = self.passages.passages(
            ranked.group.document, sentence.position, sentence.position
        )[0]
        quote = " ".join(passage.text[sentence.start : sentence.stop].split())
        if passage.kind == "row":
            headed = " ".join(sentence.text.split())
            told = headed if _words(headed) <= self._most(passage) else quote
        else:
            told = _shortened(quote, self._coverage(passage), self._most(passage))
        return Piece(told, quote, passage, ranked)

    def _list(self, ranked: Ranked) -> Piece | None:
        """The list that a sentence belongs to or leads to, where it is such a sentence."""
        position = ranked.sentence.position
        around = self.passages.passages(
            ranked.group.document, position - _AROUND, position + _AROUND
        )
        passages = {passage.position: passage for passage in around}
        here = passages[position]
        leads = here.text.rstrip().endswith(":") and ranked.sentence.stop >= len(here.text) - 1
        if here.kind == "item" and self.asks is Asks.LIST:
            items = _items(position, passages)
        else:
            items = _items(position + 1, passages) if leads else []
        return _listed(items, ranked, self._most(here)) if items else None

    def _most(self, passage: Passage) -> int:
        return _MOST if passage.language == self.language else _MOST - _EXPLAINING

    def _coverage(self, passage: Passage) -> Callable[[str], float]:
        """How much of the question a text holds, by its letters."""
        tokens = self.letters.get(passage.language, {})

        def covered(text: str) -> float:
            padded = f"_{normalise(text).replace(' ', '_')}_"
            return sum(weight for token, weight in tokens.items() if token in padded)

        return covered


def joined(pieces: Iterable[Piece]) -> str:
    """The pieces' texts one after the other."""
    return " ".join(piece.text for piece in pieces)


def _place(piece: Piece) -> tuple[int, int]:
    return piece.passage.position, piece.ranked.sentence.start


def _items(start: int, passages: Mapping[int, Passage]) -> list[Passage]:
    """The items of the list that has one at this position."""
    if start not in passages or passages[start].kind != "item":
        return []
    first = last = start
    while _together(passages, first - 1, first):
        first -= 1
    while _together(passages, last, last + 1):
        last += 1
    return [passages[number] for number in range(first, last + 1)]


def _together(passages: Mapping[int, Passage], one: int, other: int) -> bool:
    """Whether two neighbours are items of one list, or of two that nothing parts."""
    if one not in passages or other not in passages:
        return False
    before, after = passages[one], passages[other]
    return before.kind == after.kind == "item" and before.context.startswith(after.context)


def _listed(items: Sequence[Passage], ranked: Ranked, most: int) -> Piece:
    """The items in full, or what each names, or the beginning of each, within the length."""
    texts = [" ".join(item.text.split()) for item in items]
    told = [text.rstrip(".;,") for text in texts]
    if sum(map(_words, told)) > most:
        told = [_HEAD.split(text, maxsplit=1)[0].rstrip(".;,") for text in texts]
    if sum(map(_words, told)) > most:
        told = [_cut(text, max(most // len(told), 3)) for text in told]
    return Piece("; ".join(told), "\n".join(texts), items[0], ranked, tuple(told))


def _shortened(text: str, covered: Callable[[str], float], most: int) -> str:
    """The sentence, or those neighbouring clauses that hold most of the question."""
    if _words(text) <= most:
        return text
    clauses = _CLAUSE.split(text)
    windows = []
    for start in range(len(clauses)):
        end = start + 1
        while end < len(clauses) and _words(" ".join(clauses[start : end + 1])) <= most:
            end += 1
        windows.append(" ".join(clauses[start:end]))
    best = _cut(max(windows, key=covered), most)
    return best if text.endswith(best) or best.endswith("…") else f"{best.rstrip(',;: (–—')} …"


def _has_number(text: str, words: Collection[str]) -> bool:
    return any(one[0].isdigit() or one in words for one in _WORD.findall(text.lower()))


def _cut(text: str, most: int) -> str:
    words = text.split()
    return text if len(words) <= most else f"{' '.join(words[:most])} …"


def _words(text: str) -> int:
    return len(_WORD.findall(text))
