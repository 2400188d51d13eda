"""What the tests of loaders share: a loader on the module's store, and small files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from loaders.addresses import items
from loaders.iris import Iris
from loaders.ledger import Ledger
from loaders.load import Loader
from loaders.receipt import Receipt, Refusal
from queries.store import Store

BASE = "https://example.org/data/"


@dataclass(frozen=True)
class Desk:
    """A loader, and questions to its store."""

    loader: Loader

    @property
    def store(self) -> Store:
        return self.loader.store

    @property
    def ledger(self) -> Ledger:
        return Ledger.from_store(self.store, self.loader.iris)

    def load(self, *paths: Path | str) -> list[Receipt | Refusal]:
        wanted = [item for path in paths for item in items(str(path))]
        return list(self.loader.load(wanted))

    def receipt(self, path: Path | str) -> Receipt:
        (receipt,) = self.load(path)
        assert isinstance(receipt, Receipt), receipt
        return receipt

    def refusal(self, path: Path | str) -> Refusal:
        (refusal,) = self.load(path)
        assert isinstance(refusal, Refusal), refusal
        return refusal

    def count(self, graph: NamedNode | str | None = None) -> int:
        """The triples of a graph, or of all but the ledger."""
        where = f"VALUES ?g {{ {NamedNode(str(graph).strip('<>'))} }}" if graph else ""
        rows = self.store.select(
            f"SELECT (COUNT(*) AS ?n) {{ {where} GRAPH ?g {{ ?s ?p ?o }} "
            f"FILTER(?g != {self.loader.iris.ledger}) }}"
        ).rows
        return int(getattr(rows[0][0], "value", -1))


@pytest.fixture
def desk(store: Store) -> Iterator[Desk]:
    """A loader on an empty store."""
    yield Desk(Loader(store, Iris(BASE)))
    store.update("DROP ALL")


Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a small file and give its path."""

    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def make_pdf() -> Callable[..., bytes]:
    """Makes a PDF of pages, each given as its content stream; `cmap` is a ToUnicode map."""

    def make(*pages: str, cmap: str = "") -> bytes:
        unicode_map = " /ToUnicode 4 0 R" if cmap else ""
        objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "",
            f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica{unicode_map} >>",
            _pdf_stream(cmap),
            "<< /CreationDate (D:20250124103000Z) >>",
        ]
        kids = []
        for content in pages:
            kids.append(f"{len(objects) + 1} 0 R")
            objects.append(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
                f"/Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects) + 2} 0 R >>"
            )
            objects.append(_pdf_stream(content))
        objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
        return _pdf_file(objects)

    return make


def _pdf_stream(content: str) -> str:
    return f"<< /Length {len(content.encode('latin-1'))} >>\nstream\n{content}\nendstream"


def _pdf_file(objects: Sequence[str]) -> bytes:
    out = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    return out + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")
