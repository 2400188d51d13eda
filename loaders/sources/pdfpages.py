"""The lines on PDF pages, read by PDFium in a process that may die of a hostile file.

`read` starts `python -m loaders.sources.pdfpages`, which gets the file on standard input and
writes a JSON object a line: the number of pages, then each page as it is done. A large file has two
of them, one for the odd pages and one for the even ones.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from loaders.sources import pdfwords
from loaders.text.clean import collapse
from loaders.text.layout import Line
from ontology.errors import InputError

PAGES = 2_000  # pages of a file that are read
_SECONDS = 20  # of processor time for a file
_PER_PAGE = 0.03  # seconds of processor time for each of its pages beside
_PAGE_SECONDS = 4  # of processor time for a page
_WALL_SECONDS = 120.0  # however busy the machine is
_MEMORY = 1_500_000_000  # bytes of address space
_DEATHS = 4  # pages that may kill the readers before they give up
_LARGE = 400_000  # bytes from which on a file has two readers


@dataclass(frozen=True, slots=True)
class Page:
    """A page, counted from 1; `faults` tells what of it was not read, and why."""

    number: int
    lines: tuple[Line, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class File:
    """A file's title and date as written in it, and all its pages."""

    title: str
    created: str
    pages: tuple[Page, ...]


@dataclass(slots=True)
class _Part:
    """Every `step`-th page from index `first` on: what its readers have told of the file."""

    first: int
    step: int
    title: str = ""
    created: str = ""
    count: int = 0
    pages: list[Page] = field(default_factory=list)
    seconds: float = 0.0  # of processor time
    error: str = ""

    @property
    def following(self) -> int:
        """The index of the first page that is not told yet."""
        return self.first + self.step * len(self.pages)

    @property
    def budget(self) -> float:
        """Seconds of processor time for its pages."""
        return _budget(self.count) / self.step


def read(data: bytes, name: str) -> File:
    """The file with every page; raises InputError where it cannot be opened."""
    step = 2 if len(data) > _LARGE else 1
    parts = [_Part(first, step) for first in range(step)]
    with ThreadPoolExecutor(step) as pool:
        list(pool.map(partial(_read, data), parts))
    told = next((part for part in parts if part.count), parts[0])
    error = next((part.error for part in parts if part.error), "" if told.count else "broken")
    if error:
        raise _refusal(error, name)
    limits = f"{PAGES} pages, {_budget(told.count):.0f} s and {_DEATHS} failures"
    unread = (f"not reached within the limits of {limits}",)
    for part in parts:
        indexes = range(part.following, told.count, step)
        part.pages += [Page(index + 1, faults=unread) for index in indexes]
    pages = sorted((page for part in parts for page in part.pages), key=lambda page: page.number)
    return File(told.title, told.created, tuple(pages))


def _read(data: bytes, part: _Part) -> None:
    """All pages of a part, by as many readers one after the other as its hostile pages need."""
    started = time.monotonic()
    for _ in range(_DEATHS // part.step):
        _attempt(data, part, _WALL_SECONDS - (time.monotonic() - started))
        done = part.following >= min(part.count, PAGES)
        if part.error or done or part.seconds > part.budget - _PAGE_SECONDS:
            return
        part.pages.append(Page(part.following + 1, faults=("it made the reader fail",)))
        part.seconds += _PAGE_SECONDS


def _refusal(error: str, name: str) -> InputError:
    if error == "password":
        return InputError("password needed", name=name, mend="Save a copy without a password")
    return InputError("is no PDF that can be read", name=name, mend="Open it and save it anew")


def _attempt(data: bytes, part: _Part, seconds: float) -> None:
    """One reader, from the first page that is not told yet until its end or death."""
    numbers = (part.following, part.step, int(part.seconds), _PAGE_SECONDS)
    command = [sys.executable, "-m", __name__, *map(str, numbers)]
    with subprocess.Popen(  # noqa: S603 (our own module, no shell)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        watchdog = threading.Timer(max(seconds, 1.0), process.kill)
        watchdog.start()
        try:
            _feed(process, data)
            for line in process.stdout or ():
                if line.endswith(b"\n"):
                    _take(json.loads(line), part)
        finally:
            watchdog.cancel()
            process.kill()


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    if process.stdin is None:
        return
    try:
        process.stdin.write(data)
        process.stdin.close()
    except BrokenPipeError:
        return  # it died; what it has told counts


def _take(told: dict[str, Any], part: _Part) -> None:
    part.error = told.get("error", "")
    if "count" in told:
        part.count, part.title, part.created = told["count"], told["title"], told["created"]
    if "page" in told:
        lines = tuple(
            Line(tuple((left, right, text) for left, right, text in cells), top, bottom, bold)
            for cells, top, bottom, bold in told["lines"]
        )
        part.pages.append(Page(told["page"], lines, tuple(told["faults"])))
        part.seconds = told["seconds"]


def _child(first: int, step: int, used: int, page_seconds: float) -> None:
    """The process's own part."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _limit(_budget(0) / step - used)
    for told in _told(sys.stdin.buffer.read(), first, step, used, page_seconds):
        if "count" in told:
            _limit(_budget(told["count"]) / step - used)
        sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
        sys.stdout.flush()


def _limit(seconds: float) -> None:
    """Ends the process when the time is over that earlier readers have left of its part's."""
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, int(seconds)), most))


def _budget(pages: int) -> float:
    """Seconds of processor time for a file of so many pages."""
    return _SECONDS + _PER_PAGE * min(pages, PAGES)


def _told(
    data: bytes, first: int, step: int, used: int, page_seconds: float
) -> Iterator[dict[str, Any]]:
    signal.setitimer(signal.ITIMER_PROF, page_seconds)  # SIGPROF ends the process
    try:
        file = pdfwords.open_file(data)
    except pdfwords.UnreadableError as error:
        yield {"error": str(error)}
        return
    count = len(file)
    title = collapse(file.get_metadata_value("Title"))
    yield {"count": count, "title": title, "created": file.get_metadata_value("CreationDate")}
    for index in range(first, min(count, PAGES), step):
        signal.setitimer(signal.ITIMER_PROF, page_seconds)
        lines, faults = pdfwords.lines(file, index)
        yield {
            "page": index + 1,
            "lines": lines,
            "faults": faults,
            "seconds": used + time.process_time(),
        }


if __name__ == "__main__":
    _child(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
