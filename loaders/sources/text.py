"""Plain text into blocks: paragraphs, list items, and headings where the layout shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from loaders.sources.reading import Reading
from loaders.text.blocks import Outline
from loaders.text.clean import collapse, decode

_BULLET = re.compile(r"\s*(?:[-*•‣▪◦–—·]|\(?(?:\d{1,2}|[a-zA-Z])[.)])\s+(?=\S)")
_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,}|~{3,})\s*$")
_HEADING = 80  # characters of the longest heading


def read(data: bytes) -> Reading:
    """Paragraphs end at blank lines; bullets and numbers begin items."""
    outline = Outline()
    lines = decode(data).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    for group in re.split(r"\n[^\S\n]*(?:\n[^\S\n]*)+", lines):
        _group(outline, [line for line in group.split("\n") if line.strip()])
    return Reading(tuple(outline.blocks))


def _group(outline: Outline, lines: Sequence[str]) -> None:
    """The lines between two blank ones."""
    if len(lines) == 2 and _UNDERLINE.match(lines[1]):
        outline.heading(1 if "=" in lines[1] else 2, collapse(lines[0]))
        return
    if len(lines) == 1 and _is_heading(collapse(lines[0])):
        outline.heading(3, collapse(lines[0]))
        return
    for bulleted, units in groupby(_units(lines), key=lambda unit: unit[1]):
        lead = outline.lead()
        for text, _ in units:
            if bulleted:
                outline.item(text, lead)
            else:
                outline.paragraph(text)


def _units(lines: Sequence[str]) -> list[tuple[str, bool]]:
    """Paragraph and items, each on one line, and whether it is an item."""
    units: list[tuple[str, bool]] = []
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet or not units:
            sign = bullet is not None and not any(map(str.isalnum, bullet.group()))
            text = line[bullet.end() :] if bullet and sign else line
            units.append((collapse(text), bullet is not None))
        else:
            text, bulleted = units[-1]
            units[-1] = (f"{text} {collapse(line)}", bulleted)
    return units


def _is_heading(line: str) -> bool:
    """One short line in capitals, or a numbered title, without the end of a sentence."""
    if len(line) > _HEADING or line.endswith((".", ",", ";", ":", "!")):
        return False
    letters = [c for c in line if c.isalpha()]
    return len(letters) > 2 and (all(map(str.isupper, letters)) or _is_numbered(line))


def _is_numbered(line: str) -> bool:
    return re.match(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[A-ZÀ-Ý]", line) is not None
