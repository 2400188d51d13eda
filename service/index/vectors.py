"""Vectors of texts in one append-only file a model, mapped into memory, and searches in them."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from service.index.approximate import EXACT, Approximate
from service.index.records import Records, digest

Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

_BLOCK = 65_536
_MORE = 4  # times as many are asked of a graph as are wanted, since it knows no mean
_TINY = 1e-9
_WIDTH = "dimensions of "


class Vectors:
    """The vectors of one model; the records say which text's vector lies in which row."""

    def __init__(self, folder: Path, records: Records, model: str) -> None:
        name = hashlib.sha256(model.encode()).hexdigest()[:16]
        self._path = folder / f"vectors-{name}.f32"
        self._records = records
        self._width_key = _WIDTH + model
        self._mapped: Matrix = np.empty((0, 0), np.float32)
        self.model = model
        self.approximate = Approximate(self._path.with_suffix(".hnsw"))
        self._forget_lost_rows()

    def count(self) -> int:
        """Return how many rows there are."""
        query = "SELECT coalesce(max(row) + 1, 0) FROM vectors WHERE model = ?"
        return int(self._records.connection().execute(query, (self.model,)).fetchone()[0])

    def add(self, texts: Sequence[str], vectors: Matrix) -> None:
        """Keep the vectors of texts, shape (len(texts), dimensions).

        The file is on disk before the records name its rows, so that a kill loses at most these.
        """
        with self._records.writing() as connection:
            start = self.count()
            width = vectors.shape[1]
            self._records.keep(self._width_key, width)
            with self._path.open("r+b" if self._path.exists() else "w+b") as file:
                file.truncate(start * width * 4)
                file.seek(start * width * 4)
                file.write(np.ascontiguousarray(vectors, np.float32).tobytes())
                file.flush()
                os.fsync(file.fileno())
            rows = [(self.model, digest(text), start + i) for i, text in enumerate(texts)]
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def blank(self, rows: Sequence[int]) -> None:
        """Write zeros over rows; what the approximate graph has of them goes with it."""
        size = self._records.state(self._width_key) * 4
        if not rows or not self._path.exists():
            return
        with self._path.open("r+b") as file:
            for row in rows:
                file.seek(row * size)
                file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())
        if min(rows) < self.approximate.covered():
            self.approximate.forget()

    def of(self, texts: Iterable[str]) -> dict[str, Matrix]:
        """Return the vectors of those of the texts that have one."""
        matrix = self.matrix()
        query = "SELECT row FROM vectors WHERE model = ? AND sha = ?"
        select = self._records.connection().execute
        rows = {text: select(query, (self.model, digest(text))).fetchone() for text in texts}
        return {text: matrix[row[0]] for text, row in rows.items() if row and row[0] < len(matrix)}

    def matrix(self) -> Matrix:
        """Return all rows, shape (count, dimensions), mapped from the file."""
        count = self.count()
        if len(self._mapped) < count:
            width = self._records.state(self._width_key)
            self._mapped = np.memmap(self._path, np.float32, "r", shape=(count, width))
        return self._mapped

    def _forget_lost_rows(self) -> None:
        needed = self.count() * self._records.state(self._width_key) * 4
        held = self._path.stat().st_size if self._path.exists() else 0
        if held < needed:
            self._records.connection().execute("DELETE FROM vectors WHERE model = ?", (self.model,))
            self.approximate.forget()


def models(records: Records) -> list[str]:
    """Return the models of which there are vectors."""
    rows = records.connection().execute("SELECT key FROM state WHERE key GLOB ?", (_WIDTH + "*",))
    return [key.removeprefix(_WIDTH) for (key,) in rows]


