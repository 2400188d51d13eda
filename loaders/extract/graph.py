"""Facts as triples: flat, and as a node that tells their words, place, time and maker."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import date
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Triple

from loaders.extract.document import Document
from loaders.extract.facts import Entity, Fact, Named
from loaders.identity.names import normalise
from ontology.vocabulary import ONTO, OWL, PROV, RDF, RDFS, SKOS, XSD


def triples(document: Document, facts: Iterable[Fact], model: str, base: str) -> Iterator[Triple]:
    """All triples of a document's facts; some come more than once."""
    maker = NamedNode(f"{base}model/{quote(model, safe='')}")
    for fact in facts:
        thing = fact.object.node if isinstance(fact.object, Entity) else fact.object
        node = _node(document, fact, thing, base)
        flat = Triple(fact.subject.node, fact.predicate.node, thing)
        yield flat
        yield Triple(flat.subject, ONTO.hasRelationship, node)
        yield Triple(node, RDF.type, ONTO.Relationship)
        yield Triple(node, ONTO.hasSource, flat.subject)
        yield Triple(node, ONTO.hasPredicate, flat.predicate)
        yield Triple(node, ONTO.hasValue if thing is fact.object else ONTO.hasTarget, thing)
        yield from _evidence(document, fact, node)
        yield Triple(node, PROV.wasAttributedTo, maker)
        yield from _holds(fact, node)
        yield from _predicate(fact, document.language)
        for entity in _entities(fact):
            yield from _described(entity, document.language)
            if entity.name:
                yield Triple(fact.chunk.node, ONTO.mentions, entity.node)


def _node(document: Document, fact: Fact, thing: NamedNode | Literal, base: str) -> NamedNode:
    parts = (document.node, fact.chunk.node, fact.subject.node, fact.predicate.node, thing)
    key = "|".join((*map(str, parts), str(fact.start)))
    return NamedNode(
        f"{base}statement/{hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()}"
    )


def _evidence(document: Document, fact: Fact, node: NamedNode) -> Iterator[Triple]:
    yield Triple(node, ONTO.quote, Literal(fact.quote, language=document.language))
    yield Triple(node, ONTO.startOffset, Literal(fact.start))
    yield Triple(node, ONTO.endOffset, Literal(fact.end))
    page = fact.chunk.page(fact.start)
    if page is not None:
        yield Triple(node, ONTO.page, Literal(page))
    yield Triple(node, ONTO.hasEvidence, fact.chunk.node)
    yield Triple(node, PROV.wasDerivedFrom, document.node)
    yield Triple(node, PROV.generatedAtTime, Literal(fact.asked, datatype=XSD.dateTime))


def _holds(fact: Fact, node: NamedNode) -> Iterator[Triple]:
    for predicate, day in ((ONTO.validFrom, fact.valid.start), (ONTO.validUntil, fact.valid.end)):
        if isinstance(day, date):
            yield Triple(node, predicate, Literal(day.isoformat(), datatype=XSD.date))
    for place in fact.places:
        yield Triple(node, ONTO.appliesIn, place.node)


def _entities(fact: Fact) -> Iterator[Entity]:
    yield fact.subject
    if isinstance(fact.object, Entity):
        yield fact.object
    yield from fact.places


def _predicate(fact: Fact, language: str) -> Iterator[Triple]:
    new = fact.predicate
    if new.label:
        leads = OWL.ObjectProperty if isinstance(fact.object, Entity) else OWL.DatatypeProperty
        yield Triple(new.node, RDF.type, leads)
        yield Triple(new.node, RDFS.label, Literal(new.label, language=language))
        if new.unit:
            yield Triple(new.node, ONTO.unit, Literal(new.unit))


def _described(entity: Entity, language: str) -> Iterator[Triple]:
    """The entity's names, class and place; nothing of one that is described elsewhere."""
    if not entity.name:
        return
    label = Literal(entity.name, language=language) if entity.spoken else Literal(entity.name)
    yield from _typed(entity.node, entity.kind or Named(ONTO.Entity))
    yield Triple(entity.node, RDFS.label, label)
    yield Triple(entity.node, ONTO.hasName, Literal(normalise(entity.full_name)))
    if entity.full_name != entity.name:
        yield Triple(entity.node, SKOS.altLabel, Literal(entity.full_name))
    if entity.within:
        yield Triple(entity.node, SKOS.broader, entity.within)


def _typed(node: NamedNode, kind: Named) -> Iterator[Triple]:
    yield Triple(node, RDF.type, kind.node)
    if kind.label:
        yield Triple(kind.node, RDF.type, OWL.Class)
        yield Triple(kind.node, RDFS.label, Literal(kind.label, language="en"))
