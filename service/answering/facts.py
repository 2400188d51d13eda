"""Answers out of the graph's statements, without a language model."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from functools import lru_cache
from pathlib import Path

from loaders.ports import Embedder
from queries.store.client import Store
from service.answering.centring import Centring, Of
from service.answering.described import describe, thing_asked
from service.answering.match import (
    Mention,
    by_share,
    exact_mentions,
    name_spans,
    near_mentions,
    partial_mentions,
)
from service.answering.plan.intent import read_intent
from service.answering.plan.paths import ClassMatch, Explorer, class_matches
from service.answering.plan.plans import Plan, Ranker
from service.answering.plan.reading import Learned, Reading, Understood
from service.answering.plan.support import Support, kind_texts, span_text, spans
from service.answering.plan.vocabulary import Senses, Vocabulary
from service.answering.plan.words import read
from service.answering.question import Question
from service.answering.reply import FactAnswer
from service.answering.retrieve import Retriever
from service.answering.settle import Outcome, settle
from service.answering.signs import PRIOR, Signs
from service.answering.surety import Surety, Trial
from service.answering.tell import tell
from service.answering.trace import Trace
from service.answering.trials import Maker, sampled
from service.answering.wanted import Embedded, Wanted
from service.index.index import Index
from service.index.labels import Kind
from service.index.schema import current
from service.index.texts import Texts
from service.models.errors import ModelError

log = logging.getLogger(__name__)

_AT_ONCE = 16  # queries to the store, so that a step's are one round trip
_READINGS = 64  # questions whose reading is kept between its steps
_TEXTS = 25
_MENTIONS = 10
_TRIALS, _TRYING = 40, 6.0  # rounds of made questions, and seconds at most
NAMED_SURELY = 0.8
_BY_LETTERS = 0.86  # what a likeness of sense does not reach


class Facts:
    """The half that answers from statements; thread-safe."""

    def __init__(
        self, store: Store, index: Index, folder: Path, embedder: Embedder | None = None
    ) -> None:
        self._store = store
        self._index = index
        self._folder = folder
        self._embedder = embedder
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="facts")
        self._centring = Centring(index)
        self._read = lru_cache(_READINGS)(self._reading)
        self._lock = threading.Lock()
        self._learned: Learned | None = None
        self._surety = Surety(index, PRIOR, self._tried)

    def wanted(self, question: Question) -> Wanted:
        """The texts whose vectors the planner compares with the graph's predicates and names."""
        reading = self.read(question)
        texts = (span_text(reading.words, span) for span in spans(reading.words, reading.free))
        asked = dict.fromkeys((*kind_texts(reading.intent), *texts))
        names = [_written(question, reading, span) for span in self._name_spans(question)]
        if names:
            names += self._centring.wanted(Of.NAMES, question.language)
        return Wanted(tuple(asked)[:_TEXTS], tuple(names))

    def find(self, question: Question, vectors: Embedded, trace: Trace) -> FactAnswer:
        """What the statements answer, with what else they say about it; StoreError as it comes."""
        retriever = Retriever(self._store, self._threads, trace)
        understood = self.understood(question, vectors)
        outcome = self._outcome(understood, retriever, question.language)
        return tell(
            question, outcome, understood, retriever, self._index.labels, surety=self._surety
        )

    def _outcome(self, understood: Understood, retriever: Retriever, language: str) -> Outcome:
        """What a thing is, where that alone is asked; classes are told where no document may."""
        thing = thing_asked(understood.reading)
        if thing is None:
            return settle(understood, self.plans(understood, retriever), retriever)
        by_class = not self._index.passages.languages()
        return describe(thing, understood, retriever, language, by_class=by_class)

    def prepare(self) -> None:
        """Learn of the graph what the first question would wait for, and how sure answers are."""
        if not self._lacks_senses(self.learned()):
            self._surety.prepare()

    def close(self) -> None:
        """Read store and index no more, and let go of the threads."""
        self._surety.close()
        self._threads.shutdown()

    def read(self, question: Question) -> Reading:
        """The question's words and what they name by their letters."""
        return self._read(question, self._index.revision)

    def _reading(self, question: Question, _revision: int) -> Reading:
        words = read(question.text, question.language)
        exact = exact_mentions(words, self._index.labels)
        partial = partial_mentions(words, exact, self._index.labels)
        mentions = sorted((*exact, *partial), key=lambda mention: -mention.score)
        return Reading(
            words, read_intent(question.text, words, question.language), tuple(mentions[:_MENTIONS])
        )

    def understood(self, question: Question, vectors: Embedded) -> Understood:
        """The question with what it names by sense as well, and the classes it speaks of."""
        reading, known = self.read(question), self.learned()
        words, language = reading.words, question.language
        named = {
            span: self._centring.centred(vectors.names[text], Of.NAMES, language, vectors.names)
            for span in self._name_spans(question)
            if (text := _written(question, reading, span)) in vectors.names
        }
        near = near_mentions(words, language, reading.mentions, named, self._index.labels)
        support = Support(
            words, reading.free, known.vocabulary, known.senses, vectors.asked, reading.intent
        )
        classes = class_matches(support, known.vocabulary)
        mentions = [_beside_classes(mention, classes) for mention in (*reading.mentions, *near)]
        if reading.intent.bare:
            mentions = by_share(mentions, words)
        mentions.sort(key=lambda mention: -mention.score)
        reading = replace(reading, mentions=tuple(mentions[:_MENTIONS]))
        return Understood(reading, known, support, classes)

    def _name_spans(self, question: Question) -> list[tuple[int, int]]:
        reading = self.read(question)
        return name_spans(
            reading.words,
            reading.mentions,
            bare=reading.intent.bare,
            foreign=bool(self.learned().languages - {question.language}),
        )

    def plans(self, understood: Understood, retriever: Retriever) -> list[Plan]:
        """The likeliest plans, best first; one round trip."""
        reading, known = understood.reading, understood.known
        first = retriever.first_steps(reading.mentions, known.schema.identifying)
        explorer = Explorer(
            reading.words,
            reading.intent,
            known.schema,
            known.vocabulary,
            understood.support,
            tuple(match for match in understood.classes if match.score >= NAMED_SURELY),
        )
        paths = [path for m, steps in first.items() for path in explorer.paths(m, steps)]
        paths += [path for match in understood.classes for path in explorer.of_class(match)]
        ranker = Ranker(
            reading.words,
            reading.intent,
            known.schema,
            known.vocabulary,
            tuple(first),
            understood.classes,
        )
        return ranker.plans(paths)

    def _tried(self) -> Iterator[Trial]:
        """What the plans of made questions show, with whether the graph answers them."""
        retriever = Retriever(self._store, self._threads, Trace())
        known, until = self.learned(), time.monotonic() + _TRYING
        if self._lacks_senses(known):
            raise ModelError("no vectors to try questions with")
        maker = Maker(known, sampled(known, retriever, self._index.labels))
        for trial in maker.trials(_TRIALS):
            if time.monotonic() > until:
                return
            question = Question(trial.text, trial.language, date.today())
            understood = self.understood(question, Embedded(trial.vectors))
            outcome = settle(understood, self.plans(understood, retriever), retriever)
            signs = Signs.of(outcome.settled, understood) if outcome.settled else None
            if signs and not signs.names:  # what a name left over means is not to be learnt
                yield signs.numbers, trial.answerable

    def learned(self) -> Learned:
        """The schema, its words and their vectors, computed anew when the index has changed."""
        with self._lock:
            known = self._learned
            if known is None or known.revision != self._index.revision:
                known = self._learned = self._learn(self._index.revision)
                _set_aside()
            elif self._lacks_senses(known):
                known = self._learned = replace(known, senses=self._senses(known.vocabulary))
            return known

    def _learn(self, revision: int) -> Learned:
        schema = current(self._store, self._folder, revision)
        vocabulary = Vocabulary.of(schema, self._index.labels)
        senses = self._senses(vocabulary)
        texts = Texts.current(self._store, schema)
        languages = frozenset(self._index.labels.languages([Kind.ENTITY]))
        return Learned(revision, schema, vocabulary, senses, texts, languages)

    def _senses(self, vocabulary: Vocabulary) -> Senses | None:
        """None without an embedder, and while it fails."""
        if self._embedder is None or not vocabulary.texts:
            return None
        try:
            return Senses.of(vocabulary, self._embedder.questions(vocabulary.texts))
        except ModelError as error:
            log.info("predicates are found by their letters alone: %s", error)
            return None

    def _lacks_senses(self, known: Learned) -> bool:
        """Whether the embedder failed when they were to be made."""
        missing = known.senses is None and bool(known.vocabulary.texts)
        return missing and self._embedder is not None


def _set_aside() -> None:
    """Spare the garbage collector's rounds, which questions wait for, what is kept for long."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _written(question: Question, reading: Reading, span: tuple[int, int]) -> str:
    """The stretch of words as the question has it."""
    start, end = span
    return question.text[reading.words[start].start : reading.words[end - 1].end]


def _beside_classes(mention: Mention, classes: Sequence[ClassMatch]) -> Mention:
    """The mention, less sure where its words rather name a class ("datasets")."""
    sure = (match for match in classes if match.score >= _BY_LETTERS)
    if mention.score < 1 and any(match.words >= mention.words for match in sure):
        return replace(mention, score=mention.score / 2)
    return mention
