"""How much of a source is read at most."""

from __future__ import annotations

from dataclasses import dataclass

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes after unpacking, times in seconds."""

    rdf_bytes: int = 2_000 * _MB
    document_bytes: int = 50 * _MB
    fetched_bytes: int = 100 * _MB
    fetch_seconds: float = 30.0
    parse_seconds: float = 60.0
