"""Extraction on the command line: an estimate before, a report after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from loaders.addresses import Item
from loaders.extract.document import Document
from loaders.extract.report import Report
from loaders.extract.run import Extractor
from loaders.load import Loader
from loaders.receipt import Refusal
from loaders.sources.document import triples
from ontology.errors import AskontoError

_SHOWN = 5


def extract(extractor: Extractor, addresses: Iterable[str], price: float | None) -> bool:
    """Extract from loaded documents and tell what became of each; whether all went well."""
    errors = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("extracting")

        def progress(title: str, done: int, total: int) -> None:
            bar.update(task, description=f"extracting {done}/{total} {title[-60:]}")

        reports = list(extractor.extract(addresses, progress))
    for report in reports:
        for position, reason in report.failed:
            errors.print(f"failed: {report.address}, chunk {position}: {reason}", style="red")
        if report.stopped:
            errors.print(f"not stored: {report.address}: {report.stopped}", style="red")
    _print(reports)
    tokens = sum(report.tokens for report in reports)
    print(f"{sum(report.calls for report in reports):,} calls, {_cost(tokens, price)}")
    return not any(report.failed or report.stopped for report in reports)


def estimate(
    extractor: Extractor, loader: Loader, wanted: Iterable[Item | Refusal], price: float | None
) -> bool:
    """Tell what extraction from sources would take, and change nothing; whether all can be read."""
    refused: list[str] = []
    documents = _documents(loader, wanted, refused)
    table = _table("source", "chunks", "calls", "about tokens")
    calls = tokens = 0
    for one in extractor.estimate(documents):
        table.add_row(one.title, f"{one.chunks:,}", f"{one.calls:,}", f"{one.tokens:,}")
        calls, tokens = calls + one.calls, tokens + one.tokens
    Console(markup=False, highlight=False, soft_wrap=True).print(table)
    errors = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    for line in refused:
        errors.print(f"refused: {line}", style="red")
    print(f"{calls:,} calls, about {_cost(tokens, price)}; nothing was loaded or asked")
    return not refused


def _documents(
    loader: Loader, wanted: Iterable[Item | Refusal], refused: list[str]
) -> Iterator[tuple[str, Document]]:
    for item in wanted:
        if isinstance(item, Refusal):
            refused.append(item.line)
            continue
        try:
            read = loader.document(item)
        except AskontoError as error:
            error.name = item.name
            refused.append(Refusal(item.name, error).line)
            continue
        if read:
            yield item.address, Document.from_triples(triples(read, loader.iris.base))


def _print(reports: list[Report]) -> None:
    table = _table("document", "statements", "apart", "rejected", "chunks", "asked", "failed")
    for one in reports:
        numbers = (
            *(one.facts, len(one.kept_apart), one.rejected.total()),
            *(one.chunks, one.asked, len(one.failed)),
        )
        shown = ("unchanged",) + ("",) * 5 if one.unchanged else tuple(f"{n:,}" for n in numbers)
        table.add_row(one.title, *shown)
        for reason, count in one.rejected.most_common(_SHOWN):
            table.add_row(f"  rejected {count:,}: {reason}")
    Console(markup=False, highlight=False, soft_wrap=True).print(table)


def _table(name: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(name, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right")
    return table


def _cost(tokens: int, price: float | None) -> str:
    cost = f", {tokens * price / 1_000_000:,.2f} at the set price" if price is not None else ""
    return f"{tokens:,} tokens{cost}"
