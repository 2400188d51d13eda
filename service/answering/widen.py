"""The question's words in the documents' words: the nearest ones of another language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from loaders.text.languages import FUNCTION_WORDS
from service.answering.centring import Vector
from service.answering.glossary import Glossary
from service.index.passages import Passages, tokens

_NEAREST = 3
_COGNATE = 0.8  # weight of the question's own letters in another language
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Widened:
    """What to search for in one language: weighted character n-grams.

    `pairs` are the documents' words with the question's word that each stands for, surest first.
    """

    tokens: Mapping[str, float]
    pairs: tuple[tuple[str, str, float], ...] = ()


def content_words(text: str, language: str) -> list[str]:
    """The words of a text that carry meaning, lower case, in order, each once."""
    grammar = FUNCTION_WORDS.get(language, frozenset())
    found = dict.fromkeys(_WORD.findall(text.lower()))
    return [word for word in found if word not in grammar and len(word) > 1]


def as_asked(text: str, language: str) -> Widened:
    """The question's own letters, without the words of grammar where there are others."""
    grammar = FUNCTION_WORDS.get(language, frozenset())
    words = _WORD.findall(text)
    telling = [word for word in words if word.lower() not in grammar] or words
    return Widened(dict.fromkeys(tokens(" ".join(telling)), 1.0))


def widened(
    text: str,
    words: Mapping[str, Vector],
    passages: Passages,
    *,
    glossary: Glossary,
    asked_in: str,
    language: str,
) -> Widened:
    """What a question's words are in another language, and the documents' words nearest to them.

    `words` are the question's content words with their centred vectors. Names and numbers stay.
    """
    known = glossary.found(text)
    pairs = [(told, phrase, 1.0) for phrase, all_told in known.items() for told in all_told]
    translated = {word for phrase in known for word in phrase.lower().split()}
    rest = {word: vector for word, vector in words.items() if word not in translated}
    if rest:
        found = passages.words_like(np.stack(list(rest.values())), language, _NEAREST)
        pairs += [
            (near, word, similarity)
            for word, nearest in zip(rest, found, strict=True)
            for near, similarity in nearest
            if similarity > 0
        ]
    weights = dict.fromkeys(as_asked(text, asked_in).tokens, _COGNATE)
    for token, weight in _weighted(pairs).items():
        weights[token] = max(weights.get(token, 0.0), weight)
    weights.update(dict.fromkeys(tokens(_kept(glossary.translate(text), text)), 1.0))
    return Widened(weights, tuple(sorted(pairs, key=lambda pair: -pair[2])))


def _kept(translated: str, text: str) -> str:
    """The translated words, and of the untranslated ones the names, letters and numbers."""
    own = set(_WORD.findall(text))
    words = _WORD.findall(translated)
    return " ".join(
        word
        for place, word in enumerate(words)
        if word not in own or (not word.islower() and place > 0)
    )


def _weighted(pairs: Sequence[tuple[str, str, float]]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for near, _, similarity in pairs:
        for token in tokens(near):
            weights[token] = max(weights.get(token, 0.0), similarity**2)
    return weights
