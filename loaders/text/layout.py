"""Lines on pages into blocks: headings, paragraphs, list items and table rows by their layout."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from operator import itemgetter
from statistics import mode

from loaders.text.blocks import Block, Kind, Outline

_BULLET = re.compile(
    r"(?:[-*•‣▪▫◦●○■□–—·✓✔➢➤❑→§]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z])\)|(?:[a-zA-Z]|[ivx]{1,5})\))(?:\s|$)"
)
_SIGN = re.compile(r"[^\w(«“\"'€$£<>≤≥=+]+\s+")
_NUMBER = re.compile(r"\d+")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s+\w")
_BELOW = 7  # the level of headings below all others
_HEADING = 160  # characters of the longest heading
_LARGER = 1.12  # times the height of the body's letters: a heading
_APART = 1.25  # times the page's line spacing: another paragraph
_ALIGNED = 4.0  # points between cells of one column
_ABOVE = 10  # heights of a row's letters that a header reaches above it
_MARGIN = 20.0  # points by which a header may be wider than its table
_EDGE = 0.12  # of a page at its top and bottom that may be its header or footer


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its cells as (left, right, text), its place in points from the page's top."""

    cells: tuple[tuple[float, float, str], ...]
    top: float
    bottom: float
    bold: bool = False

    @property
    def text(self) -> str:
        """The cells' words."""
        return " ".join(text for _, _, text in self.cells)

    @property
    def left(self) -> float:
        """Where its first letter begins."""
        return self.cells[0][0]

    @property
    def right(self) -> float:
        """Where its last letter ends."""
        return self.cells[-1][1]

    @property
    def height(self) -> float:
        """The height of its letters."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines that belong together, as one block or, where `rows` is true, as one table."""

    lines: list[Line]
    page: int
    rows: bool = False
    heads: int = 0  # of a table's lines, those that are its header

    @property
    def text(self) -> str:
        text = ""
        for line in self.lines:
            if re.search(r"[^\W\d_]-$", text) and line.text[:1].islower():
                text = text[:-1] + line.text
            else:
                text = f"{text} {line.text}".lstrip()
        return text


def blocks(pages: Iterable[tuple[int, Sequence[Line]]]) -> tuple[Block, ...]:
    """Blocks of all pages, given as (number, lines in reading order), running heads left out."""
    numbered = [(number, list(lines)) for number, lines in pages]
    running = _running(numbered)
    groups = [
        group
        for number, lines in numbered
        for group in _groups(number, _without(running, number, lines))
    ]
    body = _body_height(groups)
    levels = _levels(groups, body)
    outline = Outline()
    for group in groups:
        outline.page = group.page
        if group.rows:
            _table(outline, group)
        elif level := levels.get(id(group)):
            outline.heading(level, group.text)
        else:
            _paragraph(outline, group.text)
    return tuple(outline.blocks)


def _levels(groups: Sequence[_Group], body: float) -> dict[int, int]:
    """The level of each group that is a heading, by its id: its numbering's depth, or its size."""
    headings = [group for group in groups if _is_heading(group, body)]
    heights = sorted({round(group.lines[0].height) for group in headings}, reverse=True)
    levels = {}
    numbered = 0.0  # the height of the last numbered heading
    for group in headings:
        height = group.lines[0].height
        if number := _NUMBERED.match(group.text):
            level, numbered = number.group(1).count(".") + 1, height
        elif height < numbered + 0.5:
            level = _BELOW
        else:
            level = min(heights.index(round(height)) + 1, _BELOW - 1)
        levels[id(group)] = min(level, _BELOW)
    return levels


def _paragraph(outline: Outline, text: str) -> None:
    """A paragraph or, after a bullet, an item led in by the last paragraph."""
    if not _BULLET.match(text):
        outline.paragraph(text)
        return
    sign = _SIGN.match(text)
    outline.item(text[sign.end() :] if sign else text, _lead(outline))


def _lead(outline: Outline) -> str:
    """What introduces the next item: the sentence or item before that ends in a colon, if any."""
    last = outline.blocks[-1] if outline.blocks else None
    if last is None or last.kind in (Kind.HEADING, Kind.ROW):
        return ""
    if last.kind is Kind.ITEM and not last.text.endswith(":"):
        above = " › ".join(heading for _, heading in outline.above)
        return last.context.removeprefix(above).removeprefix(" › ")
    said = outline.lead() or last.text
    return said if said.endswith(":") else ""


def _without(running: set[tuple[int, int]], page: int, lines: Sequence[Line]) -> Sequence[Line]:
    """The lines of a page that are not running; all of them where it has no others."""
    return [line for line in lines if (page, id(line)) not in running] or lines


