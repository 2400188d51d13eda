"""The classes and properties of an ontology: which a text is about, and which a word names."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from pyoxigraph import Literal, NamedNode, Triple

from loaders.extract import values
from ontology.check import declared
from ontology.vocabulary import DCTERMS, ONTO, OWL, PROV, RDF, RDFS, SKOS, XSD

_PROPERTIES = 40  # of an ontology that one prompt holds
_GRAM = 4
_FOREIGN = tuple(
    one.value.removesuffix(name)
    for one, name in (
        (DCTERMS.title, "title"),
        (PROV.wasDerivedFrom, "wasDerivedFrom"),
        (SKOS.broader, "broader"),
        (OWL.Class, "Class"),
        (RDFS.label, "label"),
        (RDF.type, "type"),
    )
)
_ROOTS = frozenset({ONTO.Entity, NamedNode(OWL.namespace + "Thing")})


@dataclass(frozen=True, slots=True)
class Term:
    """A class or property; `key` is what the model calls it, `names` its labels."""

    iri: NamedNode
    key: str
    names: tuple[str, ...]
    comment: str


_T = TypeVar("_T", bound=Term)


@dataclass(frozen=True, slots=True)
class Property(Term):
    """A property with what it may stand between; nothing said allows all."""

    is_data: bool = False
    domain: frozenset[NamedNode] = frozenset()
    range: frozenset[NamedNode] = frozenset()
    units: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Schema:
    """Classes and properties by IRI, the classes above each class, and sets of disjoint ones."""

    classes: Mapping[NamedNode, Term] = field(default_factory=dict)
    properties: Mapping[NamedNode, Property] = field(default_factory=dict)
    above: Mapping[NamedNode, frozenset[NamedNode]] = field(default_factory=dict)
    by_name: Mapping[str, NamedNode] = field(default_factory=dict)
    apart: Sequence[frozenset[NamedNode]] = ()

    @classmethod
    def from_triples(cls, triples: Iterable[Triple]) -> Schema:
        """The domain's part of an ontology: its own classes and properties, and places."""
        return _Reader(triples).schema()

    def class_named(self, text: str) -> NamedNode | None:
        """The class of a key or label, or None."""
        return self.by_name.get("c:" + folded(text))

    def property_named(self, text: str) -> Property | None:
        """The property of a key or label, or None."""
        iri = self.by_name.get("p:" + folded(text))
        return self.properties[iri] if iri else None

    def agree(self, kind: NamedNode, allowed: Collection[NamedNode]) -> bool:
        """Whether a thing of the class may stand where these classes are asked for."""
        return not allowed or not _ROOTS.union(self.around(kind)).isdisjoint(allowed)

    def around(self, kind: NamedNode) -> frozenset[NamedNode]:
        """The class and all above it."""
        return self.above.get(kind, frozenset({kind}))

    def disjoint(self, one: NamedNode, other: NamedNode) -> bool:
        """Whether nothing can be of both classes."""
        around = self.around(one), self.around(other)
        return any(
            a != b for group in self.apart for a in group & around[0] for b in group & around[1]
        )

    def open(self) -> Schema:
        """Places alone: what a document is read with when it is not bound to an ontology."""
        names = {name: iri for name, iri in self.by_name.items() if iri == ONTO.Place}
        return Schema(above=self.above, by_name=names)

    def about(self, text: str) -> Schema:
        """The part of it that the text may speak of, small enough for a prompt."""
        chosen = _nearest(self.properties.values(), text, _PROPERTIES)
        needed = set().union(*(one.domain | one.range for one in chosen))
        lower = {one for one in self.classes if self.above[one] & needed}
        spare = [term for iri, term in self.classes.items() if iri not in lower]
        near = {term.iri for term in _nearest(spare, text, _PROPERTIES // 2)}
        kept = {iri: term for iri, term in self.classes.items() if iri in lower | near}
        return Schema(kept, {one.iri: one for one in chosen}, self.above, self.by_name)

    def lines(self) -> Iterator[str]:
        """The classes and properties, a line each, as a prompt shows them."""
        for term in self.classes.values():
            yield f"class {term.key}: {', '.join(term.names)}. {term.comment}"
        for one in self.properties.values():
            between = f"{self._keys(one.domain)} -> {self._keys(one.range)}"
            unit = f", in {min(one.units)}" if one.units else ""
            yield f"property {one.key} ({between}{unit}): {', '.join(one.names)}. {one.comment}"

    def _keys(self, iris: Iterable[NamedNode]) -> str:
        known = (self.classes[iri].key if iri in self.classes else _local(iri) for iri in iris)
        return " or ".join(sorted(known)) or "anything"


def folded(text: str) -> str:
    """Words without case, accents and punctuation, and "spendingLimit" as two of them."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    letters = unicodedata.normalize("NFKD", apart).casefold()
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W_]+", plain))


def _nearest(terms: Iterable[_T], text: str, limit: int) -> list[_T]:
    """The terms one of whose names has most of its letters in the text, in a stable order."""
    grams = _grams(text)

    def nearness(term: Term) -> float:
        names = filter(None, map(_name_grams, term.names))
        return max((len(name & grams) / len(name) for name in names), default=0.0)

    best = sorted(terms, key=lambda term: (-nearness(term), term.iri.value))[:limit]
    return sorted(best, key=lambda term: term.iri.value)


def _grams(text: str) -> frozenset[str]:
    padded = f" {folded(text)} "
    return frozenset(padded[i : i + _GRAM] for i in range(len(padded) - _GRAM + 1))


_name_grams = lru_cache(maxsize=20_000)(_grams)


class _Reader:
    """One reading of an ontology's triples."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._facts: dict[object, dict[object, list[object]]] = defaultdict(
            lambda: defaultdict(list)
        )
        triples = list(triples)
        for triple in triples:
            self._facts[triple.subject][triple.predicate].append(triple.object)
        classes, properties = declared(triples)
        self._classes = {one for one in classes if _is_domain(one)} | ({ONTO.Place} & classes)
        self._properties = {
            one
            for one in properties
            if _is_domain(one) and OWL.AnnotationProperty not in self._facts[one][RDF.type]
        }

    def schema(self) -> Schema:
        classes = {one: self._term(one) for one in sorted(self._classes, key=str)}
        properties = {one: self._property(one) for one in sorted(self._properties, key=str)}
        by_name: dict[str, NamedNode] = {}
        for role, terms in (("c:", classes.values()), ("p:", properties.values())):
            for rank in range(max((len(one.names) for one in terms), default=0) + 1):
                for term in terms:
                    for name in (term.key, *term.names)[rank : rank + 1]:
                        by_name.setdefault(role + folded(name), term.iri)
        above = {one: frozenset(self._above(one)) for one in classes}
        return Schema(classes, properties, above, by_name, tuple(self._apart()))

    def _term(self, iri: NamedNode) -> Term:
        told = self._facts[iri]
        labels = [*told[RDFS.label], *told[SKOS.prefLabel], *told[SKOS.altLabel]]
        names = dict.fromkeys(one.value for one in labels if isinstance(one, Literal))
        comments = [one for one in told[RDFS.comment] if isinstance(one, Literal)]
        comments.sort(key=lambda one: (one.language != "en", one.value))
        comment = comments[0].value if comments else ""
        return Term(iri, self._key(iri), tuple(sorted(names)), comment)

    def _property(self, iri: NamedNode) -> Property:
        told, term = self._facts[iri], self._term(iri)
        ranges = self._classes_of(told[RDFS.range])
        types = [one.value for one in ranges if one.value.startswith(XSD.namespace)]
        is_data = OWL.DatatypeProperty in told[RDF.type] or RDFS.Literal in ranges or bool(types)
        units = {values.unit(one.value) for one in told[ONTO.unit] if isinstance(one, Literal)}
        return Property(
            *(term.iri, term.key, term.names, term.comment),
            is_data=is_data,
            domain=self._classes_of(told[RDFS.domain]),
            range=ranges,
            units=frozenset(units),
        )

    def _key(self, iri: NamedNode) -> str:
        """The IRI's last part, or all of it where another term ends alike."""
        key = _local(iri)
        alike = [one for one in self._classes | self._properties if _local(one) == key]
        return key if alike == [iri] else iri.value

    def _classes_of(self, nodes: Iterable[object]) -> frozenset[NamedNode]:
        """The classes that a domain or range names, alone or as a union; none for others."""
        found: set[NamedNode] = set()
        for node in nodes:
            if isinstance(node, NamedNode):
                found.add(node)
            for members in self._facts[node][OWL.unionOf]:
                found |= self._classes_of(self._listed(members))
        return frozenset(found)

    def _listed(self, rest: object) -> Iterator[object]:
        """The members of an RDF list."""
        while self._facts[rest][RDF.first]:
            yield from self._facts[rest][RDF.first]
            rest = self._facts[rest][RDF.rest][0]

    def _apart(self) -> Iterator[frozenset[NamedNode]]:
        """The sets of classes of which no two have a thing in common."""
        for node, told in list(self._facts.items()):
            for members in told[OWL.members] if OWL.AllDisjointClasses in told[RDF.type] else ():
                yield self._classes_of(self._listed(members))
            for other in told[OWL.disjointWith]:
                yield self._classes_of((node, other))

    def _above(self, iri: NamedNode) -> set[NamedNode]:
        found, waiting = set(), [iri]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                upper = self._facts[one][RDFS.subClassOf]
                waiting += [two for two in upper if isinstance(two, NamedNode)]
        return found


def _is_domain(iri: NamedNode) -> bool:
    return not iri.value.startswith((ONTO.namespace, *_FOREIGN))


def _local(iri: NamedNode) -> str:
    return re.split(r"[/#]", iri.value)[-1] or iri.value
