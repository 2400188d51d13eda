"""The few words of a sentence that answer: a number, a date, a name, or what is new in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loaders.text.languages import FUNCTION_WORDS
from service.answering.asking import Asks, asks_for, phrases
from service.answering.glossary import stem
from service.answering.verbs import are_verbs

_TOKEN = re.compile(r"\w+(?:[.,'’-]\w+)*%?|[^\w\s]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_MOST = 5  # words of a span
_NEAR = 6.0  # words after which a question's word counts for half
_LONG = 8  # letters of a word that tells as much as any
_FIRST = 0.5  # of a name that a capital letter at the beginning of a sentence tells
_NUMERAL = re.compile(r"[IVXLCDM]+|\w")
_ENDS = frozenset(".!?:")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or mark: what it is, and how much it tells if the question has it too (else 0).

    `name` is how surely its capital letter tells a name, 0 to 1.
    """

    start: int
    end: int
    text: str
    asked: float
    is_grammar: bool
    is_number: bool
    is_verb: bool
    name: float

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
    texts = [(found.start(), found.end(), found.group()) for found in _TOKEN.finditer(sentence)]
    plain = [text for _, _, text in texts]
    words = []
    for place, (is_verb, (start, end, text)) in enumerate(
        zip(are_verbs(plain, grammar, language), texts, strict=True)
    ):
        tells = min(len(text), _LONG) / _LONG if stem(text) in asked else 0.0
        is_grammar = text.lower() in grammar or (len(text) == 1 and text.islower())
        is_number = bool(_DIGIT.search(text)) or text.lower() in numbers
        name = _name(plain, place)
        words.append(_Word(start, end, text, tells, is_grammar, is_number, is_verb, name))
    return words


def _name(words: Sequence[str], place: int) -> float:
    """How surely a capital letter tells a name: less so at the beginning of a sentence."""
    word, following = words[place], words[place + 1 : place + 2]
    if not word[0].isupper() or _NUMERAL.fullmatch(word):
        return 0.0
    begins = place == 0 or words[place - 1] in _ENDS
    return _FIRST if begins and not any(text[0].isupper() for text in following) else 1.0


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
        fits = sum(word.name for word in inside) / len(inside)
    verbs = sum(word.is_verb for word in inside)
    return 1.3 * near + 0.5 * whole + fits - verbs - 0.05 * len(inside)


def _parts(words: Sequence[_Word], place: int) -> bool:
    """Whether a run may begin or end beside the word there."""
    if not 0 <= place < len(words):
        return True
    word = words[place]
    return word.asked > 0 or word.is_grammar or word.is_mark
