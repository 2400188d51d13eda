"""What a question costs: seconds beside the embedding, and store round trips in sequence.

    python -m benchmarks.latency GRAPH QUESTIONS.jsonl

loads the graph into a data folder of its own and asks every question after a warm-up: once for the
time, once with the store slowed down for the round trips.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from queries.store import Store
from queries.store.results import Solutions
from service.answering.contract import question_from
from service.build import Askonto, open_askonto
from service.settings import Settings

Interval = tuple[float, float]
_SLOWED = 0.05  # seconds


class Watch(AbstractContextManager["Watch"]):
    """Slows each SELECT of a store, and notes when it begins and ends."""

    def __init__(self, store: Store) -> None:
        self.intervals: list[Interval] = []
        self._store = store
        self._select: Callable[..., Solutions] = store.select

    def __enter__(self) -> Watch:
        self._store.select = self._watched  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        self._store.select = self._select  # type: ignore[method-assign]

    def in_sequence(self) -> int:
        """The most round trips of which each began after the one before had ended."""
        count, last = 0, 0.0
        for start, end in sorted(self.intervals, key=lambda interval: interval[1]):
            if start >= last:
                count, last = count + 1, end
        return count

    def _watched(self, *args: Any, **options: Any) -> Solutions:
        start = time.perf_counter()
        time.sleep(_SLOWED)  # so that what is sent at once also overlaps where answers are quick
        try:
            return self._select(*args, **options)
        finally:
            self.intervals.append((start, time.perf_counter()))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", type=Path)
    parser.add_argument("questions", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder) / "data")
        with open_askonto(settings) as askonto:
            loader = Loader(askonto.store, Iris(settings.base_iri))
            for _ in loader.load(items(str(args.graph))):
                pass
            askonto.index.refresh()
            askonto.index.wait()
            askonto.answering.prepare()
            _report(askonto, [json.loads(line) for line in args.questions.open(encoding="utf-8")])


def _report(askonto: Askonto, records: Sequence[dict[str, Any]]) -> None:
    questions = [question_from(record, 100_000) for record in records]
    askonto.answering.answer(questions[0])
    beside, embedding, trips = [], [], []
    for question in questions:
        seconds = askonto.answering.answer(question).seconds
        embedding.append(seconds.get("embedding", 0.0))
        beside.append(seconds["total"] - embedding[-1])
        with Watch(askonto.store) as watch:
            askonto.answering.answer(question)
        trips.append(watch.in_sequence())
    print(f"{len(questions)} questions")
    for name, values in (("beside the embedding", beside), ("embedding", embedding)):
        print(f"{name}: p50 {_ms(values, 50)} ms, p95 {_ms(values, 95)} ms")
    print(f"round trips in sequence: at most {max(trips)}, median {statistics.median(trips):.0f}")


def _ms(values: Sequence[float], percent: int) -> str:
    ranked = sorted(values)
    return f"{1000 * ranked[min(len(ranked) - 1, len(ranked) * percent // 100)]:.0f}"


if __name__ == "__main__":
    main()
