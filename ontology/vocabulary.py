"""The IRIs that askonto uses, each written once; `onto.ttl` documents ours."""

from __future__ import annotations

from pyoxigraph import NamedNode

_ONTO = "https://w3id.org/askonto/onto#"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_DCTERMS = "http://purl.org/dc/terms/"
_PROV = "http://www.w3.org/ns/prov#"


class ONTO:
    """The ONTO ontology: what askonto itself says about sources, texts and statements."""

    iri = "https://w3id.org/askonto/onto"
    namespace = _ONTO
    # classes
    Entity = NamedNode(_ONTO + "Entity")
    Relationship = NamedNode(_ONTO + "Relationship")
    Property = NamedNode(_ONTO + "Property")
    Document = NamedNode(_ONTO + "Document")
    Chunk = NamedNode(_ONTO + "Chunk")
    Passage = NamedNode(_ONTO + "Passage")
    Source = NamedNode(_ONTO + "Source")
    Place = NamedNode(_ONTO + "Place")
    # a reified statement: entity -hasRelationship-> relationship -hasSource/hasTarget-> entity
    hasRelationship = NamedNode(_ONTO + "hasRelationship")
    hasSource = NamedNode(_ONTO + "hasSource")
    hasPredicate = NamedNode(_ONTO + "hasPredicate")
    hasTarget = NamedNode(_ONTO + "hasTarget")
    hasName = NamedNode(_ONTO + "hasName")
    hasValue = NamedNode(_ONTO + "hasValue")
    hasValueEmbedding = NamedNode(_ONTO + "hasValueEmbedding")
    hasEvidence = NamedNode(_ONTO + "hasEvidence")
    quote = NamedNode(_ONTO + "quote")
    confidence = NamedNode(_ONTO + "confidence")
    validFrom = NamedNode(_ONTO + "validFrom")
    validUntil = NamedNode(_ONTO + "validUntil")
    appliesIn = NamedNode(_ONTO + "appliesIn")
    # the unit of a property's numbers
    unit = NamedNode(_ONTO + "unit")
    # texts: document -hasChunk-> chunk -hasPassage-> passage
    hasChunk = NamedNode(_ONTO + "hasChunk")
    hasPassage = NamedNode(_ONTO + "hasPassage")
    hasContent = NamedNode(_ONTO + "hasContent")
    hasContext = NamedNode(_ONTO + "hasContext")
    passageKind = NamedNode(_ONTO + "passageKind")
    position = NamedNode(_ONTO + "position")
    page = NamedNode(_ONTO + "page")
    startOffset = NamedNode(_ONTO + "startOffset")
    endOffset = NamedNode(_ONTO + "endOffset")
    mentions = NamedNode(_ONTO + "mentions")
    # the ledger of sources
    address = NamedNode(_ONTO + "address")
    contentHash = NamedNode(_ONTO + "contentHash")
    inGraph = NamedNode(_ONTO + "inGraph")
    generation = NamedNode(_ONTO + "generation")
    tripleCount = NamedNode(_ONTO + "tripleCount")
    pending = NamedNode(_ONTO + "pending")


class RDF:
    """The RDF 1.1 vocabulary."""

    namespace = _RDF
    type = NamedNode(_RDF + "type")
    langString = NamedNode(_RDF + "langString")
    PlainLiteral = NamedNode(_RDF + "PlainLiteral")
    Property = NamedNode(_RDF + "Property")
    first = NamedNode(_RDF + "first")
    rest = NamedNode(_RDF + "rest")
    nil = NamedNode(_RDF + "nil")


class RDFS:
    """RDF Schema."""

    namespace = _RDFS
    Class = NamedNode(_RDFS + "Class")
    label = NamedNode(_RDFS + "label")
    comment = NamedNode(_RDFS + "comment")
    subClassOf = NamedNode(_RDFS + "subClassOf")
    subPropertyOf = NamedNode(_RDFS + "subPropertyOf")
    Datatype = NamedNode(_RDFS + "Datatype")
    Literal = NamedNode(_RDFS + "Literal")
    domain = NamedNode(_RDFS + "domain")
    range = NamedNode(_RDFS + "range")


class OWL:
    """OWL 2."""

    namespace = _OWL
    Ontology = NamedNode(_OWL + "Ontology")
    Class = NamedNode(_OWL + "Class")
    ObjectProperty = NamedNode(_OWL + "ObjectProperty")
    DatatypeProperty = NamedNode(_OWL + "DatatypeProperty")
    AnnotationProperty = NamedNode(_OWL + "AnnotationProperty")
    imports = NamedNode(_OWL + "imports")
    sameAs = NamedNode(_OWL + "sameAs")
    unionOf = NamedNode(_OWL + "unionOf")
    AllDisjointClasses = NamedNode(_OWL + "AllDisjointClasses")
    members = NamedNode(_OWL + "members")
    disjointWith = NamedNode(_OWL + "disjointWith")


class XSD:
    """XML Schema datatypes."""

    namespace = _XSD
    string = NamedNode(_XSD + "string")
    integer = NamedNode(_XSD + "integer")
    decimal = NamedNode(_XSD + "decimal")
    double = NamedNode(_XSD + "double")
    boolean = NamedNode(_XSD + "boolean")
    date = NamedNode(_XSD + "date")
    dateTime = NamedNode(_XSD + "dateTime")
    gYear = NamedNode(_XSD + "gYear")


class SKOS:
    """SKOS labels and notes."""

    prefLabel = NamedNode(_SKOS + "prefLabel")
    altLabel = NamedNode(_SKOS + "altLabel")
    hiddenLabel = NamedNode(_SKOS + "hiddenLabel")
    notation = NamedNode(_SKOS + "notation")
    broader = NamedNode(_SKOS + "broader")
    definition = NamedNode(_SKOS + "definition")


class DCTERMS:
    """Dublin Core terms for documents."""

    title = NamedNode(_DCTERMS + "title")
    source = NamedNode(_DCTERMS + "source")
    language = NamedNode(_DCTERMS + "language")
    issued = NamedNode(_DCTERMS + "issued")
    publisher = NamedNode(_DCTERMS + "publisher")
    replaces = NamedNode(_DCTERMS + "replaces")
    format = NamedNode(_DCTERMS + "format")


class PROV:
    """PROV-O."""

    wasDerivedFrom = NamedNode(_PROV + "wasDerivedFrom")
    generatedAtTime = NamedNode(_PROV + "generatedAtTime")
    wasAttributedTo = NamedNode(_PROV + "wasAttributedTo")
