"""`askonto backup`: all graphs of the store in one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from loaders.backup import back_up
from service.build import open_store
from service.cli.steps import megabytes, steps
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """The file."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="N-Quads; packed when the name ends in .gz"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write it, and say what is in it."""
    with open_store(settings) as store, steps("no file was written") as progress:
        done = back_up(store, args.file, progress)
    contents = done.contents
    print(
        f"{args.file}: {contents.quads:,} statements, {megabytes(done.size)}, "
        f"sha256 {contents.sha256}"
    )
    return 0
