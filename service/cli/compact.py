"""`askonto compact`: disk space of what was removed given back."""

from __future__ import annotations

import argparse

from queries.store import whole
from queries.store.folder import Folder
from service.build import open_store
from service.cli.steps import megabytes, steps
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Compact, and tell the sizes where they are ours to see."""
    folder = None if settings.store else Folder.from_path(settings.data / "store")
    with open_store(settings) as store, steps("nothing is lost") as progress:
        before = folder.size() if folder else 0
        progress("compacting", 0, 0)
        whole.compact(store)
        after = folder.size() if folder else 0
    print(
        f"compacted: {megabytes(before)} before, {megabytes(after)} now" if folder else "compacted"
    )
    return 0
