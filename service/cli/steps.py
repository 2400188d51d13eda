"""The steps of a long command on the terminal, and one line when it is stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from loaders import nquads


@contextmanager
def steps(stopped: str) -> Iterator[nquads.Progress]:
    """A bar that begins anew with each step; `stopped` is what Ctrl-C has left."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    try:
        shown = console.is_terminal
        with Progress(*columns, console=console, transient=True, disable=not shown) as bar:
            task = bar.add_task("", total=None)

            def progress(step: str, done: int, total: int) -> None:
                bar.update(task, description=step, completed=done, total=total or None)

            yield progress
    except KeyboardInterrupt:
        print(f"askonto: stopped; {stopped}", file=sys.stderr)
        raise


def megabytes(size: int) -> str:
    """A size for people."""
    return f"{size / 1e6:,.1f} MB"
