"""owlready2's view of an ontology, in a world of its own that is closed when it is done with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO

import owlready2
import pyoxigraph as ox
from pyoxigraph import Triple

from ontology.read import OntologyError
from ontology.vocabulary import OWL


@contextmanager
def opened(triples: Iterable[Triple], name: str) -> Iterator[owlready2.World]:
    """A private in-memory World that holds the triples; imports are dropped, as it fetches them.

    Address entities by full IRI (`world[iri]`): its namespaces know no slash IRIs.
    """
    kept = (triple for triple in triples if triple.predicate != OWL.imports)
    written = BytesIO()
    ox.serialize(kept, written, format=ox.RdfFormat.N_TRIPLES)
    written.seek(0)
    world = owlready2.World()
    try:
        world.get_ontology("http://world.invalid/#").load(fileobj=written)
        yield world
    except (owlready2.OwlReadyError, RecursionError) as error:
        raise OntologyError(f"owlready2 cannot take it in: {error}", name=name) from None
    finally:
        world.close()
