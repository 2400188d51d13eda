"""A walk through the elements of an HTML tree, which makes blocks of their text."""

from __future__ import annotations

from lxml.html import HtmlElement

from loaders.sources.markup import BREAKS, LEVELS, text_of
from loaders.sources.tables import Table
from loaders.text.blocks import Block, Outline
from loaders.text.clean import collapse

_SCOPES = frozenset(["article", "aside", "details", "figure"])  # their headings hold inside only
_LINK = 80  # characters of a link that may be one of a menu


class Walk:
    """Goes through a tree in reading order and puts what it finds into an outline.

    With `links` false, a link that stands alone is taken for a part of a menu.
    """

    def __init__(self, *, links: bool) -> None:
        self._links = links
        self._outline = Outline()
        self._parts: list[str] = []
        self._linked = 0  # characters of the parts that are inside links
        self._item: str | None = None  # the lead-in of the list that the parts belong to

    def blocks(self, tree: HtmlElement) -> list[Block]:
        """All blocks of a tree."""
        self._through(tree)
        self._flush()
        return self._outline.blocks

    def _through(self, element: HtmlElement) -> None:
        """What is inside an element."""
        self._say(element.text)
        for child in element:
            self._child(child)
            self._say(child.tail)

    def _flush(self) -> None:
        """Ends the paragraph or item that the parts so far make."""
        text, linked = collapse("".join(self._parts)), self._linked
        self._parts, self._linked = [], 0
        led = self._item is not None and self._item.endswith(":")
        if not text or (not (self._links or led) and _is_link(text, linked)):
            return
        if self._item is None:
            self._outline.paragraph(text)
        else:
            self._outline.item(text, self._item)

    def _say(self, text: str | None) -> None:
        if text:
            self._parts.append(text)

    def _child(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag == "br":
            self._break(element)
        elif tag not in BREAKS:
            self._inline(element)
        elif tag in LEVELS:
            self._heading(element)
        elif tag in ("ul", "ol"):
            self._list(element)
        elif tag == "table":
            self._table(element)
        else:
            self._section(element)

    def _section(self, element: HtmlElement) -> None:
        self._flush()
        above = self._outline.above
        self._through(element)
        self._flush()
        if element.tag in _SCOPES:
            self._outline.above = above

    def _break(self, element: HtmlElement) -> None:
        """A line break is a space, two of them end a paragraph."""
        following = element.getnext()
        if following is not None and following.tag == "br" and not (element.tail or "").strip():
            self._flush()
        else:
            self._say(" ")

    def _inline(self, element: HtmlElement) -> None:
        before = len(self._parts)
        self._through(element)
        if element.tag == "a":
            self._linked += len(collapse("".join(self._parts[before:])))

    def _heading(self, element: HtmlElement) -> None:
        self._flush()
        text = text_of(element)
        if element.tag == "button" and not element.get("aria-controls"):
            return
        if text:
            self._outline.heading(LEVELS[element.tag], text)

    def _list(self, element: HtmlElement) -> None:
        self._flush()
        outer = self._item
        lead = self._outline.lead()
        if outer is not None and self._outline.blocks:  # a list inside an item
            lead = self._outline.blocks[-1].text
        for child in element:
            self._item = None if _is_container(child) else lead
            above = self._outline.above
            self._through(child)
            self._flush()
            self._outline.above = above
            self._say(child.tail)
        self._flush()
        self._item = outer

    def _table(self, element: HtmlElement) -> None:
        self._flush()
        table = Table.from_element(element)
        if table is None:
            self._through(element)
            self._flush()
        else:
            caption = table.caption or self._outline.lead()
            self._outline.table(table.rows, table.header, caption)


def _is_container(item: HtmlElement) -> bool:
    """Whether a list item is no item of a text but a part of the page's layout."""
    return bool(item.xpath(".//h1 | .//h2 | .//h3 | .//h4 | .//h5 | .//h6 | .//table"))


def _is_link(text: str, linked: int) -> bool:
    return linked > 0.9 * len(text) and len(text) < _LINK and not text.endswith((".", "!", "?"))
