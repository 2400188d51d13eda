"""Whether a lexical search finds each page of PDFs by that page's own rarest sentence.

    python -m benchmarks.pages FOLDER

Loads the PDFs into a store of their own and indexes their words. A page's text is read once more,
by PDFium alone, without our lines, columns and running heads; of its sentences (6 to 40 words,
longer ones cut) the one whose words are on the fewest pages is searched for. Found is the page when
one of the 12 best groups of passages, or the best, has passages of it. Prints the pages missed,
and what loading into the store and indexing took.
"""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pypdfium2

from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from queries.store import open_embedded
from service.index.index import Index
from service.index.passages import tokens

BASE = "https://example.org/data/"
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+")
_HYPHEN = re.compile("[\x02\ufffe]\\s*")
_WORD = re.compile(r"[^\W_]+")
_SHORTEST, _LONGEST = 6, 40
_BEST = 12


@dataclass(frozen=True, slots=True)
class Page:
    """A page as PDFium alone reads it."""

    address: str
    number: int
    sentences: tuple[str, ...]


def pages(folder: Path) -> Iterator[Page]:
    """All pages of a folder's PDFs."""
    for path in sorted(folder.glob("*.pdf")):
        file = pypdfium2.PdfDocument(path)
        for index in range(len(file)):
            text = _HYPHEN.sub("", file[index].get_textpage().get_text_range())
            pieces = [piece for part in _SENTENCE.split(text) for piece in _cut(part.split())]
            yield Page(path.absolute().as_uri(), index + 1, tuple(pieces))


def _cut(words: list[str]) -> Iterator[str]:
    for start in range(0, len(words), _LONGEST):
        some = words[start : start + _LONGEST]
        if len(some) >= _SHORTEST:
            yield " ".join(some)


def rarest(page: Page, there: Mapping[str, int]) -> str:
    """The sentence whose words are on the fewest pages; "" where the page has none."""

    def rarity(sentence: str) -> float:
        words = _WORD.findall(sentence.lower())
        return sum(-math.log(there[word]) for word in words) / max(len(words), 1)

    return max(page.sentences, key=rarity, default="")


def found(index: Index, page: Page, sentence: str) -> int:
    """The place of the best group with passages of the page, from 1; 0 where none has."""
    scored = {
        number: score
        for language in index.passages.languages()
        for number, score in index.passages.lexical(tokens(sentence), language, _BEST).items()
    }
    best = sorted(scored, key=scored.__getitem__, reverse=True)[:_BEST]
    for place, group in enumerate(index.passages.groups(best), 1):
        passages = index.passages.passages(group.document, group.first, group.last)
        if any((one.source, one.page) == (page.address, page.number) for one in passages):
            return place
    return 0


def measure(index: Index, read: list[Page]) -> None:
    """Search for every page and print what came of it."""
    there = Counter(
        word for page in read for word in set(_WORD.findall(" ".join(page.sentences).lower()))
    )
    places: Counter[int] = Counter()
    silent = 0
    for page in read:
        sentence = rarest(page, there)
        if not sentence:
            silent += 1
            continue
        place = found(index, page, sentence)
        places[place] += 1
        if not place:
            print(f"missed: {page.address.rpartition('/')[2]} page {page.number}: {sentence}")
    asked = places.total()
    print(
        f"{len(read)} pages, {silent} without a sentence; of {asked} found first "
        f"{places[1]} ({places[1] / max(asked, 1):.3f}), among the {_BEST} best "
        f"{asked - places[0]} ({1 - places[0] / max(asked, 1):.3f}); load {os.getloadavg()[0]:.1f}"
    )


def main() -> int:
    """Measure the folder named on the command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("absent")
    read = list(pages(folder))
    if not read:
        print(f"skipped: no PDFs in {folder}")
        return 0
    with (
        tempfile.TemporaryDirectory() as name,
        open_embedded(Path(name) / "store", deadline=60) as store,
    ):
        wanted = [item for path in sorted(folder.glob("*.pdf")) for item in items(str(path))]
        start = time.perf_counter()
        for receipt in Loader(store, Iris(BASE)).load(wanted):
            print(receipt.address.rpartition("/")[2], getattr(receipt, "warnings", receipt))
        loaded = time.perf_counter() - start
        index = Index(Path(name) / "index", store, BASE)
        index.refresh()
        indexed = time.perf_counter() - start - loaded
        hundreds = len(read) / 100
        print(
            f"100 pages: loaded in {loaded / hundreds:.2f} s, indexed in {indexed / hundreds:.2f} s"
        )
        measure(index, read)
        index.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
