"""`askonto sources`: what is loaded."""

from __future__ import annotations

import argparse

from loaders.iris import Iris
from loaders.load import Loader
from service.build import open_store
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """One line a source: its address, triples, day, kind and title, separated by tabs."""
    with open_store(settings) as store:
        for one in Loader(store, Iris(settings.base_iri)).sources():
            print(one.address, one.triples, one.loaded[:10], one.kind, one.title, sep="\t")
    return 0
