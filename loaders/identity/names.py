"""Names of entities, and the IRIs made from them."""

from __future__ import annotations

import hashlib
import unicodedata

from pyoxigraph import NamedNode

from loaders.text.clean import collapse

_AROUND = " .,;:\"'«»“”„"


def normalise(name: str) -> str:
    """The form in which spellings of a name are equal: "pompa_di_Calore." → "Pompa di calore"."""
    text = collapse(unicodedata.normalize("NFC", name).replace("_", " "))
    return (text.strip(_AROUND) or text).lower().capitalize()


def entity(name: str, base_iri: str) -> NamedNode:
    """The node of the entity with this name: the MD5 of its normal form, below the base IRI."""
    digest = hashlib.md5(normalise(name).encode(), usedforsecurity=False).hexdigest()
    return NamedNode(f"{base_iri}entity/{digest}")
