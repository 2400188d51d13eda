"""What a thing is: its description in the graph, else its classes, where nothing more is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyoxigraph import Literal, NamedNode

from ontology.vocabulary import ONTO, OWL, RDF, RDFS
from queries.store.results import Term
from service.answering.match import Mention, Seed
from service.answering.plan.intent import Form
from service.answering.plan.paths import Path
from service.answering.plan.plans import Plan
from service.answering.plan.reading import Reading, Understood
from service.answering.retrieve import Key, Retriever
from service.answering.settle import Outcome
from service.answering.settled import Settled
from service.index.normalise import local_name
from service.index.schema import Hop

SURE, NAMED = 1.0, 0.55
_KIND = Hop(RDF.type.value)
_DESCRIBING = frozenset("abstract comment definition description summary".split())
_OF_SCHEMAS = (ONTO.namespace, OWL.namespace, RDFS.label.value.removesuffix("label"))


def thing_asked(reading: Reading) -> Mention | None:
    """What the question asks to be told of, if it names that and nothing else."""
    intent, words = reading.intent, reading.words
    if not intent.being or intent.form is Form.COUNT or intent.extreme or intent.bounds:
        return None
    asked = {i for i, word in enumerate(words) if word.content and i not in intent.being}
    surest = (m for m in reading.mentions if m.exact and m.score >= NAMED and asked <= m.words)
    return max(surest, key=lambda mention: mention.score, default=None) if asked else None


def describe(
    thing: Mention,
    understood: Understood,
    retriever: Retriever,
    language: str,
    *,
    by_class: bool,
) -> Outcome:
    """Its description in the language or in any; else, told to, its classes; one round trip."""
    schema = understood.known.schema
    telling = [iri for iri in schema.predicates if _describes(iri)]
    texts = [Path(thing, (Hop(iri),), thing.words, score=SURE) for iri in telling]
    kinds = Path(thing, (_KIND,), thing.words, score=SURE)
    ends = retriever.ends([(path, "") for path in (*texts, kinds)], schema)
    found = [(path, text) for path in texts for text in _literals(ends, path)]
    if found:
        path, text = min(found, key=lambda pair: _foreign(pair[1], language))
        return _outcome(path, (text,))
    classes = tuple(term for term in _ends(ends, kinds) if _is_class(term))
    return _outcome(kinds, classes) if by_class and classes else Outcome(())


def _describes(iri: str) -> bool:
    words = local_name(iri).lower().split()
    return bool(words) and words[-1] in _DESCRIBING


def _ends(ends: Mapping[Key, Mapping[Term, set[Seed]]], path: Path) -> Iterable[Term]:
    return ends[path.seed, path.hops, ""]


def _literals(ends: Mapping[Key, Mapping[Term, set[Seed]]], path: Path) -> Iterable[Literal]:
    return (term for term in _ends(ends, path) if isinstance(term, Literal))


def _foreign(text: Literal, language: str) -> int:
    """0 for a text in the language, 1 for one of no language, 2 for another's."""
    own = text.language or ""
    return 0 if own.startswith(language) and own else 1 if not own else 2


def _is_class(term: Term) -> bool:
    return isinstance(term, NamedNode) and not term.value.startswith(_OF_SCHEMAS)


def _outcome(path: Path, answers: tuple[Term, ...]) -> Outcome:
    plan = Plan((path,), words=path.words, score=path.score)
    return Outcome((Settled(plan, answers, path.score),), answers)
