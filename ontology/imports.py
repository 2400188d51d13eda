"""What an ontology imports, found beside it and never fetched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree
from pyoxigraph import NamedNode, Triple

from ontology import entities
from ontology.read import Ontology, OntologyError, read

SHIPPED = Path(__file__).parent
_CATALOG = "catalog-v001.xml"
_SUFFIXES = {".ttl", ".owl", ".rdf", ".owx", ".xml", ".nt", ".gz"}
_LARGEST = 50_000_000


@dataclass(frozen=True, slots=True)
class Closure:
    """An ontology with all that it imports, itself first; `warnings` tell what was not found."""

    ontologies: tuple[Ontology, ...]
    warnings: tuple[str, ...]

    @property
    def triples(self) -> tuple[Triple, ...]:
        """The triples of all of them, each once."""
        return tuple(dict.fromkeys(t for one in self.ontologies for t in one.triples))

    @property
    def names(self) -> frozenset[NamedNode]:
        """The IRIs of all of them."""
        return frozenset().union(*(one.names for one in self.ontologies))


def closure(ontology: Ontology) -> Closure:
    """The ontology and its imports: those in its folder, by catalog or by IRI, or shipped here."""
    found, warnings = [ontology], list(ontology.left_out)
    seen = set(ontology.names)
    waiting = list(ontology.imports)
    while waiting:
        wanted = waiting.pop(0)
        if wanted in seen:
            continue
        seen.add(wanted)
        one, faults = _find(wanted, ontology.path.resolve().parent)
        warnings += faults
        if one is None:
            warnings.append(f"import {wanted} is not beside the file, and is left out")
        elif not one.names & seen - {wanted}:
            seen |= one.names
            warnings += one.left_out
            found.append(one)
            waiting += one.imports
    return Closure(tuple(found), tuple(warnings))


def _find(wanted: NamedNode, folder: Path) -> tuple[Ontology | None, list[str]]:
    faults = []
    for path in dict.fromkeys(_candidates(wanted, folder)):
        try:
            one = read(path)
        except OntologyError as error:
            faults.append(f"{error} (imported)")
            continue
        if wanted in one.names or path in _catalogued(wanted, folder):
            return one, faults
    return None, faults


def _candidates(wanted: NamedNode, folder: Path) -> Iterator[Path]:
    """Files that may be the ontology: the catalog's first, then those that speak of its IRI."""
    yield from _catalogued(wanted, folder)
    for place in (folder, SHIPPED):
        for path in sorted(place.iterdir()):
            if path.suffix in _SUFFIXES and path.name != _CATALOG and _is_near(path, place):
                packed = path.suffix == ".gz"
                if packed or wanted.value.rstrip("#/").encode() in path.read_bytes():
                    yield path


def _is_near(path: Path, folder: Path) -> bool:
    """Whether a file is of a size to be looked into, and does not lead out of the folder."""
    inside = path.resolve().is_relative_to(folder.resolve())
    return inside and path.is_file() and path.stat().st_size <= _LARGEST


def _catalogued(wanted: NamedNode, folder: Path) -> list[Path]:
    """The file that Protégé's catalog gives for an IRI."""
    try:
        data = entities.checked((folder / _CATALOG).read_bytes())
        entries = etree.fromstring(data, etree.XMLParser(no_network=True)).iter("{*}uri")
    except (OSError, entities.UnsafeXmlError, etree.XMLSyntaxError):
        return []
    named = (one.get("uri", "") for one in entries if one.get("name") == wanted.value)
    paths = (folder / uri.removeprefix("file:") for uri in named if uri)
    return [path for path in paths if _is_near(path, folder)]
