"""The places of `places.ttl`: found by code or name, and what lies around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pyoxigraph import Literal, NamedNode

from ontology.imports import SHIPPED
from ontology.read import read
from ontology.vocabulary import RDFS, SKOS


@dataclass(frozen=True, slots=True)
class Places:
    """Countries, their parts and the European Union, in a hierarchy."""

    by_name: Mapping[str, NamedNode]
    broader: Mapping[NamedNode, NamedNode]

    def named(self, text: str) -> NamedNode | None:
        """The place of an ISO 3166 code in capitals, or of a name; the widest of several."""
        text = text.strip()
        return self.by_name.get(text) or self.by_name.get(text.casefold())

    def around(self, place: NamedNode) -> tuple[NamedNode, ...]:
        """The place, then each that contains it, outwards; a stranger is alone."""
        chain = [place]
        while (wider := self.broader.get(chain[-1])) and wider not in chain:
            chain.append(wider)
        return tuple(chain)

    def concerns(self, statement: NamedNode, asker: NamedNode) -> bool:
        """Whether what applies in one place holds for an asker in another, which lies in it."""
        return statement in self.around(asker)


@cache
def places() -> Places:
    """The shipped places, read once."""
    names: list[tuple[str, NamedNode]] = []
    broader: dict[NamedNode, NamedNode] = {}
    for subject, predicate, value in read(SHIPPED / "places.ttl").triples:
        if not isinstance(subject, NamedNode):
            continue
        if predicate == SKOS.broader and isinstance(value, NamedNode):
            broader[subject] = value
        elif predicate in (RDFS.label, SKOS.altLabel, SKOS.notation) and isinstance(value, Literal):
            code = predicate == SKOS.notation
            names.append((value.value if code else value.value.casefold(), subject))
    found = Places({}, broader)
    narrowest_first = sorted(names, key=lambda one: len(found.around(one[1])), reverse=True)
    return Places(dict(narrowest_first), broader)
