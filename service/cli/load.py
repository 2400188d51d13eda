"""`askonto load`: files, folders, patterns and URLs into the graph, each whole or not at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from loaders.addresses import Item, items, listed
from loaders.extract.run import Extractor
from loaders.iris import Iris
from loaders.load import Loader
from loaders.receipt import Outcome, Receipt, Refusal
from ontology.errors import InputError
from queries.store import Store
from service.build import embedder_from, open_extractor, open_index, open_replies, open_store
from service.cli.extraction import estimate, extract
from service.cli.indexing import complete
from service.settings import Settings

_EMBEDDING_SECONDS = 60.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Addresses, and a list of saved copies."""
    parser.add_argument("addresses", nargs="*", metavar="FILE|FOLDER|PATTERN|URL")
    parser.add_argument(
        "--list",
        type=Path,
        metavar="LIST",
        help="a file with an address a line, or for saved copies tab-separated, with the columns "
        "file and url (the address to cite), optional title and language",
    )
    parser.add_argument(
        "--extract",
        action="store_true",
        help="have the chat model write down what the documents state",
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help="with --extract: any property and class, not only the ontology's",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="with --extract: only tell what it would take",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Load all that can be loaded; 1 when something was refused."""
    if not args.addresses and not args.list:
        raise InputError("nothing to load", mend="Name files, folders or URLs, or a --list")
    if (args.dry_run or args.open) and not args.extract:
        raise InputError("--dry-run and --open go with --extract")
    wanted = [*_wanted(args.addresses, args.list)]
    with ExitStack() as stack:
        store = stack.enter_context(open_store(settings))
        loader = Loader(store, Iris(settings.base_iri), allowed_hosts=settings.allowed_hosts or ())
        extractor = None
        if args.extract:
            opened = open_extractor(settings, store, bound=not args.open)
            extractor = stack.enter_context(opened)
        if extractor and args.dry_run:
            return int(not estimate(extractor, loader, wanted, settings.chat_price))
        return int(not _run(loader, wanted, extractor, settings))


def _run(
    loader: Loader, wanted: list[Item | Refusal], extractor: Extractor | None, settings: Settings
) -> bool:
    """Load, extract, index; whether all went well."""
    done = _load(loader, wanted)
    _print(done)
    receipts = [one for one in done if isinstance(one, Receipt)]
    well = len(receipts) == len(done)
    if extractor:
        addresses = [one.same_as or one.address for one in receipts]
        well = extract(extractor, addresses, settings.chat_price) and well
    else:
        replaced = [one.address for one in receipts if one.outcome is Outcome.REPLACED]
        with open_replies(settings) as replies:
            replies.forget(replaced)
    if receipts:
        _index(settings, loader.store)
    return well


def _index(settings: Settings, store: Store) -> None:
    """Words at once, vectors for a while; what is left goes on beside the next questions."""
    console = Console(stderr=True)
    with open_index(settings, store, embedder_from(settings)) as index:
        if not complete(index, console, _EMBEDDING_SECONDS):
            progress = index.progress()
            console.print(
                f"{progress.embedded:,} of {progress.wanted:,} texts have their vector; "
                "`askonto serve` goes on with the rest"
            )


def _wanted(addresses: list[str], file: Path | None) -> Iterator[Item | Refusal]:
    yield from chain.from_iterable(map(items, addresses))
    if file:
        yield from listed(file)


def _load(loader: Loader, wanted: list[Item | Refusal]) -> list[Receipt | Refusal]:
    console = Console(stderr=True, soft_wrap=True)
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
