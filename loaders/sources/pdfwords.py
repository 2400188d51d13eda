"""Words and lines of a PDF page as PDFium sees them, without what a reader does not see."""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as api

from loaders.text.clean import clean, spoiled

_HYPHEN = "\x02\ufffe"  # PDFium's marks of a hyphen at a line's end
_WORD = re.compile(rf"[^\s\x00{_HYPHEN}]+[{_HYPHEN}]?")
_SYMBOL = re.compile("[\uf000-\uf0ff]")  # a sign of a symbol font: a bullet of some shape
_TINY = 2.0  # points of height below which nobody reads
_GAP = 1.0  # of a line's height between two words: another cell
_GUTTER = 1.5  # points between columns that no word of a table crosses
_TABLE = 6  # lines that a gutter must run through
_WHITE = 250
_CONTRAST = 30  # of 255 between a letter and what it stands on
_BOLD = 600

Cells = list[tuple[float, float, str]]


class UnreadableError(Exception):
    """Why PDFium does not open a file: "password" or "broken"."""


@dataclass(slots=True)
class _Word:
    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: _Style


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text object is drawn."""

    invisible: bool = False
    white: bool = False
    bold: bool = False


def open_file(data: bytes) -> pdfium.PdfDocument:
    """The file, with the empty password if it needs one; raises UnreadableError."""
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise UnreadableError("password" if "password" in str(error) else "broken") from error


def lines(
    file: pdfium.PdfDocument, index: int
) -> tuple[list[tuple[Cells, float, float, bool]], list[str]]:
    """Lines of a page as (cells, top, bottom, bold), in the order they are drawn; its faults."""
    try:
        page = file[index]
        words = list(_words(page))
    except pdfium.PdfiumError:
        return [], ["it cannot be read"]
    seen, faults = _seen(page, words)
    if spoiled(" ".join(word.text for word in seen)):
        faults.append("it has characters whose meaning its fonts do not tell")
    grouped = _lines(seen)
    told = []
    for line, cells in zip(grouped, _cells(grouped), strict=True):
        if cells:
            top, bottom = min(w.top for w in line), max(w.bottom for w in line)
            told.append((cells, top, bottom, all(w.style.bold for w in line)))
    return told, faults


def _seen(page: pdfium.PdfPage, words: list[_Word]) -> tuple[list[_Word], list[str]]:
    """The words that a reader sees, and what is to be said of the page."""
    if not words:
        return [], ["no text: OCR needed" if _objects(page) else "it is empty"]
    faults = []
    letters = sum(len(word.text) for word in words)
    drawn = api.FPDFPage_CountObjects(page)
    if drawn > max(20, 2 * letters) and _objects(page).count(api.FPDF_PAGEOBJ_TEXT) > drawn / 2:
        faults.append("most of its text has fonts that do not tell their letters")
    invisible = all(word.style.invisible for word in words)
    if invisible and api.FPDF_PAGEOBJ_IMAGE in _objects(page):
        return words, [*faults, "its text is what a scanner recognised"]
    hidden = _hidden(page, words)
    if hidden:
        some = " ".join(word.text for word in hidden)[:60]
        faults.append(f"hidden text was left out: {clean(some)!r}")
    gone = set(map(id, hidden))
    return [word for word in words if id(word) not in gone], faults


def _objects(page: pdfium.PdfPage) -> list[int]:
    """The types of what is drawn on the page."""
    return [item.type for item in page.get_objects(max_depth=2)]


def _hidden(page: pdfium.PdfPage, words: Sequence[_Word]) -> list[_Word]:
    width, height = page.get_size()
    white = [word for word in words if word.style.white]
    unseen = set(map(id, _undrawn(page, white))) if white else set()
    return [
        word
        for word in words
        if word.style.invisible
        or id(word) in unseen
        or (word.bottom - word.top < _TINY and any(map(str.isalnum, word.text)))
        or not (word.right > 0 and word.left < width and word.bottom > 0 and word.top < height)
    ]


def _undrawn(page: pdfium.PdfPage, words: Sequence[_Word]) -> Iterator[_Word]:
    """Those words of which nothing shows where their part of the page is drawn."""
    width, height = page.get_size()
    x, y = int(max(0, min(w.left for w in words))), int(max(0, min(w.top for w in words)))
    right = int(max(0, width - max(word.right for word in words) - 1))
    below = int(max(0, height - max(word.bottom for word in words) - 1))
    if x + right >= width or y + below >= height:
        return  # they stand off the page
    bitmap = page.render(scale=1, grayscale=True, crop=(x, below, right, y))
    pixels, stride = memoryview(bitmap.buffer).cast("B"), bitmap.stride
    for word in words:
        left, end = max(0, int(word.left) - x), min(bitmap.width, int(word.right) + 1 - x)
        rows = range(max(0, int(word.top) - y), min(bitmap.height, int(word.bottom) + 1 - y))
        shades = [bytes(pixels[row * stride + left : row * stride + end]) for row in rows]
        shades = [shade for shade in shades if shade]
        if not shades or max(map(max, shades)) - min(map(min, shades)) < _CONTRAST:
            yield word


def _words(page: pdfium.PdfPage) -> Iterator[_Word]:
    """Words in the order they are drawn, their places from the page's top left corner."""
    text_page = page.get_textpage()
    count = text_page.count_chars()
    text = text_page.get_text_range() if count else ""
    if len(text) != count:  # characters outside the basic plane, or without a meaning
        text = "".join(chr(api.FPDFText_GetUnicode(text_page, at) or 32) for at in range(count))
    place = _Places(page, text_page)
    for match in _WORD.finditer(text):
        word, first = match.group(), match.start()
        if word[-1] in _HYPHEN:
            word = word[:-1] + "-"
        elif len(word) == 1 and _SYMBOL.match(word):
            word = "•"
        yield _Word(word, *place.box(first, match.end() - 1), place.style(first))


