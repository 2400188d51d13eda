"""What is wrong with an ontology: one finding a fault, the IRI it is about, and how bad it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeGuard

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology.vocabulary import OWL, RDF, RDFS, SKOS, XSD


class Severity(StrEnum):
    """An error refuses the ontology; a warning is told; a note is for who asks."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: `iri` is the term it is about, "" for the whole ontology."""

    severity: Severity
    iri: str
    reason: str

    def __str__(self) -> str:
        return f"<{self.iri}> {self.reason}" if self.iri else self.reason


_OF_CLASSES = (OWL.Class, RDFS.Class)
_OF_PROPERTIES = (OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, RDF.Property)
_BUILT_IN = (OWL.namespace, RDF.namespace, RDFS.namespace, XSD.namespace)
_CLASS_SLOTS = {
    RDF.type,
    RDFS.subClassOf,
    RDFS.domain,
    *(
        NamedNode(OWL.namespace + name)
        for name in (
            "equivalentClass",
            "disjointWith",
            "someValuesFrom",
            "allValuesFrom",
            "onClass",
        )
    ),
}
_PROPERTY_SLOTS = {
    RDFS.subPropertyOf,
    *(NamedNode(OWL.namespace + name) for name in ("onProperty", "inverseOf")),
}
_OWL_DATATYPES = set(
    "string normalizedString token language Name NCName NMTOKEN boolean decimal integer double "
    "float nonNegativeInteger nonPositiveInteger positiveInteger negativeInteger long int short "
    "byte unsignedLong unsignedInt unsignedShort unsignedByte hexBinary base64Binary anyURI "
    "dateTime dateTimeStamp".split()
)
_FORMS = {
    XSD.integer: r"[+-]?\d+",
    XSD.decimal: r"[+-]?(\d+(\.\d*)?|\.\d+)",
    XSD.double: r"[+-]?((\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|INF)|NaN",
    XSD.boolean: r"true|false|0|1",
    XSD.date: r"-?\d{4,}-\d\d-\d\d(Z|[+-]\d\d:\d\d)?",
    XSD.dateTime: r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?",
    XSD.gYear: r"-?\d{4,}(Z|[+-]\d\d:\d\d)?",
}


def check(triples: Iterable[Triple]) -> list[Finding]:
    """Every fault of an ontology and its imports, worst first, each once."""
    schema = _Schema(triples)
    found = dict.fromkeys(finding for rule in _RULES for finding in rule(schema))
    return sorted(found, key=lambda one: (list(Severity).index(one.severity), one.iri, one.reason))


def declared(triples: Iterable[Triple]) -> tuple[set[NamedNode], set[NamedNode]]:
    """The classes and the properties that the triples declare."""
    schema = _Schema(triples)
    return schema.classes, schema.properties


class _Schema:
    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = list(triples)
        self.types: dict[NamedNode, set[object]] = defaultdict(set)
        for triple in self.triples:
            if triple.predicate == RDF.type and isinstance(triple.subject, NamedNode):
                self.types[triple.subject].add(triple.object)

    @cached_property
    def classes(self) -> set[NamedNode]:
        """The declared classes."""
        return self._typed(_OF_CLASSES)

    @cached_property
    def properties(self) -> set[NamedNode]:
        """The declared properties."""
        return self._typed(_OF_PROPERTIES)

    def _typed(self, kinds: Iterable[NamedNode]) -> set[NamedNode]:
        return {term for term, types in self.types.items() if types & set(kinds)}

    def declares(self, term: NamedNode, role: str) -> bool:
        """Whether a term may be used as a class or property."""
        known = self.classes if role == "class" else self.properties
        datatype = role == "class" and RDFS.Datatype in self.types.get(term, ())
        return term in known or datatype or _is_built_in(term)

    def pairs(self, *predicates: NamedNode) -> Iterator[tuple[object, object]]:
        """Subject and object of the statements with these predicates."""
        return ((t.subject, t.object) for t in self.triples if t.predicate in predicates)


def _is_empty(schema: _Schema) -> Iterator[Finding]:
    if not schema.classes and not schema.properties:
        yield Finding(Severity.ERROR, "", "declares no class and no property")


def _undeclared(schema: _Schema) -> Iterator[Finding]:
    for triple in schema.triples:
        used: list[tuple[object, str]] = [(triple.predicate, "property")]
        if triple.predicate in _CLASS_SLOTS:
            used.append((triple.object, "class"))
        elif triple.predicate in _PROPERTY_SLOTS:
            used.append((triple.object, "property"))
        for term, role in used:
            if isinstance(term, NamedNode) and not schema.declares(term, role):
                yield Finding(Severity.WARNING, term.value, f"is used as a {role}, not declared")


def _cyclic(schema: _Schema) -> Iterator[Finding]:
    above: dict[object, set[object]] = defaultdict(set)
    for lower, upper in schema.pairs(RDFS.subClassOf):
        above[lower].add(upper)
    for start in sorted((t for t in above if isinstance(t, NamedNode)), key=str):
        seen: set[object] = set()
        waiting = list(above[start])
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += above.get(one, ())
        if start in seen:
            yield Finding(Severity.WARNING, start.value, "is below itself in the class hierarchy")


def _unlabelled(schema: _Schema) -> Iterator[Finding]:
    labelled = {subject for subject, _ in schema.pairs(RDFS.label, SKOS.prefLabel)}
    annotations = {term for term, types in schema.types.items() if OWL.AnnotationProperty in types}
    for term in (schema.classes | schema.properties) - annotations - labelled:
        if not _is_built_in(term):
            yield Finding(Severity.WARNING, term.value, "has no label")


def _punned(schema: _Schema) -> Iterator[Finding]:
    for term, types in schema.types.items():
        if {OWL.ObjectProperty, OWL.DatatypeProperty} <= types:
            reason = "is both an object and a datatype property, which OWL 2 DL forbids"
            yield Finding(Severity.WARNING, term.value, reason)
        elif term in schema.classes and any(not _is_built_in(kind) for kind in types):
            yield Finding(Severity.NOTE, term.value, "is a class and an individual (punning)")


def _datatypes(schema: _Schema) -> Iterator[Finding]:
    for triple in schema.triples:
        value, about = triple.object, getattr(triple.subject, "value", "")
        if isinstance(value, Literal) and not _is_well_formed(value):
            reason = f"has '{value.value}', which is no {_local(value.datatype)}"
            yield Finding(Severity.WARNING, about, reason)
        elif triple.predicate == RDFS.range and _is_foreign(value):
            reason = f"ranges over {_local(value)}, which OWL 2 reasoners do not know"
            yield Finding(Severity.NOTE, about, reason)


_RULES: tuple[Callable[[_Schema], Iterator[Finding]], ...] = (
    _is_empty,
    _undeclared,
    _cyclic,
    _unlabelled,
    _punned,
    _datatypes,
)


def _is_well_formed(value: Literal) -> bool:
    form = _FORMS.get(value.datatype)
    return form is None or re.fullmatch(form, value.value) is not None


def _is_foreign(datatype: object) -> TypeGuard[NamedNode]:
    """Whether it is a datatype of XML Schema that OWL 2 lacks."""
    if not isinstance(datatype, NamedNode) or not datatype.value.startswith(XSD.namespace):
        return False
    return _local(datatype) not in _OWL_DATATYPES


def _is_built_in(term: object) -> bool:
    return isinstance(term, BlankNode | Literal) or str(term).strip("<>").startswith(_BUILT_IN)


def _local(term: NamedNode) -> str:
    return term.value.removeprefix(XSD.namespace)
