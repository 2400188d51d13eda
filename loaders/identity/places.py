"""Places by name: those of the shipped hierarchy, and communes and others as texts name them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyoxigraph import NamedNode

from loaders.identity import names
from ontology.places import places

_QUALIFIED = re.compile(r"(?P<name>[^(),]+?)\s*(?:\(|,\s*)(?P<qualifier>[^(),]+)\)?")


@dataclass(frozen=True, slots=True)
class Place:
    """A place's node; `within` is the known place that contains it, None where that is shipped."""

    node: NamedNode
    name: str
    within: NamedNode | None = None


def place(name: str, base_iri: str, qualifier: str = "") -> Place:
    """The place that a text calls so; `qualifier` may name one that contains or is near it.

    "Lombardia" is shipped; "Castro (Bergamo)" becomes a place in the province of Bergamo.
    """
    qualified = _QUALIFIED.fullmatch(name)
    if qualified and not qualifier:
        name, qualifier = qualified["name"], qualified["qualifier"]
    known, around = places().named(name), places().named(qualifier)
    if known and (not qualifier or around in places().around(known)):
        return Place(known, name)
    node = names.entity(f"{name} ({qualifier})" if qualifier else name, base_iri)
    return Place(node, name, around)