class View:
    """Numbered items and the vectors of each: the part of the vectors that a search looks at.

    `rows` are in order; past 100,000 of them `nearest` asks the approximate graph, if given.
    """

    def __init__(
        self,
        numbers: Numbers,
        rows: Numbers,
        matrix: Matrix,
        approximate: Approximate | None = None,
    ) -> None:
        self._numbers = numbers
        self._rows = rows
        self._all = matrix
        self._approximate = approximate if len(rows) > EXACT else None

    def __len__(self) -> int:
        return len(self._numbers)

    def nearest(self, questions: Matrix, limit: int) -> list[list[tuple[int, float]]]:
        """For each question the items nearest to it, with the cosines that `centred` gives.

        The questions, shape (n, dimensions), have their own mean taken from them already.
        """
        if not len(self) or not len(questions):
            return [[] for _ in questions]
        if self._approximate is not None and (covered := self._approximate.covered()):
            return self._nearly(self._approximate, covered, questions, limit)
        scores = questions @ self._matrix.T - (questions @ self._mean)[:, np.newaxis]
        return self._best(np.asarray(scores / self._lengths, np.float32), limit, self._numbers)

    def _nearly(
        self, approximate: Approximate, covered: int, questions: Matrix, limit: int
    ) -> list[list[tuple[int, float]]]:
        """Of the covered rows the nearest by the graph, of the rest by comparing each.

        The graph knows no mean: more are asked for, and put in order with it.
        """
        wanted = np.zeros(covered, np.bool_)
        wanted[self._rows[self._rows < covered]] = True
        near = approximate.nearest(questions, limit * _MORE, wanted)
        rest = np.searchsorted(self._rows, covered)
        further: list[list[tuple[int, float]]] = [[] for _ in questions]
        if rest < len(self):
            rows = self._rows[rest:]
            further = self._best(questions @ self._all[rows].T, limit * _MORE, rows)
        return [
            self._centred_rows(question, [row for row, _ in (*graph, *compared)])[:limit]
            for question, graph, compared in zip(questions, near, further, strict=True)
        ]

    def _centred_rows(self, question: Matrix, rows: Sequence[int]) -> list[tuple[int, float]]:
        """The items that have one of the rows, nearest first."""
        chosen = np.array(sorted(set(rows)), np.int64)
        vectors = self._all[chosen]
        lengths = np.sqrt(np.maximum(_squares(vectors, self._mean), _TINY))
        scores = (vectors @ question - self._mean @ question) / lengths
        found: list[tuple[int, float]] = []
        for place in np.argsort(-scores):
            first, last = np.searchsorted(self._rows, (chosen[place], chosen[place] + 1))
            found += ((int(n), float(scores[place])) for n in self._numbers[first:last])
        return found

    def centred(self, question: Matrix, numbers: Collection[int]) -> dict[int, float]:
        """Return the items' cosines to the question, with the mean of all taken from each.

        The question, shape (dimensions,), has its own mean taken from it already.
        """
        wanted = np.fromiter(numbers, np.int64, len(numbers))
        found = np.minimum(np.searchsorted(self._ordered, wanted), max(len(self) - 1, 0))
        if not len(self):
            return {}
        known = self._ordered[found] == wanted
        places = self._order[found[known]]
        scores = self._matrix[places] @ question - self._mean @ question
        return dict(
            zip(wanted[known].tolist(), (scores / self._lengths[places]).tolist(), strict=True)
        )

    def centred_item(self, number: int) -> Matrix | None:
        """Return an item's own vector without the mean, of length 1; None where it has none."""
        place = int(np.searchsorted(self._ordered, number))
        if place >= len(self) or self._ordered[place] != number:
            return None
        rest = self._matrix[self._order[place]] - self._mean
        return np.asarray(rest / max(float(np.linalg.norm(rest)), 1e-9), np.float32)

    @cached_property
    def _matrix(self) -> Matrix:
        whole = len(self) == len(self._all) and bool((self._rows == np.arange(len(self))).all())
        return self._all if whole else self._all[self._rows]

    @cached_property
    def _mean(self) -> Matrix:
        total = np.zeros(self._all.shape[1], np.float64)
        for start in range(0, len(self), _BLOCK):
            total += self._all[self._rows[start : start + _BLOCK]].sum(axis=0, dtype=np.float64)
        return np.asarray(total / max(len(self), 1), np.float32)

    @cached_property
    def _lengths(self) -> Matrix:
        """How far each item is from the mean."""
        squares = _squares(self._matrix, self._mean)
        return np.asarray(np.sqrt(np.maximum(squares, _TINY)), np.float32)

    @cached_property
    def _order(self) -> Numbers:
        return np.asarray(np.argsort(self._numbers), np.int64)

    @cached_property
    def _ordered(self) -> Numbers:
        return self._numbers[self._order]

    @staticmethod
    def _best(scores: Matrix, limit: int, numbers: Numbers) -> list[list[tuple[int, float]]]:
        kept = min(limit, len(numbers))
        best = np.argpartition(-scores, kept - 1, axis=1)[:, :kept]
        return [
            [(int(numbers[i]), float(row[i])) for i in chosen[np.argsort(-row[chosen])]]
            for row, chosen in zip(scores, best, strict=True)
        ]


def _squares(vectors: Matrix, mean: Matrix) -> Matrix:
    """The squared distances of vectors of length 1 from their mean."""
    return np.asarray(1.0 - 2.0 * (vectors @ mean) + mean @ mean, np.float32)


class Views:
    """Views on the vectors by one query, kept until what they show has changed.

    The query gives (number, row); its first value is the model, the rest are those of `of`. It
    is to look the vectors up for its items (CROSS JOIN): the other way round takes minutes.
    While vectors are being added a view may lag, so that rebuilding costs 5 % of the time.
    """

    def __init__(self, records: Records, vectors: Vectors | None, query: str) -> None:
        self._records = records
        self._vectors = vectors
        self._query = query
        self._lock = threading.Lock()
        self._kept: dict[tuple[int | str, ...], _Kept] = {}

    def of(self, *values: int | str) -> View:
        """Return the view for the query's values; an empty one without an embedder."""
        if self._vectors is None:
            return View(np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 0), np.float32))
        revision, count = self._records.state("revision"), self._vectors.count()
        with self._lock:
            kept = self._kept.get(values)
            if kept is None or not kept.serves(revision, count):
                kept = self._kept[values] = self._build(self._vectors, revision, count, values)
        return kept.view

    def _build(
        self, vectors: Vectors, revision: int, count: int, values: tuple[int | str, ...]
    ) -> _Kept:
        start = time.monotonic()
        matrix = vectors.matrix()
        rows = self._records.connection().execute(self._query, (vectors.model, *values))
        pairs = np.array(rows.fetchall(), np.int64).reshape(-1, 2)
        pairs = pairs[pairs[:, 1] < len(matrix)]
        pairs = pairs[np.argsort(pairs[:, 1], kind="stable")]
        view = View(pairs[:, 0], pairs[:, 1], matrix, vectors.approximate)
        return _Kept(view, revision, count, start, time.monotonic() - start)


@dataclass(frozen=True, slots=True)
class _Kept:
    view: View
    revision: int
    count: int
    built: float
    seconds: float

    def serves(self, revision: int, count: int) -> bool:
        young = time.monotonic() - self.built < 20 * self.seconds
        return self.revision == revision and (self.count == count or young)
