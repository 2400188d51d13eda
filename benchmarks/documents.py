"""What reading documents takes: seconds per hundred pages, memory, and every page's account.

    python -m benchmarks.documents FOLDER...

Bars: under 3 s per hundred pages and 600 MB, the reader of PDFs included; no crash, no file over
20 s of processor time, each read or refused with its name, reason and mend, no page without text or
a reason. Reads every file below the folders, each as `askonto load` does but for the writing.
Prints a line for each file that is refused, partly read or wrong, and a summary; the exit code is 1
when any is wrong. A file without pages counts as one page for each 3,000 characters.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from loaders.sources import content, document
from loaders.sources.limits import Limits
from loaders.sources.recognise import recognise
from ontology.errors import AskontoError

LONGEST = 20.0  # seconds of processor time, which a busy machine does not lengthen much
PAGE = 3_000


@dataclass(frozen=True)
class Outcome:
    """What became of a file: `said` about it, `fault` where that breaks a promise."""

    pages: float = 0.0
    passages: int = 0
    said: str = ""
    fault: str = ""


def outcome(path: Path) -> Outcome:
    """Read one file, whatever it is."""
    try:
        data = content.read_file(path, path.name, Limits())
        kind = recognise(data, path.name)
        if kind.is_rdf:
            return Outcome(said=f"is {kind}, no document")
        read = document.read(data, kind=kind, address=path.as_uri())
    except AskontoError as error:
        told = error.reason and error.mend
        return Outcome(said=f"refused: {error.reason}", fault="" if told else "without a mend")
    lost = unaccounted(read)
    return Outcome(
        pages=read.pages or len(read.text) / PAGE,
        passages=len(read.passages),
        said="; ".join(read.warnings[:3]),
        fault=f"pages {lost} have neither text nor a reason" if lost else "",
    )


def unaccounted(read: document.Document) -> list[int]:
    """The pages of which the document says nothing at all."""
    told = {block.page for block in read.blocks}
    warned = {warning.partition(":")[0] for warning in read.warnings}
    numbers = range(1, read.pages + 1)
    return [page for page in numbers if page not in told and f"page {page}" not in warned]


def processor() -> float:
    """Seconds of processor time of this process and its children."""
    return sum(os.times()[:4])


def megabytes(who: int) -> float:
    """The most memory that this process, or any one of its children, has held.

    A child's is never told as less than its parent's when it began.
    """
    return resource.getrusage(who).ru_maxrss / 1_000


@dataclass
class Total:
    """What all files took; `spent` seconds passed, `worked` seconds of processor time."""

    files: int = 0
    read: int = 0
    wrong: int = 0
    pages: float = 0.0
    spent: float = 0.0
    worked: float = 0.0
    longest: float = 0.0

    def add(self, path: Path) -> None:
        """Read a file and tell what is to be said of it."""
        start, before = time.perf_counter(), processor()
        found = outcome(path)
        worked = processor() - before
        fault = found.fault or (f"took {worked:.0f} s" if worked > LONGEST else "")
        self.files, self.wrong = self.files + 1, self.wrong + bool(fault)
        self.read += found.passages > 0
        self.pages += found.pages
        self.spent += time.perf_counter() - start
        self.worked += worked
        self.longest = max(self.longest, worked)
        if found.said or fault:
            print(f"{path.name}: {found.said}{' WRONG: ' if fault else ''}{fault}", flush=True)

    def __str__(self) -> str:
        hundreds = max(self.pages, 1) / 100
        own, child = megabytes(resource.RUSAGE_SELF), megabytes(resource.RUSAGE_CHILDREN)
        return (
            f"{self.files} files: {self.read} read, {self.files - self.read} refused, "
            f"{self.wrong} wrong; {self.pages:,.0f} pages, a hundred in "
            f"{self.spent / hundreds:.2f} s ({self.worked / hundreds:.2f} s of processor); "
            f"slowest file {self.longest:.1f} s; {own:.0f} MB and {child:.0f} MB in the reader;"
        )


def main() -> int:
    """Measure the folders named on the command line."""
    folders = [Path(name) for name in sys.argv[1:]]
    files = [path for one in folders for path in sorted(one.rglob("*")) if path.is_file()]
    if not files:
        print(f"skipped: no files in {', '.join(map(str, folders)) or 'no folder'}")
        return 0
    total = Total()
    for path in files:
        total.add(path)
    print(total, f"load {os.getloadavg()[0]:.1f}")
    return int(total.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
