"""`askonto unload`: sources out of the graph, whole."""

from __future__ import annotations

import argparse
import sys

from loaders.iris import Iris
from loaders.load import Loader
from ontology.errors import InputError
from service.build import open_index, open_replies, open_store
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """Addresses."""
    parser.add_argument(
        "addresses", nargs="+", metavar="ADDRESS", help="a path, a URL, or as `sources` shows it"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print a receipt for each; 1 when one was not loaded."""
    failed = False
    with (
        open_store(settings) as store,
        open_replies(settings) as replies,
        open_index(settings, store) as index,
    ):
        loader = Loader(store, Iris(settings.base_iri))
        for address in args.addresses:
            try:
                receipt = loader.unload(address)
            except InputError as error:
                failed = True
                print(f"askonto: {error}", file=sys.stderr)
            else:
                forgotten = replies.forget([receipt.address])
                print(
                    f"{receipt.address}: unloaded, {receipt.removed:,} triples removed, "
                    f"{receipt.merges:,} merges undone, {forgotten:,} model replies forgotten"
                )
        index.refresh()  # so that nothing of them is left in it when the receipt has been read
    return int(failed)
