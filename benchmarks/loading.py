"""What loading costs beside the store's own ways.

    python -m benchmarks.loading FILE.nt.gz [FOLDER]

Up to 10,000 triples: `Loader.load` against a Graph Store PUT of the same N-Triples (bar 1.5 ×), in
turns, medians of 9. All of the file: `Loader.load` into a new graph against `oxigraph load` with
the server stopped (bar 4 ×). With a folder of web pages: the load of all against a PUT of the
triples that each gives, and what reading them costs alone.
"""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pyoxigraph import NamedNode, RdfFormat, serialize

from loaders.addresses import Item
from loaders.iris import Iris
from loaders.load import Loader
from loaders.receipt import Receipt
from loaders.sources import document
from queries.store import Store, open_embedded

ROUNDS = 9


def seconds(work: Callable[[], object]) -> float:
    """How long it takes once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def load(loader: Loader, path: Path) -> None:
    """Load a file, which must be new."""
    (receipt,) = loader.load([Item(address=path.as_uri(), path=path)])
    assert isinstance(receipt, Receipt), receipt


def small(store: Store, folder: Path, lines: list[bytes]) -> None:
    """Load against PUT, a file of its own each time."""
    loader = Loader(store, Iris("https://example.org/data/"))
    for size in (100, 1_000, 10_000):
        put, own = [], []
        for number in range(ROUNDS):
            some = lines[number * size : (number + 1) * size]
            path = folder / f"{size}-{number}.nt"
            path.write_bytes(b"".join(some))
            graph = NamedNode(f"http://example.org/{size}/{number}")
            put.append(seconds(partial(store.put_graph, graph, path.read_bytes())))
            own.append(seconds(partial(load, loader, path)))
        ours, theirs = statistics.median(own), statistics.median(put)
        print(f"{size:>7,} triples: load {ours:.4f} s, PUT {theirs:.4f} s, {ours / theirs:.2f} ×")


def pages(store: Store, folder: Path) -> None:
    """A folder of web pages against a PUT of what each one gives, and reading them alone."""
    loader = Loader(store, Iris("https://example.org/data/"))
    items = [Item(path.absolute().as_uri(), path=path) for path in sorted(folder.glob("*.html"))]
    loader.document(items[0])
    alone = seconds(lambda: [loader.document(item) for item in items])
    theirs = sum(put(store, loader, item) for item in items)
    ours = seconds(lambda: list(loader.load(items)))
    print(
        f"{len(items)} pages: load {ours:.3f} s, of it reading {alone:.3f} s, PUT {theirs:.3f} s; "
        f"{ours / theirs:.2f} ×, beside reading {(ours - alone) / theirs:.2f} ×"
    )


def put(store: Store, loader: Loader, item: Item) -> float:
    """How long a PUT takes of the triples that a document gives."""
    read = loader.document(item)
    assert read is not None, item
    triples = set(document.triples(read, loader.iris.base))
    data = serialize(triples, format=RdfFormat.N_TRIPLES) or b""
    return seconds(partial(store.put_graph, NamedNode(item.address), data))


def whole(store: Store, folder: Path, path: Path) -> None:
    """Load of the whole file against `oxigraph load`."""
    ours = seconds(lambda: load(Loader(store, Iris("https://example.org/data/")), path))
    plain = folder / "whole.nt"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    oxigraph = Path(sys.executable).with_name("oxigraph")
    command = [str(oxigraph), "load", "--location", str(folder / "bare"), "--file", str(plain)]
    theirs = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
    print(f"whole file: load {ours:.2f} s, oxigraph load {theirs:.2f} s, {ours / theirs:.2f} ×")


def main() -> int:
    """Measure with the file named on the command line."""
    path = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else Path("absent")
    if not path.is_file():
        print(f"skipped: {path} is not there")
        return 0
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_embedded(folder / "data", deadline=60) as store:
            small(store, folder, lines)
            if len(sys.argv) > 2:
                pages(store, Path(sys.argv[2]))
        with open_embedded(folder / "empty", deadline=60) as store:
            whole(store, folder, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
