"""The body of a DOCX file as a tree of HTML, so that it is walked through as pages are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree, html
from lxml.html import HtmlElement

from loaders.sources.docxstyles import Styles, inner, local, number, value

_WRAPPERS = frozenset("sdt sdtContent customXml ins moveTo smartTag body".split())
_LOST = frozenset("del moveFrom Fallback pPr rPr instrText delText txbxContent".split())
_SIGNS = {"tab": " ", "br": " ", "cr": " ", "ptab": " ", "noBreakHyphen": "-"}
_NESTED = 4  # tables inside tables; deeper ones are read as paragraphs


class Body:
    """Makes HTML of a body; `hidden` tells whether words were left out that Word does not show."""

    def __init__(self, styles: Styles, notes: Mapping[str, etree._Element]) -> None:
        self.hidden = False
        self._styles = styles
        self._notes = notes
        self._waiting: list[etree._Element] = []  # notes and boxes of the paragraph at hand
        self._tables = 0

    def tree(self, body: etree._Element) -> HtmlElement:
        """Headings, paragraphs, lists and tables in reading order."""
        root = html.Element("body")
        self._fill(root, body)
        return root

    def _fill(self, target: HtmlElement, source: etree._Element) -> None:
        lists: list[tuple[int, HtmlElement]] = []  # the open ones: depth and element
        for block in _blocks(source):
            if local(block) == "p":
                self._paragraph(target, block, lists)
            else:
                lists.clear()
                self._table(target, block)

    def _paragraph(
        self,
        target: HtmlElement,
        paragraph: etree._Element,
        lists: list[tuple[int, HtmlElement]],
    ) -> None:
        if self._styles.name(paragraph).startswith("toc "):
            return
        text = self._text(paragraph)
        level, depth = self._styles.level(paragraph), self._styles.depth(paragraph)
        if level or depth is None:
            if text.strip():
                lists.clear()
                etree.SubElement(target, f"h{min(level, 6)}" if level else "p").text = text
            self._release(target)
        elif text.strip():
            item = etree.SubElement(_list(target, lists, depth), "li")
            item.text = text
            self._release(item)

    def _release(self, target: HtmlElement) -> None:
        """Puts the notes and text boxes of a paragraph after it."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self._fill(etree.SubElement(target, "div"), one)

    def _text(self, element: etree._Element) -> str:
        pieces = []
        for child in element:
            name = local(child)
            if name == "t":
                pieces.append(child.text or "")
            elif name in _SIGNS:
                pieces.append(_SIGNS[name])
            elif name in ("footnoteReference", "endnoteReference"):
                note = self._notes.get(f"{name[:-9]} {value(child, 'id')}")
                self._waiting += [] if note is None else [note]
            elif name == "txbxContent":
                self._waiting.append(child)
            elif name == "r" and _is_hidden(child):
                self.hidden = self.hidden or any(local(one) == "t" for one in child)
            elif name not in _LOST:
                pieces.append(self._text(child))
        return "".join(pieces)

    def _table(self, target: HtmlElement, table: etree._Element) -> None:
        if self._tables >= _NESTED:
            for cell in table.iter("{*}tc"):
                for paragraph in cell.iterchildren("{*}p"):
                    etree.SubElement(target, "p").text = self._text(paragraph)
            return
        self._tables += 1
        rows = [row for row in _inside(table, "tr") if inner(row, "trPr", "del") is None]
        heads = _heads(rows)
        element = etree.SubElement(target, "table")
        open_cells: dict[int, HtmlElement] = {}  # by column: those that go on in the next row
        for at, row in enumerate(rows):
            line = etree.SubElement(element, "tr")
            self._row(line, row, "th" if at < heads else "td", open_cells)
        self._tables -= 1

    def _row(
        self,
        line: HtmlElement,
        row: etree._Element,
        tag: str,
        open_cells: dict[int, HtmlElement],
    ) -> None:
        column = 0
        for cell in _inside(row, "tc"):
            merge = inner(cell, "tcPr", "vMerge")
            width = max(number(value(inner(cell, "tcPr", "gridSpan"))) or 1, 1)
            above = open_cells.get(column)
            if merge is not None and value(merge) != "restart" and above is not None:
                above.set("rowspan", str(int(above.get("rowspan", "1")) + 1))
            else:
                open_cells.pop(column, None)
                element = etree.SubElement(line, tag, colspan=str(width))
                self._fill(element, cell)
                if merge is not None:
                    open_cells[column] = element
            column += width


def _blocks(source: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs and tables, also those inside content controls and insertions."""
    for child in source:
        if local(child) in ("p", "tbl"):
            yield child
        elif local(child) in _WRAPPERS:
            yield from _blocks(child)


def _inside(element: etree._Element, name: str) -> Iterator[etree._Element]:
    for child in element:
        if local(child) == name:
            yield child
        elif local(child) in _WRAPPERS:
            yield from _inside(child, name)


def _list(target: HtmlElement, lists: list[tuple[int, HtmlElement]], depth: int) -> HtmlElement:
    """The list of a depth, a new one inside the last item where the items go deeper."""
    while len(lists) > 1 and lists[-1][0] > depth:
        lists.pop()
    if not lists or lists[-1][0] < depth:
        parent = lists[-1][1][-1] if lists else target
        lists.append((depth, etree.SubElement(parent, "ul")))
    return lists[-1][1]


def _is_hidden(run: etree._Element) -> bool:
    return _is_on(inner(run, "rPr", "vanish"))


def _is_on(sign: etree._Element | None) -> bool:
    return sign is not None and value(sign) not in ("0", "false", "off")


def _heads(rows: list[etree._Element]) -> int:
    """How many first rows are the header: those marked so, else one in bold above one that is not.

    Word marks the first row of nearly every table as special: its mark on the table says nothing.
    """
    marked = 0
    while marked < len(rows) and _is_on(inner(rows[marked], "trPr", "tblHeader")):
        marked += 1
    if marked or len(rows) < 2:
        return marked
    return int(_is_bold(rows[0]) and not _is_bold(rows[1]))


def _is_bold(row: etree._Element) -> bool:
    runs = [run for run in row.iter("{*}r") if inner(run, "t") is not None]
    return bool(runs) and all(_is_on(inner(run, "rPr", "b")) for run in runs)
