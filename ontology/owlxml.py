"""OWL/XML to triples, after the W3C's "OWL 2 Mapping to RDF Graphs"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lxml import etree
from lxml.etree import _Element as Element
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontology.vocabulary import OWL, RDF, RDFS, XSD

Node = NamedNode | BlankNode
Term = NamedNode | BlankNode | Literal


def _owl(name: str) -> NamedNode:
    return NamedNode(OWL.namespace + name)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SPACE = "{" + OWL.namespace + "}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_COUNT = NamedNode(XSD.namespace + "nonNegativeInteger")
_PREFIXES = {
    "owl": OWL.namespace,
    "rdf": RDF.namespace,
    "rdfs": RDFS.namespace,
    "xsd": XSD.namespace,
    "xml": "http://www.w3.org/XML/1998/namespace",
}
_TYPES = {
    "Class": OWL.Class,
    "Datatype": RDFS.Datatype,
    "ObjectProperty": OWL.ObjectProperty,
    "DataProperty": OWL.DatatypeProperty,
    "AnnotationProperty": OWL.AnnotationProperty,
    "NamedIndividual": _owl("NamedIndividual"),
}
_LISTS = {
    "ObjectIntersectionOf": (OWL.Class, "intersectionOf"),
    "ObjectUnionOf": (OWL.Class, "unionOf"),
    "ObjectOneOf": (OWL.Class, "oneOf"),
    "DataIntersectionOf": (RDFS.Datatype, "intersectionOf"),
    "DataUnionOf": (RDFS.Datatype, "unionOf"),
    "DataOneOf": (RDFS.Datatype, "oneOf"),
}
_COMPLEMENTS = {
    "ObjectComplementOf": (OWL.Class, "complementOf"),
    "DataComplementOf": (RDFS.Datatype, "datatypeComplementOf"),
}
_FILLERS = {
    "SomeValuesFrom": "someValuesFrom",
    "AllValuesFrom": "allValuesFrom",
    "HasValue": "hasValue",
}
_CARDINALITIES = {
    "MinCardinality": ("minCardinality", "minQualifiedCardinality"),
    "MaxCardinality": ("maxCardinality", "maxQualifiedCardinality"),
    "ExactCardinality": ("cardinality", "qualifiedCardinality"),
}
_PAIRS = {
    "SubClassOf": RDFS.subClassOf,
    "SubObjectPropertyOf": RDFS.subPropertyOf,
    "SubDataPropertyOf": RDFS.subPropertyOf,
    "SubAnnotationPropertyOf": RDFS.subPropertyOf,
    "ObjectPropertyDomain": RDFS.domain,
    "DataPropertyDomain": RDFS.domain,
    "AnnotationPropertyDomain": RDFS.domain,
    "ObjectPropertyRange": RDFS.range,
    "DataPropertyRange": RDFS.range,
    "AnnotationPropertyRange": RDFS.range,
    "InverseObjectProperties": _owl("inverseOf"),
    "DatatypeDefinition": _owl("equivalentClass"),
}
_CHAINS = {
    "EquivalentClasses": _owl("equivalentClass"),
    "EquivalentObjectProperties": _owl("equivalentProperty"),
    "EquivalentDataProperties": _owl("equivalentProperty"),
    "SameIndividual": OWL.sameAs,
}
_DISJOINT = {
    "DisjointClasses": ("disjointWith", "AllDisjointClasses"),
    "DisjointObjectProperties": ("propertyDisjointWith", "AllDisjointProperties"),
    "DisjointDataProperties": ("propertyDisjointWith", "AllDisjointProperties"),
    "DifferentIndividuals": ("differentFrom", "AllDifferent"),
}
_CHARACTERISTICS = {
    "FunctionalObjectProperty": "FunctionalProperty",
    "FunctionalDataProperty": "FunctionalProperty",
    "InverseFunctionalObjectProperty": "InverseFunctionalProperty",
    "ReflexiveObjectProperty": "ReflexiveProperty",
    "IrreflexiveObjectProperty": "IrreflexiveProperty",
    "SymmetricObjectProperty": "SymmetricProperty",
    "AsymmetricObjectProperty": "AsymmetricProperty",
    "TransitiveObjectProperty": "TransitiveProperty",
}
_ASSERTIONS = ("ObjectPropertyAssertion", "DataPropertyAssertion", "AnnotationAssertion")
_NEGATIVE = {
    "NegativeObjectPropertyAssertion": "targetIndividual",
    "NegativeDataPropertyAssertion": "targetValue",
}


class UnmappedError(ValueError):
    """An element that OWL/XML does not have in that place; `line` is its line, from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def triples(data: bytes, base: str) -> tuple[list[Triple], list[str]]:
    """The triples of an OWL/XML document, and what of it has no triples (SWRL rules).

    Raises UnmappedError, and lxml's XMLSyntaxError for what is no XML. Entities are expanded:
    refuse hostile ones first (`ontology.entities`).
    """
    parser = etree.XMLParser(resolve_entities="internal", no_network=True, remove_comments=True)
    root = etree.fromstring(data, parser)
    return _Document(root, root.get(_XML + "base") or base).read()


