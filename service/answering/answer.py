"""The line of one question: embed, find facts and passages, choose or generate, cite."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from loaders.ledger import Source
from loaders.ports import Embedder
from service.answering.abstain import abstention
from service.answering.evidence import Evidence, citations_of, context_of, evidence_from
from service.answering.question import Question
from service.answering.reply import Citation, Fact, FactAnswer, PassageAnswer, Reply, Value
from service.answering.sources import Sources
from service.answering.trace import Trace
from service.answering.wanted import Embedded, Wanted, embedded
from service.index.index import Index
from service.models.errors import ModelError

log = logging.getLogger(__name__)

_AT_ONCE = 2  # questions that are worked at: more would only take turns at one processor core
SURE = 0.5  # below it neither half's answer is given


class FactFinder(Protocol):
    """The half that answers from the graph's statements."""

    def wanted(self, question: Question) -> Wanted:
        """The texts whose vectors it would use."""

    def find(self, question: Question, vectors: Embedded, trace: Trace) -> FactAnswer:
        """What the statements answer."""

    def prepare(self) -> None:
        """Learn of the graph what answers need."""

    def close(self) -> None:
        """Read store and index no more."""


class PassageFinder(Protocol):
    """The half that answers from the documents' passages."""

    def wanted(self, question: Question) -> Wanted:
        """The texts whose vectors it would use."""

    def find(self, question: Question, vectors: Embedded, trace: Trace) -> PassageAnswer:
        """What the passages answer."""

    def prepare(self) -> None:
        """Learn of the documents what answers need."""

    def close(self) -> None:
        """Read the index no more."""


class Writer(Protocol):
    """Writes an answer out of evidence with a language model."""

    def write(self, question: Question, evidence: list[Evidence], trace: Trace) -> Told | None:
        """The answer with its checked citations, or None where the evidence does not tell."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer in words; `[n]` in its text is the n-th citation."""

    text: str
    citations: tuple[Citation, ...]
    values: tuple[Value, ...] = ()
    facts: tuple[Fact, ...] = ()


class Answering:
    """Answers questions from one store and its index; thread-safe."""

    def __init__(
        self,
        *,
        index: Index,
        sources: Sources,
        facts: FactFinder,
        passages: PassageFinder,
        embedder: Embedder | None = None,
        writer: Writer | None = None,
    ) -> None:
        self._index = index
        self._sources = sources
        self._facts = facts
        self._passages = passages
        self._embedder = embedder
        self._writer = writer
        self._turns = threading.Semaphore(_AT_ONCE)
        self._pool = ThreadPoolExecutor(2 * _AT_ONCE, thread_name_prefix="answering")

    def answer(self, question: Question) -> Reply:
        """The reply, with what it is based on and what it cost."""
        trace = Trace()
        with trace.step("total"):
            if self._index.revision < 0:
                self._follow(trace)
            facts, passages, changed = self._found(question, trace)
            if changed:
                self._follow(trace)
                facts, passages, _ = self._found(question, trace)
            sources = self._sources.by_graph(self._index.revision)
            evidence = evidence_from(facts, passages, sources)
            if self._writer and evidence:
                with trace.step("generate"):
                    told = self._writer.write(question, evidence, trace)
            else:
                told = best_of(facts, passages, sources)
        return Reply(
            language=question.language,
            answer=told.text if told else abstention(question, facts, passages),
            values=told.values if told else (),
            abstained=told is None,
            citations=told.citations if told else (),
            passages=passages.passages,
            entities=facts.entities,
            predicates=facts.predicates,
            context=context_of(evidence),
            facts=told.facts if told else (),
            queries=tuple(trace.queries),
            seconds=trace.seconds,
            model_calls=trace.model_calls,
            embedding_calls=trace.embedding_calls,
            tokens=trace.tokens,
            warnings=tuple(dict.fromkeys(trace.warnings)),
        )

    def prepare(self) -> None:
        """Learn of the data what would else be learned beside the first questions.

        Raises StoreError.
        """
        self._follow(Trace())
        self._facts.prepare()
        self._passages.prepare()

    def prepare_beside(self) -> None:
        """Begin to prepare, and to answer a first question, in a thread of its own."""
        self._pool.submit(self._warm_up)

    def close(self) -> None:
        """Let go of the threads; what they read may be closed then."""
        self._facts.close()
        self._passages.close()
        self._pool.shutdown()

    def _warm_up(self) -> None:
        try:
            self.prepare()
            self.answer(Question("What is known?", "en", date.today()))
        except Exception:
            log.debug("nothing was learned before the first question", exc_info=True)

    def _vectors(self, question: Question, trace: Trace) -> Embedded:
        """The vectors of every text that the halves ask for, in one call.

        None where the embedding service fails: words alone find the answer then.
        """
        if self._embedder is None:
            return Embedded()
        halves = (self._facts, self._passages)
        wanted = Wanted.together(half.wanted(question) for half in halves)
        if wanted == Wanted():
            return Embedded()
        try:
            with trace.step("embedding"):
                trace.embedding_calls += 1
                vectors = embedded(wanted, self._embedder)
        except ModelError as error:
            trace.warnings.append(f"searched by words alone: {error}")
            return Embedded()
        self._index.resume()
        return vectors

    def _follow(self, trace: Trace) -> None:
        with trace.step("index"):
            self._index.refresh()

    def _found(self, question: Question, trace: Trace) -> tuple[FactAnswer, PassageAnswer, bool]:
        """Both halves at once, so that their round trips do not add up; with them, at no cost,
        whether they were found in an index that is behind what has been loaded.
        """
        vectors = self._vectors(question, trace)
        with self._turns:
            beside = Trace()
            behind = self._pool.submit(self._index.behind)
            passages = self._pool.submit(self._passages.find, question, vectors, beside)
            with trace.step("facts"):
                facts = self._facts.find(question, vectors, trace)
            with trace.step("passages"):
                found = passages.result()
        trace.queries += beside.queries
        return facts, found, behind.result()


def best_of(
    facts: FactAnswer, passages: PassageAnswer, sources: Mapping[str, Source]
) -> Told | None:
    """The facts where they are sure, being to the point, else the passages, else None."""
    if facts.confidence >= SURE:
        citations = citations_of(facts.facts, sources)
        return Told(_marked(facts.text, citations), citations, facts.values, facts.facts)
    if passages.confidence >= SURE:
        return Told(_marked(passages.text, passages.quotes), passages.quotes, passages.values)
    return None


def _marked(text: str, citations: tuple[Citation, ...]) -> str:
    """The text with its citations' markers, unless it carries them already."""
    if any(f"[{citation.number}]" in text for citation in citations):
        return text
    return " ".join([text, "".join(f"[{citation.number}]" for citation in citations)]).strip()