class _Places:
    """Where the characters of a page stand and how they are drawn."""

    def __init__(self, page: pdfium.PdfPage, text_page: pdfium.PdfTextPage) -> None:
        self._text_page = text_page.raw
        self._rotation = page.get_rotation()
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._rect = api.FS_RECTF()
        self._reference = ctypes.byref(self._rect)
        self._styles: dict[bytes, _Style] = {}

    def box(self, first: int, last: int) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the characters `first` to `last`, as the page is shown."""
        box = self._rect
        api.FPDFText_GetLooseCharBox(self._text_page, first, self._reference)
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        if last > first:
            api.FPDFText_GetLooseCharBox(self._text_page, last, self._reference)
            left, bottom = min(left, box.left), min(bottom, box.bottom)
            right, top = max(right, box.right), max(top, box.top)
        return self._shown(left, bottom, right, top)

    def _shown(
        self, left: float, bottom: float, right: float, top: float
    ) -> tuple[float, float, float, float]:
        """A box of the page's own coordinates where a reader sees it, from the top left corner."""
        if self._rotation == 0:
            return left - self._left, self._top - top, right - self._left, self._top - bottom
        if self._rotation == 90:
            return bottom - self._bottom, left - self._left, top - self._bottom, right - self._left
        if self._rotation == 180:
            return (
                self._right - right,
                bottom - self._bottom,
                self._right - left,
                top - self._bottom,
            )
        return self._top - top, self._right - right, self._top - bottom, self._right - left

    def style(self, at: int) -> _Style:
        """The style of the text object that a character belongs to."""
        item = api.FPDFText_GetTextObject(self._text_page, at)
        address = bytes(item)
        if (known := self._styles.get(address)) is None:
            known = self._styles[address] = _style(item) if item else _Style()
        return known


def _style(item: object) -> _Style:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    told = api.FPDFPageObj_GetFillColor(
        item, ctypes.byref(red), ctypes.byref(green), ctypes.byref(blue), ctypes.byref(alpha)
    )
    mode = api.FPDFTextObj_GetTextRenderMode(item)
    font = api.FPDFTextObj_GetFont(item)
    return _Style(
        invisible=mode in (api.FPDF_TEXTRENDERMODE_INVISIBLE, api.FPDF_TEXTRENDERMODE_CLIP)
        or (told and alpha.value == 0),
        white=bool(told) and min(red.value, green.value, blue.value) >= _WHITE,
        bold=bool(font) and api.FPDFFont_GetWeight(font) >= _BOLD,
    )


def _lines(words: Sequence[_Word]) -> list[list[_Word]]:
    """Words of equal height on the page that follow each other to the right."""
    found: list[list[_Word]] = []
    for word in words:
        if found and _continues(found[-1][-1], word):
            found[-1].append(word)
        else:
            found.append([word])
    return found


def _continues(last: _Word, word: _Word) -> bool:
    common = min(last.bottom, word.bottom) - max(last.top, word.top)
    least = min(last.bottom - last.top, word.bottom - word.top)
    return common > least / 2 and word.left > last.right - least


def _cells(grouped: Sequence[Sequence[_Word]]) -> Iterator[Cells]:
    """The cells of each line: words apart by a wide gap, or by a gutter through many lines."""
    start = 0
    for end in (*_breaks(grouped), len(grouped)):
        run = grouped[start:end]
        gutters = _gutters(run) if len(run) >= _TABLE else []
        for line in run:
            yield _split(line, gutters)
        start = end


def _breaks(grouped: Sequence[Sequence[_Word]]) -> Iterator[int]:
    """Where a line does not stand right below the one before."""
    for at in range(1, len(grouped)):
        above, below = grouped[at - 1][0], grouped[at][0]
        step = below.top - above.top
        if not 0 < step < 2.5 * max(above.bottom - above.top, 1):
            yield at


def _gutters(run: Sequence[Sequence[_Word]]) -> list[float]:
    """Middles of the gaps that no word of any line crosses; none where there are too few."""
    spans = sorted((word.left, word.right) for line in run for word in line)
    gutters = []
    reach = spans[0][1]
    for left, right in spans:
        if left - reach > _GUTTER:
            gutters.append((left + reach) / 2)
        reach = max(reach, right)
    return gutters if len(gutters) > 1 else []


def _split(line: Sequence[_Word], gutters: Sequence[float]) -> Cells:
    cells: list[list[_Word]] = []
    for word in line:
        last = cells[-1][-1] if cells else None
        if last is None or _apart(last, word, gutters):
            cells.append([word])
        else:
            cells[-1].append(word)
    told = []
    for cell in cells:
        text = clean(" ".join([word.text for word in cell])).strip()
        if text:
            told.append((round(cell[0].left, 1), round(cell[-1].right, 1), text))
    return told


def _apart(last: _Word, word: _Word, gutters: Sequence[float]) -> bool:
    if word.left - last.right > _GAP * (word.bottom - word.top):
        return True
    at = bisect_left(gutters, last.right)
    return at < len(gutters) and gutters[at] <= word.left
