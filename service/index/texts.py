"""What the longer texts of entities say: which entities use a word, and of which classes they are.

Read once a generation into memory, since a store has no index of the words in its literals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from ontology.vocabulary import ONTO
from queries import library
from queries.store.client import Store
from queries.store.results import Term
from service.index.normalise import normalise
from service.index.schema import Schema

LONG = 40
LARGEST = 20_000
_DEADLINE = 60.0


@dataclass(frozen=True, slots=True)
class Texts:
    """The entities with texts, their classes, and for each normalised word who says it."""

    entities: Sequence[Term] = ()
    classes: Mapping[Term, frozenset[str]] = field(default_factory=dict)
    words: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @classmethod
    def current(cls, store: Store, schema: Schema) -> Texts:
        """The texts of the graph; none where there are more than 20,000 statements of them."""
        predicates = [
            predicate
            for predicate in schema.predicates.values()
            if predicate.letters > LONG and predicate.literals > 0.5
        ]
        if not predicates or sum(predicate.statements for predicate in predicates) > LARGEST:
            return cls()
        iris = [NamedNode(predicate.iri) for predicate in predicates]
        query = library.load("schema/texts").bind(predicate=iris)
        return cls.of(store.select(query, deadline=_DEADLINE).columns("entity", "text", "class"))

    @classmethod
    def of(cls, rows: Iterable[Sequence[Term | None]]) -> Texts:
        """The texts out of rows of entity, text and class; what askonto itself keeps is none."""
        texts: dict[Term, set[str]] = defaultdict(set)
        classes: dict[Term, set[str]] = defaultdict(set)
        for entity, text, kind in rows:
            iri = str(getattr(kind, "value", ""))
            if entity is not None and text is not None and not iri.startswith(ONTO.namespace):
                texts[entity].add(str(getattr(text, "value", "")))
                classes[entity].add(iri)
        words: dict[str, list[int]] = defaultdict(list)
        for number, entity in enumerate(entities := sorted(texts, key=str)):
            for word in {word for text in texts[entity] for word in normalise(text).split()}:
                words[word].append(number)
        return cls(entities, {e: frozenset(kinds) for e, kinds in classes.items()}, words)

    def saying(self, stems: Iterable[str]) -> dict[Term, set[str]]:
        """For each entity those of the stems that occur within words of its texts."""
        found: dict[Term, set[str]] = {}
        for stem in stems:
            numbers = {n for word, said in self.words.items() if stem in word for n in said}
            for number in sorted(numbers):
                found.setdefault(self.entities[number], set()).add(stem)
        return found
