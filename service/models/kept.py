"""An embedder that keeps on disk what is asked of it in bulk, so that no process asks twice."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from loaders.ports import Embedder, Vectors

_BULK = 32
_SCHEMA = """
CREATE TABLE IF NOT EXISTS questions (
    model TEXT NOT NULL, sha BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, sha)
) WITHOUT ROWID
"""


class KeptEmbedder:
    """Keeps the question vectors of batches of 32 texts or more: a graph's predicates and such.

    Single questions are not kept. The file may be deleted at any time.
    """

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self.model = embedder.model
        self.passages = embedder.passages
        self.both = embedder.both
        self._questions = embedder.questions
        self._file = file

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched for; of many texts only the new ones are made."""
        if len(texts) < _BULK:
            return self._questions(texts)
        with self._opened() as connection:
            found = self._kept(connection, texts)
            new = [text for text in dict.fromkeys(texts) if text not in found]
            if new:
                vectors = self._questions(new)
                found.update(zip(new, vectors, strict=True))
                rows = [
                    (self.model, _sha(text), found[text].astype(np.float32).tobytes())
                    for text in new
                ]
                with connection:
                    connection.executemany("INSERT OR IGNORE INTO questions VALUES (?, ?, ?)", rows)
        return np.stack([found[text] for text in texts])

    def _kept(self, connection: sqlite3.Connection, texts: Sequence[str]) -> dict[str, Vectors]:
        query = "SELECT vector FROM questions WHERE model = ? AND sha = ?"
        found: dict[str, Vectors] = {}
        for text in texts:
            row = connection.execute(query, (self.model, _sha(text))).fetchone()
            if row:
                found[text] = np.frombuffer(row[0], np.float32)
        return found

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            opened = self._connected()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # a broken file: what it kept is made again
            self._file.unlink(missing_ok=True)
            opened = self._connected()
        with closing(opened) as connection:
            yield connection

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, timeout=60)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _sha(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
