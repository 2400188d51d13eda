"""The live ontology in the graph: read whole, checked, and replaced in one step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyoxigraph as ox
from pyoxigraph import NamedNode, Triple

from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.publish import publish
from ontology.check import Finding, Severity, check, declared
from ontology.imports import SHIPPED, Closure, closure
from ontology.read import Ontology, OntologyError, read
from ontology.vocabulary import ONTO
from ontology.world import opened
from queries import library
from queries.store.client import Store

_SUFFIXES = {".ttl", ".owl", ".rdf", ".owx"}
_EMPTY = "declares no class and no property"
_MEND = "The live ontology stays as it is: mend the file and reload it"


@dataclass(frozen=True, slots=True)
class Gone:
    """A class that is no longer in the ontology, and how many instances still have it as type."""

    iri: str
    instances: int

    def __str__(self) -> str:
        return f"type no longer in ontology: <{self.iri}> ({self.instances} instances)"


@dataclass(frozen=True, slots=True)
class Report:
    """What a reload published: names of the files read, counts, and what is worth telling."""

    files: tuple[str, ...]
    classes: int
    properties: int
    triples: int
    warnings: tuple[str, ...]
    findings: tuple[Finding, ...]
    gone: tuple[Gone, ...]


def reload(store: Store, path: Path | None, base_iri: str) -> Report:
    """Publish ONTO with an ontology file, or a folder's ontologies, or the shipped ones.

    Raises OntologyError for one that is broken or empty; the live ontology is then as it was.
    """
    iris = Iris(base_iri)
    path = path or SHIPPED
    one = _gathered(path)
    triples = list(one.triples)
    findings = _checked(triples, path.name)
    gone = _gone(store, iris, triples)
    _publish(store, iris, triples, path)
    classes, properties = declared(triples)
    return Report(
        files=tuple(ontology.path.name for ontology in one.ontologies),
        classes=len(classes),
        properties=len(properties),
        triples=len(triples),
        warnings=one.warnings,
        findings=findings,
        gone=gone,
    )


def ensure(store: Store, path: Path | None, base_iri: str) -> Report | None:
    """Publish the ontology where none is live yet; None where there is one."""
    iris = Iris(base_iri)
    live = iris.ontology.value in Ledger.from_store(store, iris).sources
    return None if live else reload(store, path, base_iri)


def _gathered(path: Path) -> Closure:
    """The ontologies asked for with their imports, and ONTO."""
    asked = list(_schemas(path)) if path.is_dir() else [read(path)]
    closures = [closure(one) for one in asked]
    if not any(NamedNode(ONTO.iri) in one.names for one in closures):
        closures.append(closure(read(SHIPPED / "onto.ttl")))
    found: dict[object, Ontology] = {}
    for ontology in (ontology for one in closures for ontology in one.ontologies):
        found.setdefault(ontology.names or ontology.path, ontology)
    own = [one for one in found.values() if one in asked or NamedNode(ONTO.iri) not in one.names]
    if not any(any(declared(one.triples)) for one in own):
        raise OntologyError(_EMPTY, name=path.name, mend=_MEND)
    warnings = dict.fromkeys(warning for one in closures for warning in one.warnings)
    return Closure(tuple(found.values()), tuple(warnings))


def _schemas(folder: Path) -> Iterator[Ontology]:
    """A folder's ontologies that declare terms; data, shapes and lists of places do not."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _SUFFIXES and path.is_file():
            ontology = read(path)
            if ontology.names and any(declared(ontology.triples)):
                yield ontology


def _checked(triples: list[Triple], name: str) -> tuple[Finding, ...]:
    findings = check(triples)
    for finding in findings:
        if finding.severity is Severity.ERROR:
            raise OntologyError(str(finding), name=name, mend=_MEND)
    with opened(triples, name):
        return tuple(findings)


def _gone(store: Store, iris: Iris, triples: list[Triple]) -> tuple[Gone, ...]:
    """The live classes that the new ontology lacks and that instances still have as type."""
    query = library.load("ontology/classes").bind(ontology=[iris.ontology])
    live = {row[0] for row in store.select(query).rows if isinstance(row[0], NamedNode)}
    lost = sorted(live - declared(triples)[0], key=str)
    if not lost:
        return ()
    query = library.load("ontology/instances").bind(ontology=[iris.ontology], **{"class": lost})
    counted = ((str(row[0]).strip("<>"), row[1]) for row in store.select(query).rows)
    return tuple(Gone(iri, int(getattr(number, "value", 0))) for iri, number in counted)


def _publish(store: Store, iris: Iris, triples: list[Triple], path: Path) -> None:
    data = ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES) or b""
    address = iris.ontology.value
    entry = Source(
        address=address,
        graphs=(iris.ontology,),
        title=path.name,
        kind="application/n-triples",
        hash=hashlib.sha256(data).hexdigest(),
        triples=len(triples),
        loaded=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    old = Ledger.from_store(store, iris).sources.get(address)
    publish(store, iris, entry, {iris.ontology: data}, old)