class _Document:
    def __init__(self, root: Element, base: str) -> None:
        self._root = root
        self._base = base
        self._triples: list[Triple] = []
        self._left_out: list[str] = []
        self._blank: dict[str, BlankNode] = {}
        prefixes = (child for child in root if child.tag == _SPACE + "Prefix")
        self._prefixes = _PREFIXES | {one.get("name", ""): one.get("IRI", "") for one in prefixes}

    def read(self) -> tuple[list[Triple], list[str]]:
        """Every axiom of the document."""
        ontology = self._header()
        for element in self._root:
            match _name(element):
                case "Prefix":
                    continue
                case "Annotation":
                    self._annotate(ontology, [element])
                case "Import":
                    self._add(ontology, OWL.imports, self._iri(element.text or "", element))
                case "DLSafeRule":
                    self._left_out.append(f"line {element.sourceline}: a SWRL rule is left out")
                case _:
                    self._axiom(element)
        return self._triples, self._left_out

    def _header(self) -> Node:
        iri = self._root.get("ontologyIRI")
        node = self._iri(iri, self._root) if iri else BlankNode()
        self._add(node, RDF.type, OWL.Ontology)
        if version := self._root.get("versionIRI"):
            self._add(node, _owl("versionIRI"), self._iri(version, self._root))
        return node

    def _add(self, subject: Node, predicate: NamedNode, object_: Term) -> Triple:
        triple = Triple(subject, predicate, object_)
        self._triples.append(triple)
        return triple

    # ------------------------------------------------------------ axioms

    def _axiom(self, element: Element) -> None:
        parts = [child for child in element if _name(child) != "Annotation"]
        notes = [child for child in element if _name(child) == "Annotation"]
        name = _name(element)
        if name in _DISJOINT and len(parts) > 2:
            self._annotate(self._all(_DISJOINT[name][1], parts), notes)
        elif name in _NEGATIVE:
            self._annotate(self._negative(parts, _NEGATIVE[name]), notes)
        else:
            for triple in self._stated(name, parts, element):
                self._annotate_triple(triple, notes)

    def _stated(self, name: str, parts: Sequence[Element], element: Element) -> list[Triple]:
        """The triples that say the axiom itself, those of its expressions aside."""
        try:
            return list(self._rules(name, parts))
        except (IndexError, KeyError):
            reason = f"<{name}> is not an axiom that OWL/XML knows, or lacks a part"
            raise UnmappedError(reason, element.sourceline or 0) from None

    def _rules(self, name: str, parts: Sequence[Element]) -> Iterator[Triple]:
        term = self._term
        if name == "Declaration":
            yield self._add(self._node(parts[0]), RDF.type, _TYPES[_name(parts[0])])
        elif _name(parts[0]) == "ObjectPropertyChain":
            chain = self._list(map(term, parts[0]))
            yield self._add(self._node(parts[1]), _owl("propertyChainAxiom"), chain)
        elif name in _PAIRS:
            yield self._add(self._node(parts[0]), _PAIRS[name], term(parts[1]))
        elif name in _CHAINS:
            nodes = [self._node(part) for part in parts]
            for one, other in pairwise(nodes):
                yield self._add(one, _CHAINS[name], other)
        elif name in _DISJOINT:
            yield self._add(self._node(parts[0]), _owl(_DISJOINT[name][0]), term(parts[1]))
        elif name in _CHARACTERISTICS:
            yield self._add(self._node(parts[0]), RDF.type, _owl(_CHARACTERISTICS[name]))
        elif name == "ClassAssertion":
            yield self._add(self._node(parts[1]), RDF.type, term(parts[0]))
        elif name in _ASSERTIONS:
            yield self._assertion(parts)
        elif name == "DisjointUnion":
            members = self._list(map(term, parts[1:]))
            yield self._add(self._node(parts[0]), _owl("disjointUnionOf"), members)
        elif name == "HasKey":
            keys = self._list(map(term, parts[1:]))
            yield self._add(self._node(parts[0]), _owl("hasKey"), keys)
        else:
            raise KeyError(name)

    def _assertion(self, parts: Sequence[Element]) -> Triple:
        subject, object_ = self._node(parts[1]), self._term(parts[2])
        if _name(parts[0]) == "ObjectInverseOf" and not isinstance(object_, Literal):
            return self._add(object_, self._property(parts[0][0]), subject)
        return self._add(subject, self._property(parts[0]), object_)

    def _negative(self, parts: Sequence[Element], target: str) -> Node:
        node = BlankNode()
        self._add(node, RDF.type, _owl("NegativePropertyAssertion"))
        self._add(node, _owl("sourceIndividual"), self._term(parts[1]))
        self._add(node, _owl("assertionProperty"), self._term(parts[0]))
        self._add(node, _owl(target), self._term(parts[2]))
        return node

    def _all(self, kind: str, parts: Iterable[Element]) -> Node:
        node = BlankNode()
        self._add(node, RDF.type, _owl(kind))
        self._add(node, _owl("members"), self._list(map(self._term, parts)))
        return node

    # ------------------------------------------------------------ annotations

    def _annotate(self, subject: Node, notes: Iterable[Element]) -> None:
        for note in notes:
            inner = [child for child in note if _name(child) == "Annotation"]
            parts = [child for child in note if _name(child) != "Annotation"]
            if len(parts) != 2:
                raise UnmappedError("an <Annotation> lacks a part", note.sourceline or 0)
            predicate, value = self._property(parts[0]), self._term(parts[1])
            self._annotate_triple(self._add(subject, predicate, value), inner)

    def _annotate_triple(self, triple: Triple, notes: Sequence[Element]) -> None:
        if not notes:
            return
        axiom = BlankNode()
        self._add(axiom, RDF.type, _owl("Axiom"))
        self._add(axiom, _owl("annotatedSource"), triple.subject)  # type: ignore[arg-type]
        self._add(axiom, _owl("annotatedProperty"), triple.predicate)
        self._add(axiom, _owl("annotatedTarget"), triple.object)  # type: ignore[arg-type]
        self._annotate(axiom, notes)

    # ------------------------------------------------------------ expressions

    def _node(self, element: Element) -> Node:
        term = self._term(element)
        if isinstance(term, Literal):
            raise UnmappedError(
                "a literal stands where a thing must stand", element.sourceline or 0
            )
        return term

    def _property(self, element: Element) -> NamedNode:
        term = self._term(element)
        if not isinstance(term, NamedNode):
            raise UnmappedError("a property must have an IRI here", element.sourceline or 0)
        return term

    def _term(self, element: Element) -> Term:
        name = _name(element)
        if name in _TYPES:
            return self._entity(element)
        if name in ("IRI", "AbbreviatedIRI"):
            return self._iri(element.text or "", element, short=name == "AbbreviatedIRI")
        if name == "AnonymousIndividual":
            return self._blank.setdefault(element.get("nodeID", ""), BlankNode())
        if name == "Literal":
            return self._literal(element)
        try:
            return self._expression(name, element)
        except (IndexError, KeyError):
            reason = f"<{name}> is not an expression that OWL/XML knows, or lacks a part"
            raise UnmappedError(reason, element.sourceline or 0) from None

    def _expression(self, name: str, element: Element) -> Node:
        parts = list(element)
        if name in _LISTS:
            kind, predicate = _LISTS[name]
            return self._described(kind, predicate, self._list(map(self._term, parts)))
        if name in _COMPLEMENTS:
            return self._described(*_COMPLEMENTS[name], self._term(parts[0]))
        if name == "ObjectInverseOf":
            return self._described(None, "inverseOf", self._term(parts[0]))
        if name == "DatatypeRestriction":
            return self._datatype(parts)
        return self._restriction(name.removeprefix("Object").removeprefix("Data"), element, parts)

    def _described(self, kind: NamedNode | None, predicate: str, value: Term) -> Node:
        node = BlankNode()
        if kind is not None:
            self._add(node, RDF.type, kind)
        self._add(node, _owl(predicate), value)
        return node

    def _datatype(self, parts: Sequence[Element]) -> Node:
        facets: list[Term] = []
        for part in parts[1:]:
            facet = BlankNode()
            self._add(facet, self._iri(part.attrib["facet"], part), self._term(part[0]))
            facets.append(facet)
        node = self._described(RDFS.Datatype, "onDatatype", self._term(parts[0]))
        self._add(node, _owl("withRestrictions"), self._list(facets))
        return node

    def _restriction(self, name: str, element: Element, parts: Sequence[Element]) -> Node:
        node = self._described(_owl("Restriction"), "onProperty", self._term(parts[0]))
        if name in _FILLERS:
            self._add(node, _owl(_FILLERS[name]), self._term(parts[1]))
        elif name == "HasSelf":
            self._add(node, _owl("hasSelf"), Literal("true", datatype=XSD.boolean))
        else:
            number = Literal(element.attrib["cardinality"], datatype=_COUNT)
            self._add(node, _owl(_CARDINALITIES[name][len(parts) - 1]), number)
            if len(parts) > 1:
                of = "onDataRange" if _name(element).startswith("Data") else "onClass"
                self._add(node, _owl(of), self._term(parts[1]))
        return node

    def _list(self, terms: Iterable[Term]) -> Node:
        head: Node = RDF.nil
        for term in reversed(list(terms)):
            cell = BlankNode()
            self._add(cell, RDF.first, term)
            self._add(cell, RDF.rest, head)
            head = cell
        return head

    # ------------------------------------------------------------ terms

    def _entity(self, element: Element) -> NamedNode:
        if (iri := element.get("IRI")) is not None:
            return self._iri(iri, element)
        return self._iri(element.get("abbreviatedIRI", ""), element, short=True)

    def _iri(self, text: str, element: Element, *, short: bool = False) -> NamedNode:
        text = text.strip()
        prefix, colon, local = text.partition(":")
        if short and (not colon or prefix not in self._prefixes):
            raise UnmappedError(f"the prefix of '{text}' is not declared", element.sourceline or 0)
        iri = self._prefixes[prefix] + local if short else _absolute(text, self._base)
        try:
            return NamedNode(iri)
        except ValueError as error:
            raise UnmappedError(f"<{iri}> is no IRI ({error})", element.sourceline or 0) from None

    def _literal(self, element: Element) -> Literal:
        text = element.text or ""
        language, datatype = element.get(_XML + "lang"), element.get("datatypeIRI")
        short = element.get("abbreviatedDatatypeIRI")
        try:
            if language:
                return Literal(text, language=language)
        except ValueError:
            reason = f"'{language}' is no language tag"
            raise UnmappedError(reason, element.sourceline or 0) from None
        if datatype or short:
            kind = self._iri(datatype or short or "", element, short=not datatype)
            return Literal(text) if kind == RDF.PlainLiteral else Literal(text, datatype=kind)
        return Literal(text)


def _name(element: Element) -> str:
    return str(element.tag).removeprefix(_SPACE)


def _absolute(iri: str, base: str) -> str:
    """A relative IRI is what the OWL API cut the base from, so the two are joined as they are."""
    if _SCHEME.match(iri):
        return iri
    return base.removesuffix("#") + iri if iri.startswith("#") else base + iri
