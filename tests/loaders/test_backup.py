"""Backups and restores: checked, whole, known to the index; nothing changes when one is refused."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, parse

from loaders import nquads
from loaders.addresses import items
from loaders.backup import back_up
from loaders.copying import copy
from loaders.iris import Iris
from loaders.ledger import Ledger
from loaders.load import Loader
from loaders.publish import _writer
from loaders.restore import restore
from ontology.errors import AskontoError, InputError
from queries.store import Store, open_embedded, whole
from queries.store.errors import StoreUnavailable

IRIS = Iris("https://example.org/data/")
TURTLE = '@prefix e: <http://e.org/> . e:a e:p "{}" ; e:q "line\\nbreak", "è"@it .'


def quiet(step: str, done: int, total: int) -> None:
    """No progress is shown."""


@pytest.fixture
def loader(store: Store, tmp_path: Path) -> Loader:
    store.update("DROP ALL")
    loader = Loader(store, IRIS)
    load(loader, tmp_path, "first")
    return loader


def load(loader: Loader, folder: Path, word: str) -> None:
    file = folder / "a.ttl"
    file.write_text(TURTLE.format(word))
    assert len(list(loader.load(items(str(file))))) == 1


def words(store: Store) -> set[str]:
    rows = store.select("SELECT DISTINCT ?o { <http://e.org/a> <http://e.org/p> ?o }")
    return {str(getattr(row[0], "value", "")) for row in rows}


@pytest.mark.parametrize("name", ["b.nq", "b.nq.gz"])
def test_a_backup_is_plain_nquads_with_its_count_and_checksum(
    loader: Loader, tmp_path: Path, name: str
) -> None:
    done = back_up(loader.store, tmp_path / name, quiet)
    raw = (tmp_path / name).read_bytes()
    text = gzip.decompress(raw) if name.endswith(".gz") else raw
    assert len(list(parse(text, format=RdfFormat.N_QUADS))) == done.contents.quads
    *lines, last = text.splitlines(keepends=True)
    assert last == nquads.seal(len(lines), hashlib.sha256(b"".join(lines)).hexdigest())
    assert {path.name for path in tmp_path.iterdir()} == {name, "a.ttl"}


def test_a_restore_brings_back_what_was_and_is_news_to_the_index(
    loader: Loader, tmp_path: Path
) -> None:
    store, file = loader.store, tmp_path / "b.nq.gz"
    back_up(store, file, quiet)
    before = Ledger.from_store(store, IRIS)
    load(loader, tmp_path, "second")
    changed = Ledger.from_store(store, IRIS)
    assert words(store) == {"second"}
    restore(store, IRIS, file, quiet)
    after = Ledger.from_store(store, IRIS)
    assert words(store) == {"first"}
    assert after.sources.keys() == before.sources.keys()
    newest = max(source.generation for source in changed.sources.values())
    assert all(source.generation > newest for source in after.sources.values())


def test_plain_nquads_of_others_are_taken_by_their_count(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "other.nq"
    file.write_text('<http://e.org/a> <http://e.org/p> "x" <http://e.org/g> .\n' * 2)
    done = restore(store, IRIS, file, quiet)
    assert not done.contents.sealed
    assert done.statements == 2  # the statement, and the ledger's generation


@pytest.mark.parametrize(
    ("damage", "words_of_it"),
    [
        (lambda text: text.replace(b"first", b"fi$st"), "count or checksum"),
        (lambda text: b"\n".join(text.splitlines()[1:]) + b"\n", "count or checksum"),
        (lambda text: text.replace(b" .\n", b" \n", 1), "N-Quads"),
        (lambda text: text + text, "count or checksum"),
        (lambda text: gzip.compress(text)[:-20], "cut or damaged"),
        (lambda text: b"<html>\n", "N-Quads"),
    ],
)
def test_a_damaged_file_is_refused_and_nothing_changes(
    loader: Loader, tmp_path: Path, damage: object, words_of_it: str
) -> None:
    file = tmp_path / "b.nq"
    back_up(loader.store, file, quiet)
    load(loader, tmp_path, "second")
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    count = whole.count(loader.store)
    with pytest.raises(InputError, match=words_of_it):
        restore(loader.store, IRIS, file, quiet)
    assert whole.count(loader.store) == count
    assert words(loader.store) == {"second"}


def test_a_restore_is_refused_while_a_source_is_loaded(loader: Loader, tmp_path: Path) -> None:
    file = tmp_path / "b.nq"
    back_up(loader.store, file, quiet)
    source = next(iter(Ledger.from_store(loader.store, IRIS).sources.values()))
    writing = replace(source, address="file:///big", writer=_writer())
    entry = f"GRAPH {IRIS.ledger} {{ {writing.ntriples(IRIS)} }}"
    loader.store.update(f"INSERT DATA {{ {entry} }}")
    with pytest.raises(StoreUnavailable, match="being loaded"):
        restore(loader.store, IRIS, file, quiet)


def test_a_backup_that_fails_leaves_no_file_and_the_old_one(loader: Loader, tmp_path: Path) -> None:
    file = tmp_path / "b.nq"
    file.write_text("the old one")

    def stopped(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(loader.store, file, stopped)
    assert file.read_text() == "the old one"
    assert not (tmp_path / "b.nq.part").exists()


def test_a_copy_goes_into_an_empty_store_only(loader: Loader, tmp_path: Path) -> None:
    with open_embedded(tmp_path / "target", deadline=10) as target:
        held = copy(loader.store, target, IRIS, quiet)
        assert held == whole.count(loader.store)
        assert words(target) == {"first"}
        with pytest.raises(AskontoError, match="holds statements"):
            copy(loader.store, target, IRIS, quiet)


def test_a_file_without_an_end_of_line_is_refused(loader: Loader, tmp_path: Path) -> None:
    file = tmp_path / "zeros"
    with file.open("wb") as zeros:
        zeros.truncate(200_000_000)
    with pytest.raises(InputError, match=r"zeros: has a line of more than .* Is it N-Quads"):
        restore(loader.store, IRIS, file, lambda *_: None)
