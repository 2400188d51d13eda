"""What an answer consists of: the batch contract as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Value:
    """One answer: an entity (label and iri) or a literal's lexical form."""

    label: str = ""
    iri: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A term of the graph that the question speaks of; score in 0..1."""

    iri: str
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement in words, with what it says and where it stands; `graph` is its source's IRI.

    `relationship` is the reified statement's IRI where there is one; `quote`, `title`, `url` and
    `page` are its evidence, `valid_from` and `valid_until` (ISO dates) its validity.
    """

    subject: str
    predicate: str
    object: str
    subject_iri: str
    predicate_iri: str
    object_iri: str = ""
    graph: str = ""
    relationship: str = ""
    quote: str = ""
    valid_from: str = ""
    valid_until: str = ""
    title: str = ""
    url: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that retrieval found: its chunk's IRI, its source's address, page and words."""

    iri: str
    source: str
    title: str
    page: int | None
    score: float
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a sentence of the answer comes from; `number` is its [n] in the text."""

    number: int
    iri: str
    title: str
    url: str
    page: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class FactAnswer:
    """What the graph's statements answer: values best first, and the facts behind them.

    `text` says it in the question's language; `confidence` is in 0..1, 0 when nothing answers;
    `context` holds the verbalised facts that a generator gets, most relevant first.
    """

    text: str = ""
    values: tuple[Value, ...] = ()
    facts: tuple[Fact, ...] = ()
    confidence: float = 0.0
    entities: tuple[Match, ...] = ()
    predicates: tuple[Match, ...] = ()
    context: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageAnswer:
    """What the documents answer: the sentences to show, each out of a ranked passage.

    `values` are the few words in them that answer, or the items of a list.
    """

    text: str = ""
    values: tuple[Value, ...] = ()
    quotes: tuple[Citation, ...] = ()
    confidence: float = 0.0
    passages: tuple[RankedPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole reply; `service.answering.contract` writes it as one line of the batch contract."""

    language: str
    answer: str
    values: tuple[Value, ...] = ()
    abstained: bool = False
    citations: tuple[Citation, ...] = ()
    passages: tuple[RankedPassage, ...] = ()
    entities: tuple[Match, ...] = ()
    predicates: tuple[Match, ...] = ()
    context: str = ""
    facts: tuple[Fact, ...] = ()
    queries: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    model_calls: int = 0
    embedding_calls: int = 0
    tokens: int = 0
    warnings: tuple[str, ...] = ()
