"""Markdown into blocks, and the front matter that says what the document is."""

from __future__ import annotations

import re
from datetime import date

from lxml import html
from markdown_it import MarkdownIt

from loaders.sources.reading import Reading
from loaders.sources.walk import Walk
from loaders.text.clean import clean, decode
from ontology.errors import InputError

_FRONT = re.compile(r"\s*---[^\S\n]*\n(?P<fields>.*?\n)?---[^\S\n]*(?:\n|$)", re.DOTALL)
_FIELD = re.compile(r"(?P<key>[A-Za-z_]+)\s*:\s*(?P<value>.*)")


def read(data: bytes) -> Reading:
    """CommonMark with tables; raises InputError for a date in the front matter that is none."""
    text = clean(decode(data).replace("\r\n", "\n"))
    fields: dict[str, str] = {}
    if front := _FRONT.match(text):
        fields = _fields(front.group("fields") or "")
        text = text[front.end() :] if fields else text
    page = MarkdownIt("commonmark").enable("table").render(text)
    tree = html.document_fromstring(f"<html><body>{page}</body></html>")
    return Reading(
        tuple(Walk(links=True).blocks(tree)),
        title=fields.get("title", ""),
        url=fields.get("url", ""),
        language=fields.get("language", "").lower(),
        publisher=fields.get("publisher", ""),
        issued=_date(fields, "issued"),
        valid_from=_date(fields, "valid_from"),
        valid_until=_date(fields, "valid_until"),
        applies_in=fields.get("applies_in", ""),
    )


def _fields(lines: str) -> dict[str, str]:
    found = {}
    for line in lines.splitlines():
        if field := _FIELD.fullmatch(line.strip()):
            found[field["key"].lower()] = field["value"].strip().strip("\"'")
    return found


def _date(fields: dict[str, str], key: str) -> date | None:
    if not (value := fields.get(key)):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise InputError(
            f"{key} is {value!r}", place="front matter", mend="Write it as 2026-01-31"
        ) from error
