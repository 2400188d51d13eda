"""The lines on PDF pages, read by PDFium in a process that may die of a hostile file.

`read` starts `python -m loaders.sources.pdfpages`, which gets the file on standard input and
writes a JSON object a line: the number of pages, then each page as it is done.
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
from dataclasses import dataclass, field
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
_DEATHS = 4  # pages that may kill the reader before it gives up


@dataclass(frozen=True, slots=True)
class Page:
    """A page, counted from 1; `faults` tells what of it was not read, and why."""

    number: int
    lines: tuple[Line, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class File:
    """What the readers of one file have told: its title and date as written in it, its pages."""

    title: str = ""
    created: str = ""
    count: int = 0
    pages: list[Page] = field(default_factory=list)
    seconds: float = 0.0  # of processor time
    error: str = ""


def read(data: bytes, name: str) -> File:
    """The file with every page; raises InputError where it cannot be opened."""
    file = File()
    started = time.monotonic()
    for _ in range(_DEATHS):
        _attempt(data, file, _WALL_SECONDS - (time.monotonic() - started))
        if file.error:
            raise _refusal(file.error, name)
        last = min(file.count, PAGES)
        if len(file.pages) >= last or file.seconds > _budget(file.count) - _PAGE_SECONDS:
            break
        number = len(file.pages) + 1
        file.pages.append(Page(number, faults=("it made the reader fail",)))
        file.seconds += _PAGE_SECONDS
    if not file.count:
        raise _refusal("broken", name)
    unread = range(len(file.pages) + 1, file.count + 1)
    limits = f"{PAGES} pages, {_budget(file.count):.0f} s and {_DEATHS} failures"
    reason = f"not reached within the limits of {limits}"
    file.pages += [Page(number, faults=(reason,)) for number in unread]
    return file


def _refusal(error: str, name: str) -> InputError:
    if error == "password":
        return InputError("password needed", name=name, mend="Save a copy without a password")
    return InputError("is no PDF that can be read", name=name, mend="Open it and save it anew")


def _attempt(data: bytes, file: File, seconds: float) -> None:
    """One reader, from the first page that is not told yet until its end or death."""
    numbers = (len(file.pages), int(file.seconds), _PAGE_SECONDS)
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
                    _take(json.loads(line), file)
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


def _take(told: dict[str, Any], file: File) -> None:
    file.error = told.get("error", "")
    if "count" in told:
        file.count, file.title, file.created = told["count"], told["title"], told["created"]
    if "page" in told:
        lines = tuple(
            Line(tuple((left, right, text) for left, right, text in cells), top, bottom, bold)
            for cells, top, bottom, bold in told["lines"]
        )
        file.pages.append(Page(told["page"], lines, tuple(told["faults"])))
        file.seconds = told["seconds"]


def _child(first: int, used: int, page_seconds: float) -> None:
    """The process's own part."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _limit(0, used)
    for told in _told(sys.stdin.buffer.read(), first, used, page_seconds):
        if "count" in told:
            _limit(told["count"], used)
        sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
        sys.stdout.flush()


def _limit(pages: int, used: int) -> None:
    """Ends the process when the file's time is over, of which earlier readers have used some."""
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (max(1, int(_budget(pages)) - used), most))


def _budget(pages: int) -> float:
    """Seconds of processor time for a file of so many pages."""
    return _SECONDS + _PER_PAGE * min(pages, PAGES)


def _told(data: bytes, first: int, used: int, page_seconds: float) -> Iterator[dict[str, Any]]:
    signal.setitimer(signal.ITIMER_PROF, page_seconds)  # SIGPROF ends the process
    try:
        file = pdfwords.open_file(data)
    except pdfwords.UnreadableError as error:
        yield {"error": str(error)}
        return
    count = len(file)
    title = collapse(file.get_metadata_value("Title"))
    yield {"count": count, "title": title, "created": file.get_metadata_value("CreationDate")}
    for index in range(first, min(count, PAGES)):
        signal.setitimer(signal.ITIMER_PROF, page_seconds)
        lines, faults = pdfwords.lines(file, index)
        yield {
            "page": index + 1,
            "lines": lines,
            "faults": faults,
            "seconds": used + time.process_time(),
        }


if __name__ == "__main__":
    _child(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
