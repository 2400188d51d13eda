"""Embedding what has no vector yet, in the background and resumable at any moment."""

from __future__ import annotations

import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from loaders.ports import Embedder
from ontology.errors import AskontoError
from service.datafolder import DISK_ERRORS, disk_error
from service.index.forgetting import reconsider
from service.index.labels import BITS, Kind
from service.index.records import Records, locked
from service.index.vectors import Vectors

log = logging.getLogger(__name__)
_BATCH = 32
_AHEAD = 1024
_WORKERS = min(os.cpu_count() or 1, 4)
_SCHEMA = BITS[Kind.PREDICATE] | BITS[Kind.CLASS]
_FEW = 20_000
# What is few and steers the most comes first; literals are found by their letters, and so are
# proper names where there are many names.
_MANY = f"SELECT count(*) > {_FEW} FROM names"  # noqa: S608
_NAMES = """
SELECT DISTINCT text FROM names WHERE kinds & ? AND NOT (proper AND ?) AND NOT EXISTS
    (SELECT 1 FROM vectors WHERE model = ? AND vectors.sha = names.sha) LIMIT ?
"""
# Texts that are searched by, in the order in which they are needed.
_TEXTS = tuple(
    f"SELECT DISTINCT text FROM {table} WHERE NOT EXISTS"  # noqa: S608
    f" (SELECT 1 FROM vectors WHERE model = ? AND vectors.sha = {table}.sha) LIMIT ?"
    for table in ("groups", "sentences", "words")
)
_WANTED = """
SELECT count(*), count(row) FROM
    (SELECT sha FROM names WHERE kinds & ? UNION
        SELECT sha FROM names WHERE kinds & ? AND NOT (proper AND ?) UNION SELECT sha FROM groups
        UNION SELECT sha FROM sentences UNION SELECT sha FROM words) AS wanted
    LEFT JOIN vectors ON vectors.model = ? AND vectors.sha = wanted.sha
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many texts are to be embedded, and how many are."""

    wanted: int
    embedded: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to embed."""
        return self.embedded >= self.wanted


class Backlog:
    """The texts without a vector, worked off by one thread of one process at a time."""

    def __init__(
        self,
        folder: Path,
        records: Records,
        vectors: Vectors,
        embedder: Embedder,
    ) -> None:
        self._folder = folder
        self._lock = folder / "embedding.lock"
        self._records = records
        self._vectors = vectors
        self._embedder = embedder
        self._stop = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.error: AskontoError | None = None

    def progress(self) -> Progress:
        """Count what is embedded."""
        run = self._records.connection().execute
        (many,) = run(_MANY).fetchone()
        query = (_SCHEMA, BITS[Kind.ENTITY], many, self._vectors.model)
        row = run(_WANTED, query).fetchone()
        return Progress(*row)

    def start(self) -> None:
        """Begin in the background, unless some process is at it or this one is to stop."""
        with self._starting:
            if not self._stop.is_set() and not (self._thread and self._thread.is_alive()):
                self.error = None
                self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)
                self._thread.start()

    def join(self, seconds: float) -> bool:
        """Wait for the thread for at most so long; True when it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def stop(self) -> None:
        """End the thread after the batch it is at."""
        self._stop.set()
        with self._starting:
            if self._thread is not None:
                self._thread.join()

    def _run(self) -> None:
        with locked(self._lock, wait=False) as held:
            try:
                while held and not self._stop.is_set() and (texts := self._pending()):
                    revision = self._records.state("revision")
                    self._embed(texts)
                    if revision != self._records.state("revision"):
                        reconsider(self._folder, self._records, texts)
                    self._grow(whole=False)
                if held:
                    self._grow(whole=True)
            except AskontoError as error:
                self._fail(error)
            except DISK_ERRORS as error:
                self._fail(disk_error(error))

    def _fail(self, error: AskontoError) -> None:
        self.error = error
        log.warning("embedding stopped: %s", error)

    def _grow(self, *, whole: bool) -> None:
        matrix = self._vectors.matrix()
        self._vectors.approximate.grow(matrix, self._stop.is_set, whole=whole)

    def _pending(self) -> list[str]:
        run = self._records.connection().execute
        model = self._vectors.model
        texts = [text for (text,) in run(_NAMES, (_SCHEMA, False, model, _AHEAD))]
        texts += [text for (text,) in run(_TEXTS[0], (model, _AHEAD))]
        (many,) = run(_MANY).fetchone()
        rest = (
            (_NAMES, (BITS[Kind.ENTITY], many, model, _AHEAD)),
            *((q, (model, _AHEAD)) for q in _TEXTS),
        )
        for query, values in rest:
            texts = texts or [text for (text,) in run(query, values)]
        return list(dict.fromkeys(texts))

    def _embed(self, texts: list[str]) -> None:
        texts = sorted(texts, key=len)
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        pool = ThreadPoolExecutor(_WORKERS, "embedding", _step_back)
        try:
            done = zip(batches, pool.map(self._embedder.passages, batches), strict=True)
            for batch, vectors in done:
                self._vectors.add(batch, vectors)
                if self._stop.is_set():
                    return
        finally:
            pool.shutdown(cancel_futures=True)


def _step_back() -> None:
    """Let questions go first: on Linux a thread has a niceness of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
