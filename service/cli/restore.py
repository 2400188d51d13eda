"""`askonto restore`: a file's graphs in the place of all graphs of the store."""

from __future__ import annotations

import argparse
from pathlib import Path

from loaders.iris import Iris
from loaders.restore import restore
from service.build import open_store
from service.cli.steps import steps
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """The file."""
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="what `askonto backup` wrote, or any N-Quads, packed with gzip or not",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check the file, put it in, and say what the store holds now."""
    left = "the store has its old graphs or the new ones, whole"
    if settings.store:
        left += "; restart Fuseki before it is written again"
    with open_store(settings) as store, steps(left) as progress:
        done = restore(store, Iris(settings.base_iri), args.file, progress)
    checked = "count and checksum are right" if done.contents.sealed else "it has no checksum"
    print(f"{args.file}: {done.contents.quads:,} statements, {checked}")
    print(f"the store holds {done.statements:,} statements")
    return 0
