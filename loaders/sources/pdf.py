"""PDF files into blocks, every page accounted for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from loaders.sources import pdfpages
from loaders.sources.reading import Reading
from loaders.text import layout
from loaders.text.blocks import Block
from ontology.errors import InputError


def read(data: bytes, name: str) -> Reading:
    """The text of all pages that have one; `warnings` say what of the others is missing.

    Raises InputError for a file that cannot be opened or has no text at all.
    """
    file = pdfpages.read(data, name)
    pages = file.pages
    blocks = layout.blocks((page.number, page.lines) for page in pages)
    if not blocks:
        raise _no_text(pages, name)
    return Reading(
        blocks,
        title=_title(blocks, file.title),
        issued=_date(file.created),
        pages=len(pages),
        warnings=tuple(f"page {page.number}: {fault}" for page in pages for fault in page.faults),
    )


def _no_text(pages: Sequence[pdfpages.Page], name: str) -> InputError:
    """One fault for a file without text: what is the matter with each page."""
    faults: dict[str, list[str]] = {}
    for page in pages:
        for fault in page.faults:
            faults.setdefault(fault, []).append(str(page.number))
    reasons = [f"{fault} (page {', '.join(numbers[:20])})" for fault, numbers in faults.items()]
    reason = "; ".join(reasons) or "none of its pages has text"
    scanned = "OCR" in reason
    mend = "Let OCR write its text into it" if scanned else "Open it and see what it shows"
    return InputError(reason, name=name, mend=mend)


def _title(blocks: Sequence[Block], told: str) -> str:
    """The highest heading of some words on the first page, else what the file calls itself."""
    first = [block for block in blocks if block.page == blocks[0].page]
    headings = [block for block in first if block.level and len(block.text.split()) > 1]
    if headings:
        return min(headings, key=lambda block: block.level).text
    return "" if re.search(r"\.\w{3,4}$|^untitled|^\S*$", told, re.IGNORECASE) else told


def _date(created: str) -> date | None:
    """The day of a PDF date such as D:20250124103000+01'00'."""
    found = re.match(r"D?:?(\d{4})(\d\d)(\d\d)", created)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
