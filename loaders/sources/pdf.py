"""PDF files into blocks."""

from __future__ import annotations

from loaders.sources.reading import Reading
from ontology.errors import InputError


def read(data: bytes, name: str) -> Reading:
    raise InputError("PDF is not read yet", name=name)
