"""What the index takes from the graphs of the store: names, roles of terms, passages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology.vocabulary import ONTO, OWL, RDFS, XSD
from queries import library
from queries.store.client import Store
from service.index.labels import Kind
from service.index.normalise import local_name, normalise, variants

Term = NamedNode | BlankNode | Literal | Triple | None
_BATCH = 100
_PREFERRED = frozenset({"name", "label", "title", "preflabel", "hasname"})
_ALTERNATIVE = frozenset(
    {"name", "label", "alternative", "nick", "acronym", "abbreviation", "notation", "synonym"}
)
_STRUCTURE = (
    ONTO.namespace,
    OWL.namespace,
    XSD.namespace,
    RDFS.label.value.removesuffix("label"),
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/ns/shacl#",
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a term in a graph; a literal's own text has no IRI."""

    graph: str
    iri: str
    text: str
    language: str
    alternative: bool


@dataclass(frozen=True, slots=True)
class PassageRow:
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

    def wording(self) -> str:
        """Return what is embedded: the words with what stands above them."""
        return wording(self.context, self.text)


def wording(context: str, text: str) -> str:
    """Return the text that stands for a passage in the vectors."""
    return f"{context}: {text}" if context else text


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


class _Reaper:
    def __init__(self, store: Store, graphs: Iterable[str]) -> None:
        self._store = store
        self._graphs = [NamedNode(graph) for graph in graphs]

    def reap(self) -> Harvest:
        found = Harvest()
        naming, telling = self._terms(found)
        self._names(found, naming)
        self._nodes(found)
        self._texts(found, telling)
        found.passages += self._passages()
        return found

    def _rows(self, name: str, **parameters: Collection[Term]) -> Iterator[tuple[Term, ...]]:
        query = library.load(name).bind(graph=self._graphs, **parameters)
        return iter(self._store.select(query))

    def _terms(self, found: Harvest) -> tuple[list[NamedNode], list[NamedNode]]:
        """Fill in classes and predicates; return the naming and the other text properties."""
        naming, telling = set[NamedNode](), set[NamedNode]()
        for graph, predicate, texts in self._rows("describe/predicates"):
            if not isinstance(predicate, NamedNode):
                continue
            if not predicate.value.startswith(_STRUCTURE):
                found.roles.add((_text(graph), predicate.value, Kind.PREDICATE))
            if _text(texts) in {"true", "1"}:
                (naming if _names_things(predicate.value) else telling).add(predicate)
        for graph, term, role in self._rows("describe/terms"):
            if not _text(term).startswith(_STRUCTURE):
                found.roles.add((_text(graph), _text(term), Kind(_text(role))))
        told = [one for one in telling if not one.value.startswith(ONTO.namespace)]
        return list(naming), told

    def _names(self, found: Harvest, naming: Collection[NamedNode]) -> None:
        for graph, node, predicate, name in self._rows("describe/names", property=naming):
            if _text(node).startswith(_STRUCTURE) or not normalise(_text(name)):
                continue
            text, language = _text(name).strip(), _language(name)
            alternative = not _prefers(_text(predicate))
            found.names.add(Name(_text(graph), _text(node), text, language, alternative))
            for variant in variants(text):
                found.names.add(Name(_text(graph), _text(node), variant, language, True))

    def _nodes(self, found: Harvest) -> None:
        """Give the role of entity to what has no name here, or is a class and an instance too."""
        named = {(name.graph, name.iri) for name in found.names}
        schema = {(graph, iri) for graph, iri, _ in found.roles}
        for graph, node in self._rows("describe/nodes"):
            key = (_text(graph), _text(node))
            if key not in named and key not in schema and not key[1].startswith(_STRUCTURE):
                found.roles.add((*key, Kind.ENTITY))
        for graph, node in self._rows("describe/instances"):
            if (_text(graph), _text(node)) in schema:
                found.roles.add((_text(graph), _text(node), Kind.ENTITY))

    def _texts(self, found: Harvest, telling: Collection[NamedNode]) -> None:
        for graph, text in self._rows("describe/texts", property=telling):
            if normalise(_text(text)):
                name = Name(_text(graph), "", _text(text).strip(), _language(text), False)
                found.texts.add(name)

    def _passages(self) -> Iterator[PassageRow]:
        headers = {row[1]: row[2:] for row in self._rows("documents/headers")}
        for row in self._rows("documents/passages"):
            graph, passage, chunk, document, text, context, kind, position, page = row
            title, url, address, language, start, end, place = headers.get(document, (None,) * 7)
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


def _text(term: Term) -> str:
    return "" if term is None else getattr(term, "value", str(term))


def _language(term: Term) -> str:
    return (term.language or "") if isinstance(term, Literal) else ""
