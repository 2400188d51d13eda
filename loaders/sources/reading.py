"""A reading, what one source format gives up: its blocks and what it says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from loaders.text.blocks import Block


@dataclass(frozen=True, slots=True)
class Reading:
    """Blocks in reading order; "" and None where the source does not tell.

    `pages` is 0 for formats without pages; `warnings` name the page that they are about.
    """

    blocks: tuple[Block, ...]
    title: str = ""
    url: str = ""
    language: str = ""
    publisher: str = ""
    issued: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    applies_in: str = ""
    pages: int = 0
    warnings: tuple[str, ...] = ()
