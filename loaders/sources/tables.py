"""HTML tables into rows of cells, spans filled in, header cells apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from loaders.sources.markup import text_of

_WIDEST = 60  # columns; wider ones, and colspan bombs, are cut
_LONGEST = 2_000  # characters of a cell; a table with longer ones lays out a page


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under one header, `rows` and `header` of cell texts; "" where a cell is empty."""

    rows: Sequence[Sequence[str]]
    header: Sequence[str]
    caption: str

    @classmethod
    def from_element(cls, element: HtmlElement) -> Table | None:
        """The data in a `<table>`, or None for one that only lays out other content."""
        if element.xpath(".//table | .//h1 | .//h2 | .//form"):
            return None
        lines = element.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr")
        grid = _filled(lines)
        if len(grid) < 2 or max(map(len, grid)) < 2:
            return None
        if max(len(cell) for row in grid for cell in row) > _LONGEST:
            return None
        heads = 0
        while heads < len(grid) - 1 and _is_header(lines[heads]):
            heads += 1
        caption = "".join(text_of(c) for c in element.xpath("./caption")[:1])
        header = _joined(grid[:heads]) if heads else _plain_header(grid)
        return cls(grid[heads or bool(header) :], header, caption)


def _filled(lines: Sequence[HtmlElement]) -> list[list[str]]:
    """The grid of cell texts: a spanning cell stands in each row and, once, in its columns."""
    below: dict[int, tuple[int, str]] = {}  # column: (rows still to fill, text)
    grid = []
    for line in lines:
        row: list[str] = []
        for cell in line.xpath("./td | ./th"):
            _fill_from_above(row, below)
            text = text_of(cell)
            width, height = _span(cell, "colspan", _WIDEST), _span(cell, "rowspan", len(lines))
            for column in range(width):
                if height > 1:
                    below[len(row)] = (height - 1, text)
                row.append(text if column == 0 else "")
            if len(row) > _WIDEST:
                break
        _fill_from_above(row, below)
        grid.append(row)
    return grid


def _fill_from_above(row: list[str], below: dict[int, tuple[int, str]]) -> None:
    while len(row) in below:
        column = len(row)
        left, text = below[column]
        row.append(text)
        if left > 1:
            below[column] = (left - 1, text)
        else:
            del below[column]


def _span(cell: HtmlElement, name: str, most: int) -> int:
    value = cell.get(name, "1").strip()
    return min(max(int(value), 1), most) if value.isascii() and value.isdigit() else 1


def _is_header(line: HtmlElement) -> bool:
    cells = line.xpath("./td | ./th")
    if line.getparent().tag == "thead" and cells:
        return True
    return len(cells) > 1 and all(cell.tag == "th" for cell in cells)


def _joined(heads: Sequence[Sequence[str]]) -> list[str]:
    """One header of several header rows, a group's name before each of its columns."""
    width = max(map(len, heads))
    header = [""] * width
    for row in heads:
        group = ""
        for column in range(width):
            text = row[column] if column < len(row) else ""
            group = text or group
            told = group if len(heads) > 1 else text
            if told and told not in header[column]:
                header[column] = f"{header[column]} {told}".strip()
    return header


def _plain_header(grid: Sequence[Sequence[str]]) -> Sequence[str]:
    """A first row without digits above rows that have some; else nothing."""
    first = grid[0]
    words = all(cell and not any(map(str.isdigit, cell)) for cell in first)
    numbers = any(any(map(str.isdigit, cell)) for row in grid[1:] for cell in row[1:])
    return first if words and numbers and len(grid) > 2 else ()
