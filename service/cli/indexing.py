"""The index brought up to date on the terminal, its progress shown."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from service.index.index import Index

_LOOK = 0.25  # seconds


def complete(index: Index, console: Console, seconds: float = float("inf")) -> bool:
    """Index the words, then the vectors until all are there or the time is over."""
    with console.status("indexing"):
        index.refresh()
    until = time.monotonic() + seconds
    columns = (
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        while not (done := index.wait(_LOOK)) and time.monotonic() < until:
            progress = index.progress()
            bar.update(task, total=progress.wanted, completed=progress.embedded)
    return done
