"""Search among more vectors than can be compared one by one: a graph of near ones, by usearch.

The graph is HNSW (Malkov and Yashunin, 2018), in half precision, in one file that many processes
map. It may be behind the vectors; those that it lacks are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from usearch.index import Index

Matrix = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

EXACT = 100_000  # vectors that are compared one by one in 13 ms
_STEP = 50_000
_SPARE = 4  # times as many are asked for as are wanted, since some may not be looked for
_MOST = 16_384


class Approximate:
    """The graph over the rows of one file of vectors; one process at a time may let it grow."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mapped: tuple[int, Index | None] | None = None

    def grow(self, matrix: Matrix, stopped: Callable[[], bool], *, whole: bool) -> None:
        """Take in the rows that it lacks, once they are many, or at all when told the whole.

        The file is replaced when all are in; stopped before that, it stays as it was.
        """
        index = self._restored(view=False)
        count = len(index) if index is not None else 0
        wanting = len(matrix) - count
        if len(matrix) <= EXACT or wanting < (1 if whole else max(_STEP, count // 4)):
            return
        if index is None:
            index = Index(ndim=matrix.shape[1], metric="ip", dtype="f16")
        for start in range(count, len(matrix), 1024):
            rows = np.arange(start, min(start + 1024, len(matrix)))
            index.add(rows, np.ascontiguousarray(matrix[rows]), threads=1)
            if stopped():
                return
        fresh = self._path.with_suffix(".new")
        index.save(str(fresh))
        fresh.replace(self._path)

    def covered(self) -> int:
        """How many rows, from the first on, it knows."""
        index = self._index()
        return len(index) if index is not None else 0

    def nearest(
        self, questions: Matrix, limit: int, wanted: Flags
    ) -> list[list[tuple[int, float]]]:
        """For each question, shape (n, dimensions), the nearest wanted rows and their cosines.

        `wanted` says of each covered row whether it is looked for.
        """
        index = self._index()
        if index is None:
            return [[] for _ in questions]
        asked = limit * _SPARE
        while True:
            found = [_matches(index, question, asked, wanted)[:limit] for question in questions]
            if asked >= min(len(index), _MOST) or all(len(row) == limit for row in found):
                return found
            asked *= _SPARE

    def forget(self) -> None:
        """Remove the file: its rows are no more what they were."""
        self._path.unlink(missing_ok=True)

    def _index(self) -> Index | None:
        """The graph as it is on disk now, mapped anew when it has been replaced."""
        try:
            version = self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return None
        if self._mapped is None or self._mapped[0] != version:
            self._mapped = version, self._restored(view=True)
        return self._mapped[1]

    def _restored(self, *, view: bool) -> Index | None:
        """The graph out of its file; None without one, and for one that is broken."""
        try:
            return Index.restore(str(self._path), view=view) if self._path.exists() else None
        except ValueError:
            return None


def _matches(index: Index, question: Matrix, asked: int, wanted: Flags) -> list[tuple[int, float]]:
    matches = index.search(question, min(asked, len(index)), threads=1)
    rows = matches.keys.astype(np.int64)
    kept = (rows < len(wanted)) & wanted[np.minimum(rows, len(wanted) - 1)]
    cosines = 1.0 - matches.distances[kept]
    return list(zip(rows[kept].tolist(), cosines.tolist(), strict=True))