def _running(pages: Sequence[tuple[int, Sequence[Line]]]) -> set[tuple[int, int]]:
    """Lines at the edges of pages that are there on several, as (page, id of the line)."""
    places: dict[tuple[str, int], set[tuple[int, int]]] = {}
    foot = max((line.bottom for _, lines in pages for line in lines), default=0.0)
    for number, lines in pages:
        for line in lines:
            if line.top < _EDGE * foot or line.bottom > (1 - _EDGE) * foot:
                for key in _running_keys(line, number):
                    places.setdefault(key, set()).add((number, id(line)))
    least = max(2 if len(pages) < 5 else 3, len(pages) // 20)
    there = (found for found in places.values() if len({page for page, _ in found}) >= least)
    return set().union(*there)


def _running_keys(line: Line, page: int) -> list[tuple[str, int]]:
    """Keys that are equal for equal lines, and for lines that count their pages."""
    if len(line.cells) > 2:  # the header of a table that goes on
        return []
    number = _NUMBER.search(line.text)
    height = round(line.top / 8)
    if number is None or len(line.text) > 60:
        return [(line.text, height)]
    counted = f"{_NUMBER.sub('#', line.text, count=1)} {height}"
    return [(line.text, height), (counted, int(number.group()[:9]) - page)]


def _groups(page: int, lines: Sequence[Line]) -> list[_Group]:
    groups: list[_Group] = []
    lines = _by_column(lines)
    spacing = _spacing(lines)
    start = 0
    for head, first, end in (*_tables(lines), (len(lines), len(lines), len(lines))):
        for line in lines[start:head]:
            if groups and not groups[-1].rows and not _breaks(groups[-1].lines, line, spacing):
                groups[-1].lines.append(line)
            else:
                groups.append(_Group([line], page))
        if head < end:
            groups.append(_Group(list(lines[head:end]), page, rows=True, heads=first - head))
        start = end
    return groups


def _by_column(lines: Sequence[Line]) -> list[Line]:
    """The lines with two columns of running text, drawn across, one after the other."""
    ordered: list[Line] = []
    at = 0
    while at < len(lines):
        end = max(_table_end(lines, at), at + 1)
        run = lines[at:end]
        if len(run) > 4 and all(len(line.cells) == 2 for line in run) and _is_prose(run):
            for column in (0, 1):
                ordered += [replace(line, cells=line.cells[column : column + 1]) for line in run]
        else:
            ordered += run
        at = end
    return ordered


def _is_prose(run: Sequence[Line]) -> bool:
    """Whether the cells of most lines are too long for a table's."""
    return sorted(min(len(text) for _, _, text in line.cells) for line in run)[len(run) // 2] > 25


def _tables(lines: Sequence[Line]) -> Iterator[tuple[int, int, int]]:
    """Tables as (first line of the header, first row, end)."""
    at = before = 0
    while at < len(lines):
        end = _table_end(lines, at)
        if end > at:
            head = _table_head(lines, before, at, _columns(lines[at:end]))
            yield head, at, end
            before = at = end
        else:
            at += 1


def _table_head(
    lines: Sequence[Line], least: int, start: int, columns: Sequence[tuple[float, float]]
) -> int:
    """The first line of what stands above most columns of a table; `start` where nothing does."""
    head = start
    while head > least and _is_head(lines[head - 1], lines[start], columns):
        head -= 1
    covered = {_column(cell, columns) for line in lines[head:start] for cell in line.cells}
    return head if len(columns) > 2 and len(covered) > len(columns) / 2 else start


def _is_head(line: Line, row: Line, columns: Sequence[tuple[float, float]]) -> bool:
    left, right = columns[0][0], columns[-1][1]
    near = 0 <= row.top - line.top < _ABOVE * row.height
    inside = left - _MARGIN < line.left and line.right < right + _MARGIN
    return near and inside and all(b - a < (right - left) / 2 for a, b, _ in line.cells)


def _spacing(lines: Sequence[Line]) -> float:
    """The usual distance from a line to the next, in points."""
    steps = [round(b.top - a.top) for a, b in pairwise(lines)]
    usual = [step for step in steps if 0 < step < 40]
    return float(mode(usual)) if usual else 15.0


def _breaks(group: Sequence[Line], line: Line, spacing: float) -> bool:
    """Whether a line begins another block than the lines of `group`."""
    last = group[-1]
    step = line.top - last.top
    if not 0 <= step <= max(_APART * spacing, 1.3 * min(last.height, line.height)):
        return True
    if _BULLET.match(line.text) or line.left < group[0].left - 4 * line.height:
        return True
    if not 1 / _LARGER < line.height / max(last.height, 0.1) < _LARGER:
        return len(line.text) > 4  # a note's mark or an index does not break
    begins = line.text[:1].isupper() or line.text[:1].isdigit()
    if line.bold != last.bold:
        return begins and not last.text.endswith(",")
    ended = last.text.endswith((".", ":", ";", "!", "?"))
    if ended and _BULLET.match(group[0].text) and line.left < group[0].left - 1:
        return True
    return ended and begins and last.right < max(part.right for part in (*group, line)) - 60


def _is_row(line: Line) -> bool:
    cells = line.cells[1:] if _BULLET.fullmatch(line.cells[0][2]) else line.cells
    return len(cells) > 1


def _table_end(lines: Sequence[Line], start: int) -> int:
    """The end of the table that begins with line `start`; `start` where none does."""
    if not _is_row(lines[start]):
        return start
    end = start + 1
    while end < len(lines) and _follows(lines[end - 1], lines[end]):
        end += 1
    rows = lines[start:end]
    cells = max(len(line.cells) for line in rows)
    return end if len(rows) > 2 or (len(rows) > 1 and cells > 2) else start


def _follows(above: Line, line: Line) -> bool:
    """Whether a row stands below another in the same columns."""
    if not _is_row(line) or not 0 < line.top - above.top < 4 * above.height:
        return False
    lefts = [left for left, _, _ in above.cells]
    rights = [right for _, right, _ in above.cells]
    shared = (cell for cell in line.cells if _near(cell[0], lefts) or _near(cell[1], rights))
    return len(list(islice(shared, 2))) == 2


def _near(place: float, places: Sequence[float]) -> bool:
    """Whether a sorted sequence has a place close by."""
    at = bisect_left(places, place - _ALIGNED)
    return at < len(places) and places[at] < place + _ALIGNED


def _table(outline: Outline, group: _Group) -> None:
    caption = outline.lead()
    rows = group.lines[group.heads :]
    columns = _columns(rows)
    grid = [_placed([line], columns) for line in rows]
    header: Sequence[str] = ()
    if group.heads:
        header = _placed(group.lines[: group.heads], columns)
        grid = [header, *grid]
    elif len(grid) > 2 and not any(map(str.isdigit, rows[0].text)):
        header = grid[0] if sum(map(bool, grid[0])) > len(columns) / 2 else ()
    outline.table(grid[:1] if header else [], (), caption)
    outline.table(grid[1:] if header else grid, header, caption)


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """The columns' (left, right): cells that overlap in any line share one."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((left, right) for line in lines for left, right, _ in line.cells):
        if columns and left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(right, columns[-1][1])
        else:
            columns.append((left, right))
    return columns


def _placed(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The words of lines in the columns that they stand in."""
    if len(lines) == 1 and _fills(lines[0], columns):
        return [text for _, _, text in lines[0].cells]
    row = [""] * len(columns)
    for line in sorted(lines, key=lambda line: line.top):
        for cell in line.cells:
            at = _column(cell, columns)
            row[at] = f"{row[at]} {cell[2]}".lstrip()
    return row


def _fills(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line has one cell in each column, as most rows do."""
    pairs = zip(line.cells, columns, strict=False)
    return len(line.cells) == len(columns) and all(
        first <= left and right <= last for (left, right, _), (first, last) in pairs
    )


def _column(cell: tuple[float, float, str], columns: Sequence[tuple[float, float]]) -> int:
    """The column whose middle is nearest to that of the cell, among those that it touches."""
    left, right, _ = cell
    first = bisect_left(columns, left, key=itemgetter(1))
    last = bisect_right(columns, right, key=itemgetter(0))
    touched = range(first, last) or range(max(first - 1, 0), min(first + 1, len(columns)))
    return min(touched, key=lambda at: abs(columns[at][0] + columns[at][1] - left - right))


def _body_height(groups: Sequence[_Group]) -> float:
    """The height of most letters."""
    letters: Counter[float] = Counter()
    for group in groups:
        for line in group.lines:
            letters[round(line.height, 1)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def _is_heading(group: _Group, body: float) -> bool:
    if group.rows or len(group.lines) > 4:
        return False
    text = group.text
    if len(text) > _HEADING or text.endswith((".", ";", ",", ":")) or text[:1].islower():
        return False
    larger = min(line.height for line in group.lines) > _LARGER * body
    bold = all(line.bold for line in group.lines)
    return (larger or bold) and sum(map(str.isalpha, text)) > 2
