"""The mean of questions, and of words, in each language: taken away, languages compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from service.answering.lexicon import generic_questions, generic_words
from service.index.index import Index

Vector = npt.NDArray[np.float32]


class Of(StrEnum):
    """What a mean is of."""

    QUESTIONS = "questions"
    WORDS = "words"
    NAMES = "names"


_TEXTS: Mapping[Of, Callable[[str], list[str]]] = {
    Of.QUESTIONS: generic_questions,
    Of.WORDS: generic_words,
    Of.NAMES: generic_words,
}


class Centring:
    """Means of generic texts, kept in the index once they have been embedded."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._means: dict[str, Vector] = {}

    def wanted(self, of: Of, language: str) -> list[str]:
        """The texts that must be embedded before the mean is known; none when it is."""
        return [] if self._known(of, language) is not None else _TEXTS[of](language)

    def centred(
        self, vector: Vector, of: Of, language: str, vectors: Mapping[str, Vector]
    ) -> Vector:
        """The vector without its language's mean, of length 1; as it is where that is unknown."""
        mean = self._known(of, language)
        if mean is None:
            mean = self._learnt(of, language, vectors)
        if mean is None:
            return vector
        rest = vector - mean
        return np.asarray(rest / max(float(np.linalg.norm(rest)), 1e-9), np.float32)

    def _known(self, of: Of, language: str) -> Vector | None:
        key = _key(of, language)
        if key not in self._means:
            self._means.update(self._index.vectors_of([key]))
        return self._means.get(key)

    def _learnt(self, of: Of, language: str, vectors: Mapping[str, Vector]) -> Vector | None:
        texts = _TEXTS[of](language)
        if not texts or any(text not in vectors for text in texts):
            return None
        mean = np.asarray(np.mean([vectors[text] for text in texts], axis=0), np.float32)
        self._means[_key(of, language)] = mean
        self._index.keep_vectors({_key(of, language): mean})
        return mean


def _key(of: Of, language: str) -> str:
    return f"mean of generic {of} in {language}"
