"""DOCX files into blocks, and what their properties say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from lxml import etree

from loaders.sources.docxbody import Body
from loaders.sources.docxparts import Parts
from loaders.sources.docxstyles import Styles, inner, local, value
from loaders.sources.limits import Limits
from loaders.sources.reading import Reading
from loaders.sources.walk import Walk
from loaders.text.clean import collapse


def read(data: bytes, name: str, limits: Limits | None = None) -> Reading:
    """Headings, paragraphs, list items and table rows; notes stand after what they are about.

    Headers, footers, tables of contents, deleted and hidden words are left out.
    Raises InputError for a file that is broken, locked or unpacks to too much.
    """
    parts = Parts.from_bytes(data, name, limits or Limits())
    main = parts.main()
    body = Body(Styles.from_part(parts.part("word/styles.xml")), dict(_notes(parts)))
    tree = body.tree(main)
    about = parts.part("docProps/core.xml")
    return Reading(
        tuple(Walk(links=True).blocks(tree)),
        title=_title(_property(about, "title")),
        language=_property(about, "language").partition("-")[0].lower(),
        publisher=_property(about, "creator"),
        issued=_date(_property(about, "created")),
        warnings=("hidden text found",) if body.hidden else (),
    )


def _notes(parts: Parts) -> Iterator[tuple[str, etree._Element]]:
    """The footnotes and endnotes, by kind and number."""
    for kind in ("footnote", "endnote"):
        root = parts.part(f"word/{kind}s.xml")
        for note in () if root is None else root:
            if local(note) == kind and not value(note, "type"):
                yield f"{kind} {value(note, 'id')}", note


def _property(about: etree._Element | None, name: str) -> str:
    element = inner(about, name)
    return "" if element is None else collapse(element.text or "")


def _title(told: str) -> str:
    """The title told, unless that is a file's name."""
    return "" if re.search(r"\.\w{3,4}$|^untitled", told, re.IGNORECASE) else told


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
