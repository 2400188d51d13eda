"""Blocks, the structural units of a text: headings, paragraphs, list items, table rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from loaders.text.sentences import sentences

_LINE = 25  # characters of a paragraph that may go on in the next one
_CELL = 120  # characters of a cell that are repeated beside its header
_LEAD = 250  # characters of a lead-in or caption that are kept as context


class Kind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Block:
    """One unit in the source's own words, and what a reader sees above it.

    The cells of a row are joined by tabs.
    `context` is "heading › lead-in or caption; header: cell".
    `level` is a heading's, 1 for the highest, and 0 for everything else.
    """

    kind: Kind
    text: str
    context: str = ""
    page: int | None = None
    level: int = 0


@dataclass(slots=True)
class Outline:
    """Collects blocks in reading order and gives each the headings and lead-in above it."""

    blocks: list[Block] = field(default_factory=list)
    page: int | None = None
    above: tuple[tuple[int, str], ...] = ()  # level and text of the headings that hold

    def heading(self, level: int, text: str) -> None:
        """A heading; those of its level and below no longer hold."""
        self.above = tuple(heading for heading in self.above if heading[0] < level)
        self._add(Kind.HEADING, text, level=level)
        self.above += ((level, text),)

    def paragraph(self, text: str) -> None:
        """A paragraph under the headings so far; one that goes on in the middle is joined."""
        last = self.blocks[-1] if self.blocks else None
        if last and last.kind is Kind.PARAGRAPH and last.page == self.page and _goes_on(last, text):
            self.blocks.pop()
            text = f"{last.text} {text}"
        self._add(Kind.PARAGRAPH, text)

    def item(self, text: str, lead: str = "") -> None:
        """A list item, after the words that lead to its list."""
        self._add(Kind.ITEM, text, lead)

    def table(self, rows: Sequence[Sequence[str]], header: Sequence[str], caption: str) -> None:
        """Rows of cells under header cells ("" where a column has none)."""
        for cells in rows:
            self._add(Kind.ROW, "\t".join(cells), caption, _headed(header, cells))

    def lead(self) -> str:
        """The last sentence of the paragraph before, which may introduce a list or a table."""
        if not self.blocks or self.blocks[-1].kind is not Kind.PARAGRAPH:
            return ""
        return sentences(self.blocks[-1].text)[-1]

    def _add(self, kind: Kind, text: str, lead: str = "", cells: str = "", level: int = 0) -> None:
        if not any(map(str.isalnum, text)):
            return
        above = [heading for _, heading in self.above]
        if lead:
            above.append(_shortened(lead))
        context = " › ".join(above)
        if cells:
            context = f"{context}; {cells}" if context else cells
        self.blocks.append(Block(kind, text, context, self.page, level))


def _headed(header: Sequence[str], cells: Iterable[str]) -> str:
    """The cells that have a header, each after it."""
    pairs = zip(header, cells, strict=False)
    told = ((head, cell if len(cell) <= _CELL else "…") for head, cell in pairs if head and cell)
    return "; ".join(f"{head}: {cell}" for head, cell in told)


def _goes_on(before: Block, text: str) -> bool:
    cut = before.text[-1].isalpha() or before.text.endswith(",")
    return cut and len(before.text) >= _LINE and text[:1].islower()


def _shortened(text: str) -> str:
    return text if len(text) <= _LEAD else "…" + text[-_LEAD:].partition(" ")[2]
