"""Names of entities."""

from __future__ import annotations

import hashlib

from loaders.identity.names import entity, normalise


def test_spellings_of_one_name_are_equal() -> None:
    assert normalise("pompa_di_Calore") == normalise(" Pompa  di calore ") == "Pompa di calore"
    assert normalise("Cafe\u0301") == normalise("CAFÉ")
    assert normalise("ACME Corp") != normalise("ACME Corporation")


def test_the_iri_is_the_md5_of_the_name() -> None:
    digest = hashlib.md5(b"Pompa di calore", usedforsecurity=False).hexdigest()
    assert entity("pompa_di_calore", "https://e.org/").value == f"https://e.org/entity/{digest}"
