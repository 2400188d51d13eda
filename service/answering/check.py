"""Whether each sentence of a written answer rests on what it cites; what does not is withheld.

A sentence stands when its numbers and links are all in the cited evidence, and at least half of
the words that it adds to the question are. Across languages words cannot be compared: there,
a number of the evidence, or a word of the question, must do. What the evidence says to a model
instead of a reader bears out nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from loaders.text.languages import detect
from service.answering.answer import Told
from service.answering.evidence import Evidence
from service.answering.question import Question
from service.answering.reply import Citation
from service.index.normalise import normalise

_SENTENCE = re.compile(r"(?<=[.!?…])((?:\s*\[[\d,\s]+\])*)\s+|\n+")
_MARKERS = re.compile(r"\s*\[(\d+(?:\s*,\s*\d+)*)\]")
_NUMBER = re.compile(r"\d+(?:[.,'’\u00a0\u202f ]\d{3})*(?:[.,]\d+)?")
_LINK = re.compile(r"(?:https?://|www\.)[^\s)\]]+|\b[\w-]+(?:\.[\w-]+)+/\S*")
_ORDER = re.compile(
    r"\b(?:system|assistant|user)\s*:|<\|?\w+\|?>"
    r"|\b(?:ignor\w*|forget|disregard|dimentica|vergiss|oublie\w*|olvida)\b.{0,40}"
    r"\b(?:instruc\w+|instruk\w+|anweisung\w*|istruzion\w+|prompt\w*)"
    r"|\b(?:reply|answer|respond|rispondi|antworte|réponds|responde)\b.{0,20}"
    r"\b(?:only|solo|nur|seulement|uniquement|exactly)\b",
    re.IGNORECASE,
)
_NOT_TOLD = "not told"
_STEM = 5
_SHARE = 0.5


def checked(text: str, question: Question, evidence: Sequence[Evidence]) -> Told | None:
    """Return the sentences that stand, citations numbered anew, or None when none does."""
    if normalise(text).startswith(_NOT_TOLD):
        return None
    numbered = {one.citation.number: _Ground.of(one) for one in evidence}
    asked = _stems(question.text)
    cited: dict[int, Citation] = {}
    sentences: list[str] = []
    for sentence, numbers in _sentences(text):
        grounds = [numbered[number] for number in numbers if number in numbered]
        if not grounds:
            grounds = _best(sentence, asked, numbered.values())
        standing = [ground for ground in grounds if ground.bears(sentence, asked)]
        if not standing and len(grounds) > 1 and _joined(grounds).bears(sentence, asked):
            standing = grounds
        if standing:
            for ground in standing:
                place = len(cited) + 1
                cited.setdefault(ground.number, replace(ground.citation, number=place))
            marks = "".join(f"[{cited[ground.number].number}]" for ground in standing)
            sentences.append(f"{sentence} {marks}")
    return Told(" ".join(sentences), tuple(cited.values())) if sentences else None


@dataclass(frozen=True, slots=True)
class _Ground:
    """What a piece of evidence says to a reader."""

    number: int
    citation: Citation
    text: str
    stems: frozenset[str]
    numbers: frozenset[str]
    language: str

    @classmethod
    def of(cls, evidence: Evidence) -> _Ground:
        body = evidence.line.partition("] ")[2]
        told = " ".join(part for part in re.split(r"(?<=[.!?])\s+|\n+", body) if not _orders(part))
        return cls._from_text(evidence.citation, told)

    @classmethod
    def _from_text(cls, citation: Citation, text: str) -> _Ground:
        language = detect(text) if text else ""
        return cls(citation.number, citation, text, _stems(text), _numbers(text), language)

    def bears(self, sentence: str, asked: frozenset[str]) -> bool:
        """Tell whether the sentence rests on this."""
        numbers = _numbers(sentence)
        links = _LINK.findall(sentence)
        if not numbers <= self.numbers or any(link not in self.text for link in links):
            return False
        stems = _stems(sentence)
        if not stems:  # a bare number, yes or no
            return bool(numbers) or bool(asked & self.stems)
        added = stems - asked or stems
        shared = len(added & self.stems)
        if shared and shared >= _SHARE * len(added):
            return True
        foreign = bool(self.text) and detect(sentence) != self.language
        return foreign and (bool(numbers) or bool(stems & asked))


def _joined(grounds: Sequence[_Ground]) -> _Ground:
    return _Ground._from_text(grounds[0].citation, " ".join(ground.text for ground in grounds))


def _best(sentence: str, asked: frozenset[str], grounds: Iterable[_Ground]) -> list[_Ground]:
    """Return the evidence in the sentence's words for one that cites none, if there is any."""
    added = _stems(sentence) - asked
    fitting = [ground for ground in grounds if len(added & ground.stems) >= _SHARE * len(added)]
    if not added or not fitting:
        return []
    return [max(fitting, key=lambda ground: len(added & ground.stems))]


def _sentences(text: str) -> Iterable[tuple[str, list[int]]]:
    """Yield each sentence without its markers, and the numbers that these name."""
    start = 0
    ends = [
        (found.end(1) if found[1] is not None else found.start(), found.end())
        for found in _SENTENCE.finditer(text)
    ]
    for stop, following in [*ends, (len(text), len(text))]:
        part = text[start:stop]
        start = following
        numbers = [int(n) for found in _MARKERS.findall(part) for n in found.split(",")]
        bare = _MARKERS.sub("", part).strip().lstrip("-*• ")
        if normalise(bare):
            yield bare, numbers


def _orders(part: str) -> bool:
    return bool(_ORDER.search(part))


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words that carry a meaning: long ones and abbreviations."""
    words = re.findall(r"[^\W_]+", _LINK.sub(" ", text))
    kept = (word for word in words if len(word) > 3 or (len(word) > 1 and word.isupper()))
    return frozenset(normalise(word)[:_STEM] for word in kept if not word.isdigit())


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers by value: 5.000, 5'000 and 5000 are one, and so are 0,4 and 0.4."""
    return frozenset(_value(found) for found in _NUMBER.findall(text))


def _value(number: str) -> str:
    decimal = re.search(r"[.,](\d{1,2}|\d{4,})$", number)
    whole = re.sub(r"\D", "", number[: decimal.start()] if decimal else number)
    return f"{whole}.{decimal[1].rstrip('0')}".rstrip(".") if decimal else whole
