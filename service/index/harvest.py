"""What the index takes from the graphs of the store: names, roles of terms, passages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology.vocabulary import ONTO, OWL, RDF, RDFS, XSD
from queries import library
from queries.store.client import Store
from service.index.labels import Kind
from service.index.normalise import local_name, normalise, variants

Term = NamedNode | BlankNode | Literal | Triple | None
_BATCH = 100
_DEADLINE = 300.0
_PREFERRED = frozenset({"name", "label", "title", "preflabel", "hasname"})
_ALTERNATIVE = frozenset(
    {"name", "label", "alternative", "nick", "acronym", "abbreviation", "notation", "synonym"}
)
_PROV = "http://www.w3.org/ns/prov#"
_STRUCTURE = (
    ONTO.namespace,
    OWL.namespace,
    XSD.namespace,
    RDFS.label.value.removesuffix("label"),
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/ns/shacl#",
    _PROV,
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a term in a graph; a literal's own text has no IRI."""

    graph: str
    iri: str
    text: str
    language: str
    alternative: bool


class PassageRow(NamedTuple):
    """A passage as the records hold it, in the order of their columns."""

    graph: str
    iri: str
    chunk: str
    document: str
    source: str
    title: str
    page: int | None
    position: int
    kind: str
    language: str
    text: str
    context: str
    valid_from: str
    valid_until: str
    applies_in: str


@dataclass(slots=True)
class Harvest:
    """All that some graphs give: `roles` are graph, IRI and what the graph uses it as."""

    names: set[Name] = field(default_factory=set)
    texts: set[Name] = field(default_factory=set)
    roles: set[tuple[str, str, Kind]] = field(default_factory=set)
    passages: list[PassageRow] = field(default_factory=list)


def harvest(store: Store, graphs: Sequence[str]) -> Iterator[Harvest]:
    """Yield what the graphs give, some graphs at a time; StoreError when the store fails."""
    for start in range(0, len(graphs), _BATCH):
        yield _Reaper(store, graphs[start : start + _BATCH]).reap()


@dataclass(slots=True)
class _Terms:
    """What statements are made of: properties that name, that tell, that lead on; classes."""

    naming: set[NamedNode] = field(default_factory=set)
    telling: set[NamedNode] = field(default_factory=set)
    leading: set[NamedNode] = field(default_factory=set)
    classes: set[NamedNode] = field(default_factory=set)


class _Reaper:
    """One harvest; the documents' own nodes and askonto's own terms are left out of it."""

    def __init__(self, store: Store, graphs: Iterable[str]) -> None:
        self._store = store
        self._graphs = [NamedNode(graph) for graph in graphs]
        self._headers = {row[1]: row[2:] for row in self._rows("documents/headers")}
        self._documents = {_text(document) for document in self._headers}
        self._found = Harvest()

    def reap(self) -> Harvest:
        terms = self._terms()
        self._names(terms)
        self._nodes(terms)
        self._texts(terms)
        self._found.passages += self._passages()
        return self._found

    def _rows(self, name: str, **parameters: Collection[Term]) -> Iterator[tuple[Term, ...]]:
        query = library.load(name).bind(graph=self._graphs, **parameters)
        return iter(self._store.select(query, deadline=_DEADLINE))

    def _terms(self) -> _Terms:
        """Note the classes and predicates, and sort the properties by what they are good for."""
        terms = _Terms()
        for graph, predicate, texts, nodes in self._rows("describe/predicates"):
            if not isinstance(predicate, NamedNode) or predicate.value == RDF.type.value:
                continue
            if not predicate.value.startswith(_STRUCTURE):
                self._found.roles.add((_text(graph), predicate.value, Kind.PREDICATE))
            if _true(texts):
                names = _names_things(predicate.value)
                (terms.naming if names else terms.telling).add(predicate)
            if _true(nodes):
                terms.leading.add(predicate)
        for graph, term, role in self._rows("describe/terms"):
            if isinstance(term, NamedNode) and not term.value.startswith(_STRUCTURE):
                self._found.roles.add((_text(graph), term.value, Kind(_text(role))))
                terms.classes.add(term)
        return terms

    def _names(self, terms: _Terms) -> None:
        for graph, node, predicate, name in self._rows("describe/names", property=terms.naming):
            if not _citable(node) or not isinstance(name, Literal) or not normalise(name.value):
                continue
            text, language = name.value.strip(), name.language or ""
            alternative = not _prefers(_text(predicate))
            add = self._found.names.add
            add(Name(_text(graph), _text(node), text, language, alternative))
            for variant in variants(text):
                add(Name(_text(graph), _text(node), variant, language, True))

    def _nodes(self, terms: _Terms) -> None:
        """Give the role of entity to what has no name here, or is a class and an instance too."""
        named = {(name.graph, name.iri) for name in self._found.names}
        schema = {(graph, iri) for graph, iri, _ in self._found.roles}
        own = _own(terms.naming | terms.telling | terms.leading)
        spoken = {*self._rows("describe/subjects", property=own)}
        spoken |= {*self._rows("describe/objects", property=_own(terms.leading))}
        instances = {*self._rows("describe/instances", **{"class": terms.classes})}
        nodes = {_key(row) for row in spoken | instances if _citable(row[1])} - named - schema
        punned = {_key(row) for row in instances} & schema
        self._found.roles |= {
            (graph, iri, Kind.ENTITY) for graph, iri in nodes | punned if iri not in self._documents
        }

    def _texts(self, terms: _Terms) -> None:
        for graph, text in self._rows("describe/texts", property=_own(terms.telling)):
            if normalise(_text(text)):
                name = Name(_text(graph), "", _text(text).strip(), _language(text), False)
                self._found.texts.add(name)

    def _passages(self) -> Iterator[PassageRow]:
        for row in self._rows("documents/passages"):
            graph, passage, chunk, document, text, context, kind, position, page = row
            title, url, address, language, start, end, place = self._headers.get(
                document, (None,) * 7
            )
            yield PassageRow(
                graph=_text(graph),
                iri=_text(passage),
                chunk=_text(chunk),
                document=_text(document),
                source=_text(url) or _text(address),
                title=_text(title),
                page=int(_text(page)) if page else None,
                position=int(_text(position)),
                kind=_text(kind),
                language=_language(text) or _text(language),
                text=_text(text),
                context=_text(context),
                valid_from=_text(start),
                valid_until=_text(end),
                applies_in=_text(place),
            )


def _prefers(predicate: str) -> bool:
    return re.split(r"[/#.]", predicate)[-1].casefold() in _PREFERRED


def _names_things(predicate: str) -> bool:
    """Tell by its last word: foaf:name, skos:altLabel and another graph's `shortName` alike."""
    last = normalise(local_name(predicate)).rpartition(" ")[2]
    return _prefers(predicate) or last in _ALTERNATIVE


def _own(properties: Collection[NamedNode]) -> list[NamedNode]:
    """Return the properties that tell of things, not of statements, in a stable order."""
    kept = (one for one in properties if not one.value.startswith((ONTO.namespace, _PROV)))
    return sorted(kept, key=lambda one: one.value)


def _citable(node: Term) -> bool:
    return isinstance(node, NamedNode) and not node.value.startswith(_STRUCTURE)


def _key(row: tuple[Term, ...]) -> tuple[str, str]:
    return _text(row[0]), _text(row[1])


def _true(term: Term) -> bool:
    return _text(term) in {"true", "1"}


def _text(term: Term) -> str:
    return "" if term is None else getattr(term, "value", str(term))


def _language(term: Term) -> str:
    return (term.language or "") if isinstance(term, Literal) else ""
