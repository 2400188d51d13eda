"""How well words of a question speak of a predicate or a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from loaders.ports import Vectors
from service.answering.plan.intent import Form, Intent
from service.answering.plan.vocabulary import Senses, Term, Vocabulary
from service.answering.plan.words import Word, alike

_LOWEST, _HIGHEST, _CEILING = 0.12, 0.52, 0.85
_PAIRS = 6
_LEAST = 0.12
_TOGETHER = 0.08


class Pair(NamedTuple):
    """Words of the question (positions) that speak of a term, and how surely, 0..1."""

    words: frozenset[int]
    score: float

    @property
    def at(self) -> float:
        """Where the words stand, on average."""
        return sum(self.words) / len(self.words)


def spans(words: Sequence[Word], free: frozenset[int]) -> list[tuple[int, ...]]:
    """Content words that may speak of a predicate: alone, and two side by side."""
    rows: list[tuple[int, ...]] = []
    content = [i for i in sorted(free) if words[i].content]
    for position, first in enumerate(content):
        rows.append((first,))
        run = [first]
        for other in content[position + 1 : position + 2]:
            if other != run[-1] + 1:
                break
            run.append(other)
            rows.append(tuple(run))
    return rows


def span_text(words: Sequence[Word], span: Sequence[int]) -> str:
    """The words of a span as they stand in the question, those between included."""
    return " ".join(words[i].text for i in range(span[0], span[-1] + 1)).lower()


def kind_texts(intent: Intent) -> tuple[str, ...]:
    """What stands for the interrogative where predicates are compared by sense."""
    return intent.means[:3] if intent.kind in {"place", "time", "sort"} else ()


@dataclass
class Support:
    """What the question's words say for each term; computed for a term when it is asked for."""

    words: Sequence[Word]
    free: frozenset[int]
    vocabulary: Vocabulary
    senses: Senses | None = None
    vectors: Mapping[str, Vectors] = field(default_factory=dict)
    intent: Intent = field(default_factory=lambda: Intent(Form.THINGS))
    _known: dict[str, tuple[Pair, ...]] = field(default_factory=dict)
    _forms: dict[str, list[tuple[int, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._content = [i for i in sorted(self.free) if self.words[i].content]
        texts = [(span, span_text(self.words, span)) for span in spans(self.words, self.free)]
        asking = tuple(sorted(self.intent.asking))
        texts += [(asking, text) for text in kind_texts(self.intent)]
        known = [
            (span, text)
            for span, text in texts
            if text in self.vectors and not self._said_otherwise(span)
        ]
        self._spans = [span for span, _ in known]
        self._similar: list[list[float]] = []
        if self.senses is not None and self._spans:
            self._similar = self.senses.similar(self.vectors[text] for _, text in known)

    def _said_otherwise(self, span: tuple[int, ...]) -> bool:
        """Whether the words are a name, or say the most or the least of something."""
        extreme = self.intent.extreme.words if self.intent.extreme else frozenset[int]()
        return any(self.words[i].capital or i in extreme for i in span)

    def of(self, term: Term) -> tuple[Pair, ...]:
        """The best pairs of words and term, best first."""
        if term.iri not in self._known:
            self._known[term.iri] = self._best(term)
        return self._known[term.iri]

    def best(self, term: Term) -> float:
        """The score of the best pair, 0 without one."""
        return self.of(term)[0].score if self.of(term) else 0.0

    def _best(self, term: Term) -> tuple[Pair, ...]:
        found: dict[frozenset[int], float] = {}
        for pair in (*self._by_letters(term), *self._by_sense(term)):
            found[pair.words] = max(pair.score, found.get(pair.words, 0.0))
        pairs = (Pair(words, score) for words, score in found.items() if score >= _LEAST)
        return tuple(sorted(pairs, key=lambda p: (-p.score, len(p.words))))[:_PAIRS]

    def _by_letters(self, term: Term) -> list[Pair]:
        return [pair for form in term.forms for pair in self._letters(form)]

    def _letters(self, form: tuple[str, ...]) -> list[Pair]:
        """Which words read like words of the name; where several do, each of them in turn."""
        weights = [self.vocabulary.weight(word) for word in form]
        hits: list[tuple[float, list[tuple[int, float]]]] = []
        for word, weight in zip(form, weights, strict=True):
            hits.append((weight, self._alikes(word)))
        total = sum(weights)
        if not any(options for _, options in hits):
            return []
        rounds = max(len(options) for _, options in hits)
        pairs = []
        for turn in range(rounds):
            chosen = [(w, o[min(turn, len(o) - 1)]) for w, o in hits if o]
            score = sum(weight * likeness for weight, (_, likeness) in chosen) / total
            pairs.append(Pair(frozenset(i for _, (i, _) in chosen), score))
        return pairs

    def _alikes(self, word: str) -> list[tuple[int, float]]:
        """The free content words that may be forms of a word, and how likely."""
        if word not in self._forms:
            alikes = [(i, alike(self.words[i].key, word)) for i in self._content]
            self._forms[word] = [(i, likeness) for i, likeness in alikes if likeness > 0]
        return self._forms[word]

    def _by_sense(self, term: Term) -> list[Pair]:
        """The words nearest in sense; two together only where they are nearer than each alone."""
        cosines = self._cosines(term)
        scores = [min(1.0, (c - _LOWEST) / (_HIGHEST - _LOWEST)) * _CEILING for c in cosines]
        alone = {
            span[0]: score
            for span, score in zip(self._spans, scores, strict=True)
            if len(span) == 1 and score > 0
        }
        return [
            Pair(frozenset(span), score)
            for span, score in zip(self._spans, scores, strict=True)
            if score >= _LEAST
            and (len(span) == 1 or score > max(alone.get(i, 0.0) for i in span) + _TOGETHER)
        ]

    def faint(self, term: Term, words: frozenset[int]) -> float:
        """The centred cosine of the nearest of these words, however far; 0 without vectors."""
        pairs = zip(self._spans, self._cosines(term), strict=True)
        return max((cosine for span, cosine in pairs if words.issuperset(span)), default=0.0)

    def _cosines(self, term: Term) -> list[float]:
        if self.senses is None or not self._similar or term.iri not in self.senses.terms:
            return [0.0] * len(self._spans)
        return self._similar[self.senses.terms[term.iri]]
