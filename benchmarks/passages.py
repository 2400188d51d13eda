"""Documents loaded, indexed and asked as the service does it, for the benchmarks beside this."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from loaders.addresses import Item
from loaders.iris import Iris
from loaders.load import Loader
from loaders.ports import Embedder
from loaders.receipt import Refusal
from queries.store import open_embedded
from service.answering.passages import PassageAnswers
from service.answering.question import Question
from service.answering.reply import PassageAnswer
from service.answering.trace import Trace
from service.answering.wanted import embedded
from service.index.index import Index
from service.models.embedding import open_embedder

BASE = "https://example.org/data/"
AS_OF = date(2025, 6, 1)


class Asker:
    """Asks one index's documents; the seconds beside the embedding are in `seconds`."""

    def __init__(self, index: Index, embedder: Embedder) -> None:
        self._answers = PassageAnswers(index)
        self._embedder = embedder
        self.seconds: list[float] = []

    def prepare(self) -> None:
        """Learn of the documents what answers need."""
        self._answers.prepare()

    def ask(self, text: str, language: str) -> PassageAnswer:
        """What the documents answer."""
        question = Question(text, language, AS_OF)
        vectors = embedded(self._answers.wanted(question), self._embedder)
        start = time.perf_counter()
        answer = self._answers.find(question, vectors, Trace())
        self.seconds.append(time.perf_counter() - start)
        return answer


@contextmanager
def asking(items: Iterable[Item | Refusal]) -> Iterator[Asker]:
    """The items loaded into a store of their own and wholly embedded."""
    embedder = open_embedder(None, None, None, seconds=60)
    assert embedder is not None, "install the extra [local]"
    with (
        tempfile.TemporaryDirectory() as name,
        open_embedded(Path(name) / "store", deadline=60) as store,
    ):
        for receipt in Loader(store, Iris(BASE)).load(items):
            assert not isinstance(receipt, Refusal), receipt
        index = Index(Path(name) / "index", store, BASE, embedder)
        try:
            index.refresh()
            index.wait()
            asker = Asker(index, embedder)
            asker.prepare()
            yield asker
        finally:
            index.close()


@contextmanager
def texts(contents: dict[str, str], suffix: str = ".txt", language: str = "it") -> Iterator[Asker]:
    """As `asking`, for texts by name; a passage's source ends in its text's name and suffix."""
    with tempfile.TemporaryDirectory() as folder:
        items = []
        for name, content in contents.items():
            path = Path(folder) / f"{name}{suffix}"
            path.write_text(content, "utf-8")
            items.append(Item(address=path.as_uri(), path=path, language=language))
        with asking(items) as asker:
            yield asker


def names(answer: PassageAnswer) -> list[str]:
    """The names of the texts that an answer ranks, best first, each once."""
    return list(dict.fromkeys(Path(passage.source).stem for passage in answer.passages))


def hits(ranked: Iterable[tuple[list[str], set[str]]]) -> str:
    """Hits@1 and Hits@5 of (ranked names, right names)."""
    rows = list(ranked)
    first = sum(bool(right & set(found[:1])) for found, right in rows) / len(rows)
    five = sum(bool(right & set(found[:5])) for found, right in rows) / len(rows)
    return f"Hits@1 {first:.3f}, Hits@5 {five:.3f} of {len(rows)}"
