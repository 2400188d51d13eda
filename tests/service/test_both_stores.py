"""The whole question line on the embedded store and on a real Fuseki: the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loaders import ontology
from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from loaders.receipt import Receipt
from queries.store import Store, open_remote
from service.answering.answer import Answering
from service.answering.contract import line_from, question_from
from service.answering.facts import Facts
from service.answering.passages import PassageAnswers
from service.answering.sources import Sources
from service.index.index import Index
from tests.queries.fuseki import running

BASE = "https://example.org/data/"


@contextmanager
def answering(store: Store, folder: Path, sample: Path) -> Iterator[Answering]:
    """The sample loaded into a store, to be asked; by words alone, which is the same each time."""
    ontology.ensure(store, None, BASE)
    loader = Loader(store, Iris(BASE))
    for name in ("graph.ttl", "documents"):
        receipts = list(loader.load(items(str(sample / name))))
        assert all(isinstance(one, Receipt) for one in receipts), receipts
    index = Index(folder, store, BASE)
    index.refresh()
    line = Answering(
        index=index,
        sources=Sources(store, Iris(BASE)),
        facts=Facts(store, index, folder),
        passages=PassageAnswers(index),
    )
    line.prepare()
    yield line
    line.close()
    index.close()


@pytest.fixture(scope="module")
def lines(
    store: Store, tmp_path_factory: pytest.TempPathFactory, sample: Path
) -> Iterator[tuple[Answering, Answering]]:
    folder = tmp_path_factory.mktemp("both")
    with (
        running(folder / "fuseki") as endpoints,
        open_remote(endpoints, deadline=30) as fuseki,
        answering(store, folder / "one", sample) as embedded,
        answering(fuseki, folder / "other", sample) as remote,
    ):
        yield embedded, remote


def questions() -> list[dict[str, Any]]:
    file = Path(__file__).parents[2] / "sample" / "questions.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("record", questions(), ids=lambda record: record["id"])
def test_both_stores_give_the_same_answer(
    lines: tuple[Answering, Answering], record: dict[str, Any]
) -> None:
    question = question_from(record, 1000)
    embedded, remote = (told(line_from(line.answer(question))) for line in lines)
    assert embedded == remote


def told(line: dict[str, Any]) -> dict[str, Any]:
    """All of a reply but what it cost and the queries, which name each store's own candidates."""
    return {
        name: value for name, value in line.items() if name not in {"seconds", "queries", "context"}
    }
