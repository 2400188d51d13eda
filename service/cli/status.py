"""`askonto status`: what is loaded, how far the index is, and what answers."""

from __future__ import annotations

import argparse

from loaders.iris import Iris
from loaders.ledger import Ledger
from service.build import open_askonto
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """One line each."""
    with open_askonto(settings) as askonto:
        ledger = Ledger.from_store(askonto.store, Iris(settings.base_iri))
        askonto.index.refresh()
        progress = askonto.index.progress()
        searched = "by words alone" if askonto.embedder is None else askonto.embedder.model
    triples = sum(one.triples for one in ledger.sources.values())
    print(f"data folder   {settings.data}")
    print(f"store         {settings.store or 'embedded'}")
    print(f"sources       {len(ledger.sources):,}, {triples:,} triples")
    print(f"search        {searched}, {progress.embedded:,} of {progress.wanted:,} texts embedded")
    print(f"chat model    {settings.chat_model or 'none: answers are facts and sentences'}")
    return 0
