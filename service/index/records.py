"""The index's truth in one SQLite file: names, roles, passages in groups, keys of vectors."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSION = 5

_SCHEMA = """
CREATE TABLE state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE graphs (graph TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE names (
    id INTEGER PRIMARY KEY AUTOINCREMENT, graph TEXT NOT NULL, iri TEXT NOT NULL,
    text TEXT NOT NULL, language TEXT NOT NULL, alternative INTEGER NOT NULL,
    derived INTEGER NOT NULL DEFAULT 0, kinds INTEGER NOT NULL DEFAULT 0,
    proper INTEGER NOT NULL DEFAULT 0,
    key TEXT NOT NULL, sha BLOB NOT NULL
);
CREATE INDEX names_by_graph ON names (graph);
CREATE INDEX names_by_iri ON names (iri) WHERE iri <> '';
CREATE INDEX names_by_key ON names (key);
CREATE VIEW labels AS
    SELECT id, kinds, iri, text, language, alternative, graph, key FROM names;
CREATE TABLE roles (
    graph TEXT NOT NULL, iri TEXT NOT NULL, kind INTEGER NOT NULL,
    PRIMARY KEY (graph, iri, kind)
) WITHOUT ROWID;
CREATE INDEX roles_by_iri ON roles (iri);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, graph TEXT NOT NULL, iri TEXT NOT NULL,
    chunk TEXT NOT NULL, document TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
    page INTEGER, position INTEGER NOT NULL, kind TEXT NOT NULL, language TEXT NOT NULL,
    text TEXT NOT NULL, context TEXT NOT NULL, valid_from TEXT NOT NULL,
    valid_until TEXT NOT NULL, applies_in TEXT NOT NULL
);
CREATE INDEX passages_by_graph ON passages (graph);
CREATE INDEX passages_by_document ON passages (document, position);
CREATE INDEX passages_by_iri ON passages (iri);
CREATE TABLE groups (
    id INTEGER PRIMARY KEY AUTOINCREMENT, graph TEXT NOT NULL, document TEXT NOT NULL,
    language TEXT NOT NULL, heading TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    valid_from TEXT NOT NULL, valid_until TEXT NOT NULL, applies_in TEXT NOT NULL,
    text TEXT NOT NULL, sha BLOB NOT NULL
);
CREATE INDEX groups_by_graph ON groups (graph);
CREATE TABLE sentences (
    id INTEGER PRIMARY KEY, grouping INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    position INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    text TEXT NOT NULL, sha BLOB NOT NULL
);
CREATE INDEX sentences_by_group ON sentences (grouping);
CREATE TABLE words (
    id INTEGER PRIMARY KEY, graph TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL,
    count INTEGER NOT NULL, sha BLOB NOT NULL
);
CREATE INDEX words_by_graph ON words (graph);
CREATE INDEX words_by_language ON words (language, text);
CREATE TABLE vectors (
    model TEXT NOT NULL, sha BLOB NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (model, sha)
) WITHOUT ROWID;
CREATE INDEX vectors_by_row ON vectors (model, row);
CREATE TABLE gone (sha BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX names_by_sha ON names (sha);
CREATE INDEX groups_by_sha ON groups (sha);
CREATE INDEX sentences_by_sha ON sentences (sha);
CREATE INDEX words_by_sha ON words (sha);
"""


def digest(text: str) -> bytes:
    """Return the 16 bytes under which a text's vector is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


class Records:
    """The SQLite file of a folder, a connection for each thread; writers queue, readers do not.

    A file that is broken or of another version is replaced by an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "records.sqlite"
        self._threads = threading.local()
        self._opened: list[tuple[threading.Thread, sqlite3.Connection]] = []
        with locked(folder / "records.lock"):
            if not self._usable():
                self._create()

    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection, in autocommit mode."""
        held: sqlite3.Connection | None = getattr(self._threads, "connection", None)
        if held is None:
            held = self._connect()
            self._threads.connection = held
            self._opened.append((threading.current_thread(), held))
        return held

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one transaction: all of it is written, or nothing."""
        connection = self.connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def state(self, key: str) -> int:
        """Return a number kept under the key, 0 when there is none."""
        row = self.connection().execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0

    def keep(self, key: str, value: int) -> None:
        """Keep a number under the key; inside `writing` with the rest, or at once."""
        self.connection().execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))

    def close(self) -> None:
        """Close the connections of this thread and of those that have ended.

        Closing one that is read from would end the process: it is closed with its thread.
        """
        while self._opened:
            thread, connection = self._opened.pop()
            if thread is threading.current_thread() or not thread.is_alive():
                connection.close()
        self._threads = threading.local()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=60, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is removed is overwritten
        return connection

    def _usable(self) -> bool:
        if not self.path.exists():
            return False
        try:
            connection = self._connect()
            try:
                found = connection.execute("PRAGMA user_version").fetchone()[0]
                connection.execute("SELECT count(*) FROM graphs").fetchone()
            finally:
                connection.close()
        except sqlite3.DatabaseError:
            return False
        return bool(found == VERSION)

    def _create(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        connection = self._connect()
        connection.execute("PRAGMA journal_mode = WAL")
        first = time.time_ns()  # no lexical index of an earlier file is of one of its revisions
        connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {VERSION};")
        connection.execute("INSERT INTO state VALUES ('revision', ?)", (first,))
        connection.execute("COMMIT")
        connection.close()


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the file's lock over the block; yields False without it when not told to wait."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
