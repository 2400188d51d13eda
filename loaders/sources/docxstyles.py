"""The paragraph styles of a DOCX file: which of them make headings, lists and contents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

_HEADING = re.compile(r"heading (\d)")
_DEPTH = 20  # styles that may rest on one another


def local(element: etree._Element) -> str:
    """The element's name without its namespace, of which Word has two."""
    return str(element.tag).rpartition("}")[2]


def inner(element: etree._Element | None, *path: str) -> etree._Element | None:
    """The first element at a path of names below another."""
    for name in path:
        if element is None:
            return None
        element = next((child for child in element if local(child) == name), None)
    return element


def value(element: etree._Element | None, name: str = "val") -> str:
    """An attribute by its name without its namespace; "" where there is none."""
    attributes = () if element is None else element.attrib.items()
    return next((str(told) for key, told in attributes if key.rpartition("}")[2] == name), "")


def number(text: str) -> int | None:
    """A small whole number, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else None


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles by their key."""

    styles: dict[str, etree._Element]

    @classmethod
    def from_part(cls, root: etree._Element | None) -> Styles:
        """The styles of `word/styles.xml`."""
        found = () if root is None else root
        return cls({value(one, "styleId"): one for one in found if local(one) == "style"})

    def name(self, paragraph: etree._Element) -> str:
        """The style's name, which Word keeps in English whatever its own language."""
        style = self.styles.get(value(inner(paragraph, "pPr", "pStyle")))
        return value(inner(style, "name")).lower()

    def level(self, paragraph: etree._Element) -> int:
        """A heading's level, 1 for the highest; 0 for any other paragraph."""
        for one in self._chain(paragraph):
            name = value(inner(one, "name")).lower()
            if name == "title":
                return 1
            if heading := _HEADING.fullmatch(name):
                return int(heading[1])
            outline = number(value(inner(one, "pPr", "outlineLvl")))
            if outline is not None:
                return outline + 1 if outline < 9 else 0
        return 0

    def depth(self, paragraph: etree._Element) -> int | None:
        """How deep in lists an item stands, 0 for the outermost; None for what is no item."""
        for one in self._chain(paragraph):
            numbering = inner(one, "pPr", "numPr")
            if numbering is not None and inner(numbering, "numId") is not None:
                listed = value(inner(numbering, "numId")) != "0"
                return min(number(value(inner(numbering, "ilvl"))) or 0, 8) if listed else None
        return None

    def _chain(self, paragraph: etree._Element) -> Iterator[etree._Element]:
        """The paragraph, its style, and the styles on which that rests."""
        yield paragraph
        key = value(inner(paragraph, "pPr", "pStyle"))
        for _ in range(_DEPTH):
            if (style := self.styles.get(key)) is None:
                return
            yield style
            key = value(inner(style, "basedOn"))
