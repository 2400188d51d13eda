"""`askonto load`: files, folders and URLs into the graph, each whole or not at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from loaders.addresses import Item, items, listed
from loaders.iris import Iris
from loaders.load import Loader
from loaders.receipt import Outcome, Receipt, Refusal
from ontology.errors import InputError
from service.build import open_index, open_store
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """Addresses, and a list of saved copies."""
    parser.add_argument("addresses", nargs="*", metavar="FILE|FOLDER|URL")
    parser.add_argument(
        "--list",
        type=Path,
        metavar="TSV",
        help="tab-separated, with the columns file and url (the address to cite), optional title "
        "and language",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Load all that can be loaded; 1 when something was refused."""
    if not args.addresses and not args.list:
        raise InputError("nothing to load", mend="Name files, folders or URLs, or a --list")
    wanted = [*_wanted(args.addresses, args.list)]
    with open_store(settings) as store:
        loader = Loader(store, Iris(settings.base_iri), allowed_hosts=settings.allowed_hosts or ())
        done = _load(loader, wanted)
        if any(isinstance(one, Receipt) for one in done):
            with Console(stderr=True).status("indexing"), open_index(settings, store) as index:
                index.refresh()
    _print(done)
    return int(any(isinstance(one, Refusal) for one in done))


def _wanted(addresses: list[str], tsv: Path | None) -> Iterator[Item | Refusal]:
    yield from chain.from_iterable(map(items, addresses))
    if tsv:
        yield from listed(tsv)


def _load(loader: Loader, wanted: list[Item | Refusal]) -> list[Receipt | Refusal]:
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=len(wanted))

        def progress(name: str, done: int, total: int) -> None:
            bar.update(task, description=name[-60:], completed=done, total=total)

        done = []
        for one in loader.load(wanted, progress):
            done.append(one)
            if isinstance(one, Refusal):
                console.print(f"refused: {one.line}", style="red", markup=False, highlight=False)
    return done


def _print(done: list[Receipt | Refusal]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("source", "outcome"):
        table.add_column(name, overflow="fold")
    for name in ("triples", "passages", "seconds"):
        table.add_column(name, justify="right")
    for one in done:
        if isinstance(one, Receipt):
            numbers = (f"{one.triples:,}", f"{one.passages:,}", f"{one.seconds:.2f}")
            table.add_row(_shown(one), _outcome(one), *numbers)
        else:
            table.add_row(_name(one.address), "refused")
    Console(markup=False, highlight=False, soft_wrap=True).print(table)


def _shown(receipt: Receipt) -> str:
    return "\n".join([_name(receipt.address), *(f"  note: {note}" for note in receipt.warnings)])


def _outcome(receipt: Receipt) -> str:
    if receipt.outcome is Outcome.DUPLICATE:
        return f"same as {_name(receipt.same_as)}"
    return receipt.outcome.value


def _name(address: str) -> str:
    """A file's path from here, or the address as it is."""
    if not address.startswith("file://"):
        return address
    path = Path(unquote(address.removeprefix("file://")))
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
