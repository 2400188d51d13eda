"""Questions made of a graph's own statements and names, which it answers or does not."""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources

import numpy as np
import numpy.typing as npt
from pyoxigraph import NamedNode

from loaders.ports import Vectors
from ontology.vocabulary import OWL, RDFS
from queries import library
from queries.store.results import Term
from service.answering.match import Mention
from service.answering.plan.reading import Learned
from service.answering.plan.vocabulary import Senses
from service.answering.plan.words import LANGUAGES, grammar
from service.answering.retrieve import Retriever
from service.index.labels import Labels
from service.index.schema import Hop

_MADE_UP = ("ostrame", "belindo", "quarvet", "molispa", "trendul", "fespira", "gandole", "nurvica")
_BESIDE = ("folbine", "tervoli", "haspent", "colmiro")
_BESIDE_SHARE = 0.4  # of the questions that hold a word of which nothing is said
_LIKENESS = (0.1, 0.6)  # centred cosines between other words for a relation and its name
_UNHEARD = 3  # every which question asks for a relation that the graph has nowhere
_BY_KIND, _MOSTLY = 0.6, 0.5  # questions that say who, where, when; share of a predicate's ends
_AS_NAMED = 0.35  # share of the relations that are called what the graph calls them
_PREDICATES, _STATEMENTS, _EACH = 24, 500, 6  # predicates, statements read of each, and tried
_LONGEST_NAME = 60
_TEXTS, _SAID = 60, 3  # texts that are asked for, by how many words
_LONG, _RARE = 6, 0.1  # letters of such a word, share of the texts that have it


@dataclass(frozen=True)
class Example:
    """An entity with its name, and the ends of the steps that leave it, as far as sampled."""

    entity: Term
    name: str
    language: str
    ends: Mapping[Hop, Sequence[Term]]
    steps: frozenset[Hop]


@dataclass(frozen=True)
class Trial:
    """A question, whether the graph answers it, and vectors of words that are made up for it."""

    text: str
    language: str
    answerable: bool
    vectors: Mapping[str, Vectors] = field(default_factory=dict)


@dataclass(frozen=True)
class Wording:
    """A word or two for a step; made up ones stand for words unlike the step's names."""

    text: str
    vectors: Mapping[str, Vectors] = field(default_factory=dict)


