"""The words and vectors of a graph's predicates and classes, to compare questions with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loaders.ports import Vectors
from service.answering.plan.words import LANGUAGES, grammar, keys
from service.index.labels import Labels
from service.index.normalise import local_name
from service.index.schema import Schema

_FORMS = 6
Form = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A predicate or class and its names, each as folded words."""

    iri: str
    names: tuple[str, ...]
    forms: tuple[Form, ...]


@dataclass(frozen=True)
class Vocabulary:
    """The graph's predicates and classes by IRI, with how telling each word of theirs is."""

    predicates: Mapping[str, Term]
    classes: Mapping[str, Term]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Every name that is worth a vector."""
        terms = (*self.predicates.values(), *self.classes.values())
        return tuple(dict.fromkeys(name for term in terms for name in term.names))

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        terms = (*self.predicates.values(), *self.classes.values())
        counts = Counter(word for term in terms for word in {w for f in term.forms for w in f})
        stop = frozenset[str]().union(*(grammar(language).stop for language in LANGUAGES))
        total = len(terms) + 1
        return {
            word: (0.15 if word in stop else 1.0) * math.log1p(total / n)
            for word, n in counts.items()
        }

    def weight(self, word: str) -> float:
        """How much a word of a name tells apart."""
        return self._weights.get(word, 1.0)

    @classmethod
    def of(cls, schema: Schema, labels: Labels) -> Vocabulary:
        """The vocabulary of a schema, named by the index."""
        named = labels.of([*schema.predicates, *schema.classes])
        texts = {iri: [label.text for label in named.get(iri, ())] for iri in named}
        return cls(
            {iri: _term(iri, texts.get(iri, ())) for iri in schema.predicates},
            {iri: _term(iri, texts.get(iri, ())) for iri in schema.classes},
        )


def _term(iri: str, texts: Sequence[str]) -> Term:
    names = tuple(dict.fromkeys(filter(None, [*texts, local_name(iri)])))[:_FORMS]
    return Term(iri, names, tuple(dict.fromkeys(filter(None, map(keys, names)))))


@dataclass(frozen=True)
class Senses:
    """The vectors of a vocabulary's names, centred on their own mean; names of a term together."""

    terms: Mapping[str, int]
    starts: Sequence[int]
    matrix: Vectors
    mean: Vectors

    @classmethod
    def of(cls, vocabulary: Vocabulary, vectors: Vectors) -> Senses:
        """From the raw vectors of the vocabulary's texts, shape (len(texts), dimensions)."""
        mean = vectors.mean(axis=0)
        centred = dict(zip(vocabulary.texts, _unit(vectors - mean), strict=True))
        terms = [t for group in (vocabulary.predicates, vocabulary.classes) for t in group.values()]
        named = {term.iri: term for term in terms if term.names}
        counts = [len(term.names) for term in named.values()]
        rows = [centred[name] for term in named.values() for name in term.names]
        starts = [sum(counts[:place]) for place in range(len(counts))]
        return cls({iri: i for i, iri in enumerate(named)}, starts, np.stack(rows), mean)

    def similar(self, vectors: Iterable[Vectors]) -> list[list[float]]:
        """For each term its nearest name's centred cosine to each of the vectors."""
        cosines = _unit(np.stack(list(vectors)) - self.mean) @ self.matrix.T
        best: list[list[float]] = np.maximum.reduceat(cosines, self.starts, axis=1).T.tolist()
        return best


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, 1e-6)
    return unit
