"""The few words of a sentence that answer: a number, a date, a name, or what is new in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loaders.text.languages import FUNCTION_WORDS
from service.answering.asking import Asks, asks_for, phrases
from service.answering.glossary import stem

_TOKEN = re.compile(r"\w+(?:[.,'’-]\w+)*%?|[^\w\s]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_MOST = 5  # words of a span
_NEAR = 6.0  # words after which a question's word counts for half
_LONG = 8  # letters of a word that tells as much as any


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or mark: what it is, and how much it tells if the question has it too (else 0)."""

    start: int
    end: int
    text: str
    asked: float
    is_grammar: bool
    is_number: bool

    @property
    def is_mark(self) -> bool:
        """Whether it is no word."""
        return not self.text[0].isalnum()


def span(sentence: str, question: str, language: str) -> str:
    """The words of the sentence that best answer; all of it where nothing in it is new."""
    words = _words(sentence, question, language)
    asks = asks_for(question, language)
    named = bool(phrases(language).names & set(re.findall(r"\w+", question.lower())))
    best = max(
        _runs(words),
        key=lambda run: _score(words, run[0], run[1], asks, named=named),
        default=None,
    )
    return sentence[words[best[0]].start : words[best[1] - 1].end] if best else sentence


def _words(sentence: str, question: str, language: str) -> list[_Word]:
    grammar = FUNCTION_WORDS.get(language, frozenset())
    numbers = phrases(language).numbers
    asked = {stem(one) for one in _TOKEN.findall(question) if one.lower() not in grammar}
    words = []
    for found in _TOKEN.finditer(sentence):
        text = found.group()
        tells = min(len(text), _LONG) / _LONG if stem(text) in asked else 0.0
        is_grammar = text.lower() in grammar or (len(text) == 1 and text.islower())
        is_number = bool(_DIGIT.search(text)) or text.lower() in numbers
        words.append(_Word(found.start(), found.end(), text, tells, is_grammar, is_number))
    return words


def _runs(words: Sequence[_Word]) -> Iterator[tuple[int, int]]:
    """Runs of words that the question does not have, without grammar and marks at their ends."""
    for start, first in enumerate(words):
        if first.asked or first.is_grammar or first.is_mark:
            continue
        for end in range(start + 1, min(start + _MOST, len(words)) + 1):
            last = words[end - 1]
            if last.asked or last.text in ".;:()":
                break
            if not last.is_grammar and not last.is_mark:
                yield start, end


def _score(words: Sequence[_Word], start: int, end: int, asks: Asks, *, named: bool) -> float:
    """How near the question's words are, and whether it is the kind of thing asked for."""
    inside = words[start:end]
    near = sum(
        word.asked / (1 + max(start - place, place - end + 1) / _NEAR)
        for place, word in enumerate(words)
        if word.asked
    )
    whole = _parts(words, start - 1) + _parts(words, end)
    numbers = any(word.is_number for word in inside)
    years = any(_YEAR.fullmatch(word.text) for word in inside)
    fits = 0.0
    if asks is Asks.NUMBER:
        fits = 2.0 * numbers - 1.5 * years - 0.3 * len(inside)
    elif asks is Asks.DATE:
        fits = 2.0 * years + numbers
    elif named:
        fits = sum(word.text[0].isupper() for word in inside) / len(inside)
    return 1.3 * near + 0.5 * whole + fits - 0.05 * len(inside)


def _parts(words: Sequence[_Word], place: int) -> bool:
    """Whether a run may begin or end beside the word there."""
    if not 0 <= place < len(words):
        return True
    word = words[place]
    return word.asked > 0 or word.is_grammar or word.is_mark