class Maker:
    """Makes trials of examples, the same ones of the same examples."""

    def __init__(self, known: Learned, examples: Sequence[Example]) -> None:
        self._known = known
        self._examples = examples
        self._by_term = {one.entity: one for one in examples}
        self._chance = random.Random(11)  # noqa: S311  the same trials each time
        self._noise = np.random.default_rng(11)

    def trials(self, most: int) -> Iterator[Trial]:
        """As many of each kind."""
        if not self._examples or not any(one.ends for one in self._examples):
            return
        for number in range(most):
            yield from self._told(number)
            yield from self._untold(number)

    def _told(self, number: int) -> Iterator[Trial]:
        one = self._pick(ends=True)
        hop = self._chance.choice(sorted(one.ends))
        second = [
            (next_, end)
            for end in one.ends[hop]
            if end in self._by_term
            for next_ in sorted(self._by_term[end].ends)
            if next_ != hop.back()
        ]
        kind = self._kind(hop)
        if second and number % 4 == 0:
            yield self._asked(one, (hop, self._chance.choice(second)[0]), True)
        elif kind and number % 4 == 1:
            yield self._asked(one, (hop,), True, kind=kind)
        elif self._texts and number % 4 == 2:
            yield self._of_text(True)
        else:
            yield self._asked(one, (hop,), True)

    def _untold(self, number: int) -> Iterator[Trial]:
        one = self._pick(ends=False)
        if (hop := self._absent(one)) is not None:
            following = sorted(self._known.schema.following.get(hop, {}))
            kind = self._kind(hop)
            if following and number % 4 == 0:
                yield self._asked(one, (hop, self._chance.choice(following)), False)
            elif kind and number % 4 == 1:
                yield self._asked(one, (hop,), False, kind=kind)
            elif self._texts and number % 4 == 2:
                yield self._of_text(False)
            else:
                yield self._asked(one, (hop,), False)
        if number % _UNHEARD == 0:
            yield self._asked(self._pick(ends=True), (None,), False)

    def _kind(self, hop: Hop) -> str:
        """What the things are called that a step leads to; "" where that is not known."""
        ends = self._known.schema.predicates[hop.predicate].ends(hop.inverse)
        classes = self._known.vocabulary.classes
        named = [iri for iri in sorted(ends, key=lambda iri: -ends[iri]) if iri in classes]
        return classes[named[0]].names[0].lower() if named and classes[named[0]].names else ""

    @cached_property
    def _texts(self) -> list[tuple[str, list[str]]]:
        """Things of a kind that have texts: what the kind is called, and words of the text."""
        texts, classes = self._known.texts, self._known.vocabulary.classes
        chosen = set(
            self._chance.sample(range(len(texts.entities)), min(_TEXTS, len(texts.entities)))
        )
        words: dict[int, list[str]] = {number: [] for number in sorted(chosen)}
        for word, numbers in texts.words.items():
            if len(word) >= _LONG and len(numbers) <= _RARE * len(texts.entities):
                for number in chosen.intersection(numbers):
                    words[number].append(word)
        found = []
        for number, told in words.items():
            kinds = [
                iri
                for iri in sorted(texts.classes[texts.entities[number]] & classes.keys())
                if not iri.startswith((OWL.namespace, RDFS.namespace))
            ]
            if len(told) >= _SAID and kinds and classes[kinds[0]].names:
                found.append((classes[kinds[0]].names[0].lower(), sorted(told)))
        return found

    def _of_text(self, answerable: bool) -> Trial:
        """A question for things of a kind by words of one text, or by words of several."""
        kind, told = self._chance.choice(self._texts)
        if answerable:
            words = self._chance.sample(told, _SAID)
        else:
            words = [self._chance.choice(self._chance.choice(self._texts)[1]) for _ in range(_SAID)]
        say = self._chance.choice(_sayings("en")["said"])
        return Trial(say.format(kind=kind, words=" ".join(words)), "en", answerable)

    def _pick(self, *, ends: bool) -> Example:
        chosen = [one for one in self._examples if one.ends or not ends]
        return self._chance.choice(chosen)

    def _absent(self, one: Example) -> Hop | None:
        """A step that does not leave the entity, of its own kind rather than of another."""
        predicates = self._known.schema.predicates
        classes = {c for hop in one.steps if hop.predicate in predicates
                   for c in predicates[hop.predicate].ends(not hop.inverse)}  # fmt: skip
        options = [
            hop
            for iri in sorted(predicates)
            for hop in (Hop(iri), Hop(iri, True))
            if self._known.schema.canonical(hop) not in one.steps
            and not (hop.inverse and predicates[iri].literals > 0)
        ]
        near = [
            hop for hop in options if classes & set(predicates[hop.predicate].ends(not hop.inverse))
        ]
        options = near if near and self._chance.random() < 0.7 else options
        return self._chance.choice(options) if options else None

    def _asked(
        self,
        one: Example,
        hops: tuple[Hop | None, ...],
        answerable: bool,
        kind: str = "",
    ) -> Trial:
        say = _sayings(one.language)
        words = [self._worded(hop, one.language, place) for place, hop in enumerate(hops)]
        form = self._form(hops, one.language) if not kind else "kind"
        text = self._chance.choice(say[form]).format(
            entity=one.name, relation=words[-1].text, first=words[0].text, kind=kind
        )
        if self._chance.random() < _BESIDE_SHARE:
            text = text.removesuffix("?").rstrip() + f" {self._chance.choice(_BESIDE)}?"
        vectors = {key: vector for word in words for key, vector in word.vectors.items()}
        return Trial(text, one.language, answerable, vectors)

    def _form(self, hops: tuple[Hop | None, ...], language: str) -> str:
        """How to ask: by the kind of what the step leads to, as often as not."""
        last = hops[-1]
        if len(hops) > 1 or last is None:
            return "two" if len(hops) > 1 else "out"
        predicate = self._known.schema.predicates[last.predicate]
        if self._chance.random() < _BY_KIND:
            if predicate.dates > _MOSTLY and not last.inverse:
                return "time"
            if predicate.numbers > _MOSTLY and not last.inverse:
                return "number"
            classes = self._known.vocabulary.classes
            ends = [iri for iri in predicate.ends(last.inverse) if iri in classes]
            said = {word for iri in ends for form in classes[iri].forms for word in form}
            for kind in ("person", "place"):
                if said & set(grammar(language).means.get(kind, ())):
                    return kind
        return "in" if last.inverse else "out"

    def _worded(self, hop: Hop | None, language: str, place: int) -> Wording:
        """The step's name, or half the time a word that is more or less like it in sense."""
        senses = self._known.senses
        term = self._known.vocabulary.predicates[hop.predicate] if hop else None
        named = term.names[0].lower() if term and term.names else ""
        sense = self._sense(term.iri) if term else None
        made = _MADE_UP[self._chance.randrange(4) + 4 * place]
        if senses is None:
            return Wording(named or made)
        if sense is not None and self._chance.random() < _AS_NAMED:
            return Wording(named, {named: _sum(senses.mean, sense)})
        return Wording(made, {made: _sum(senses.mean, self._unlike(senses, sense))})

    def _unlike(self, senses: Senses, sense: Vectors | None) -> Vectors:
        """A vector that is more or less near to a term's; near to none without one."""
        noise = _unit(self._noise.standard_normal(len(senses.mean)))
        noise = _unit(_sum(noise, 0.5 * senses.matrix[self._chance.randrange(len(senses.matrix))]))
        if sense is None:
            return noise
        likeness = self._chance.uniform(*_LIKENESS)
        noise = _unit(_sum(noise, -float(noise @ sense) * sense))
        return _sum(likeness * sense, math.sqrt(1 - likeness**2) * noise)

    def _sense(self, iri: str) -> Vectors | None:
        """The centred vector of a term's first name."""
        senses = self._known.senses
        if senses is None or iri not in senses.terms:
            return None
        row: Vectors = senses.matrix[senses.starts[senses.terms[iri]]]
        return row


