"""Graphs loaded, indexed and asked as the service does it, for the benchmarks beside this."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from loaders.ports import Embedder
from loaders.receipt import Refusal
from queries.store import Store, open_embedded
from service.answering.facts import Facts
from service.answering.question import Question
from service.answering.reply import FactAnswer
from service.answering.trace import Trace
from service.answering.wanted import embedded
from service.index.index import Index
from service.models.embedding import open_embedder

BASE = "https://example.org/data/"


class GraphAsker:
    """Asks one graph; the seconds beside the embedding are in `seconds`."""

    def __init__(self, store: Store, index: Index, folder: Path, embedder: Embedder) -> None:
        self._facts = Facts(store, index, folder, embedder)
        self._embedder = embedder
        self.seconds: list[float] = []

    def prepare(self) -> None:
        """Learn of the graph what answers need."""
        self._facts.prepare()

    def ask(self, text: str, language: str = "en") -> FactAnswer:
        """What the graph answers."""
        question = Question(text, language, date.today())
        vectors = embedded(self._facts.wanted(question), self._embedder)
        start = time.perf_counter()
        answer = self._facts.find(question, vectors, Trace())
        self.seconds.append(time.perf_counter() - start)
        return answer

    def cost(self) -> str:
        """Median and 95th percentile beside the embedding."""
        ranked = sorted(self.seconds)
        late = ranked[min(len(ranked) - 1, len(ranked) * 95 // 100)]
        return f"p50 {statistics.median(ranked) * 1000:.0f} ms, p95 {late * 1000:.0f} ms"


@contextmanager
def asking(files: Iterable[Path], *, whole: bool = True) -> Iterator[GraphAsker]:
    """The files loaded into a store of their own; `whole` waits until all names have vectors."""
    embedder = open_embedder(None, None, None, seconds=60)
    assert embedder is not None, "install the extra [local]"
    with (
        tempfile.TemporaryDirectory() as name,
        open_embedded(Path(name) / "store", deadline=60) as store,
    ):
        loader = Loader(store, Iris(BASE))
        for file in files:
            for receipt in loader.load(items(str(file))):
                assert not isinstance(receipt, Refusal), receipt
        folder = Path(name) / "index"
        index = Index(folder, store, BASE, embedder if whole else None)
        try:
            index.refresh()
            index.wait()
            asker = GraphAsker(store, index, folder, embedder)
            asker.prepare()
            yield asker
        finally:
            index.close()


def names(answer: FactAnswer) -> list[set[str]]:
    """Each value of an answer as all that it may be called, best first, in lower case."""
    return [
        {text.lower() for text in (value.iri, value.label, value.value) if text}
        for value in answer.values
    ]


def hit(answer: FactAnswer, gold: Collection[str]) -> bool:
    """Whether the first value is right."""
    right = {text.lower() for text in gold}
    return bool(answer.values) and bool(names(answer)[0] & right)


def set_f1(answer: Sequence[set[str]], gold: Collection[str]) -> float:
    """F1 of the set of values; an empty answer is right where nothing is."""
    right = {text.lower() for text in gold}
    if not right or not answer:
        return float(not right and not answer)
    found = sum(bool(value & right) for value in answer)
    reached = sum(any(text in value for value in answer) for text in right)
    precision, recall = found / len(answer), reached / len(right)
    return 2 * precision * recall / (precision + recall) if found else 0.0


def shown(name: str, scores: Iterable[float]) -> str:
    """A figure's line."""
    values = list(scores)
    return f"{name} {statistics.mean(values):.3f} of {len(values)}" if values else f"{name}: none"