@cache
def _sayings(language: str) -> Mapping[str, Sequence[str]]:
    text = resources.files("service.answering").joinpath("trials.toml").read_text("utf-8")
    table = tomllib.loads(text)
    told = table[language if language in LANGUAGES else "en"]
    return {key: (value,) if isinstance(value, str) else value for key, value in told.items()}


def _sum(left: Vectors, right: Vectors) -> Vectors:
    return np.asarray(left + right, np.float32)


def _unit(vector: npt.ArrayLike) -> Vectors:
    row = np.asarray(vector, np.float32)
    return np.asarray(row / max(float(np.linalg.norm(row)), 1e-6), np.float32)


def sampled(known: Learned, retriever: Retriever, labels: Labels) -> list[Example]:
    """Entities of all over the graph with what leaves them; two round trips."""
    chance = random.Random(5)  # noqa: S311  as there
    predicates = sorted(known.schema.predicates.values(), key=lambda p: (-p.statements, p.iri))
    chosen = predicates[: _PREDICATES // 2]
    rest = predicates[_PREDICATES // 2 :]
    chosen += chance.sample(rest, min(len(rest), _PREDICATES // 2))
    query = library.load("schema/examples")
    rows: list[tuple[Hop, Term, Term]] = []
    for predicate in chosen:
        bound = query.bind(predicate=[NamedNode(predicate.iri)], limit=_STATEMENTS)
        found = retriever.store.select(bound).ordered().rows
        for subject, target in chance.sample(found, min(_EACH, len(found))):
            if subject is None or target is None:
                continue
            hop = known.schema.canonical(Hop(predicate.iri))
            forward = not hop.inverse and hop.predicate == predicate.iri
            rows.append((hop, subject, target) if forward else (hop, target, subject))
            if isinstance(target, NamedNode):
                back = known.schema.canonical(Hop(predicate.iri, True))
                rows.append((back, target, subject))
    terms = {term for _, *ends in rows for term in ends if isinstance(term, NamedNode)}
    names = _named(terms, labels)
    ends: dict[Term, dict[Hop, list[Term]]] = {}
    for hop, start, end in rows:
        ends.setdefault(start, {}).setdefault(hop, []).append(end)
    mentions = [Mention(0, 1, term.value, (term,), 1.0) for term in sorted(names, key=str)]
    examples: list[Example] = []
    for mention, hops in retriever.first_steps(mentions, ()).items():
        term = NamedNode(mention.label)
        steps = {
            known.schema.canonical(hop) for hop in hops if hop.predicate in known.schema.predicates
        }
        if steps:
            examples.append(Example(term, *names[term], ends.get(term, {}), frozenset(steps)))
    return examples


def _named(terms: Iterable[NamedNode], labels: Labels) -> dict[NamedNode, tuple[str, str]]:
    """What each is called, and in which language; none where that is long, or it has no name."""
    found = labels.of(sorted(term.value for term in terms))
    named = {}
    for term in terms:
        best = next(iter(found.get(term.value, ())), None)
        if best and 2 < len(best.text) <= _LONGEST_NAME:
            named[term] = best.text, best.language[:2] or "en"
    return named
