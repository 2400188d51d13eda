"""Replies that were good, kept by model and prompt, so that nothing is paid twice."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from loaders.extract.facts import Left
from loaders.extract.reply import Extraction
from ontology.errors import InputError

_LAYOUT = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT, address TEXT, asked TEXT NOT NULL, reply TEXT NOT NULL, PRIMARY KEY (key, address)
);
CREATE TABLE IF NOT EXISTS apart (
    address TEXT NOT NULL, position INTEGER NOT NULL, reason TEXT NOT NULL, statement TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS of_address ON replies (address);
CREATE INDEX IF NOT EXISTS apart_of ON apart (address);
"""


class Replies:
    """The replies to each document's prompts, and what of them was kept apart; threads share it.

    Raises InputError where the file is broken: what it holds was paid for, so nobody removes it.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            path, timeout=60, check_same_thread=False, isolation_level=None
        )
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(_LAYOUT)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise InputError(
                f"cannot be read ({error})",
                name=str(path),
                mend="Move it away; what it kept will be asked of the model again",
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def get(self, key: str, address: str) -> tuple[Extraction, str] | None:
        """The reply to a prompt and when it was given, whichever document's; now this one's too."""
        with self._writing() as run:
            row = run.execute("SELECT asked, reply FROM replies WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            run.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", (key, address, *row))
        return Extraction.model_validate_json(row[1]), row[0]

    def known(self, keys: Collection[str]) -> set[str]:
        """Those of the prompts that have a reply."""
        with self._lock:
            found = self._connection.execute("SELECT DISTINCT key FROM replies")
            return {key for (key,) in found} & set(keys)

    def put(self, key: str, address: str, reply: Extraction) -> str:
        """Keep a reply; returns the time it is kept under."""
        asked = datetime.now(UTC).isoformat(timespec="seconds")
        row = (key, address, asked, reply.model_dump_json())
        with self._writing() as run:
            run.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row)
        return asked

    def settle(self, address: str, keys: Collection[str], left: Iterable[Left]) -> None:
        """Keep only these of a document's replies, and what was left of their statements."""
        rows = [(address, one.position, one.reason, one.statement) for one in left]
        with self._writing() as run:
            stale = {
                key
                for (key,) in run.execute("SELECT key FROM replies WHERE address = ?", (address,))
            } - set(keys)
            run.executemany(
                "DELETE FROM replies WHERE key = ? AND address = ?",
                [(key, address) for key in stale],
            )
            run.execute("DELETE FROM apart WHERE address = ?", (address,))
            run.executemany("INSERT INTO apart VALUES (?, ?, ?, ?)", rows)

    def apart(self) -> list[tuple[str, Left]]:
        """What was kept apart, with the document's address."""
        query = "SELECT address, position, reason, statement FROM apart ORDER BY address, position"
        with self._lock:
            rows = self._connection.execute(query).fetchall()
        return [(row[0], Left(row[1], row[2], row[3], apart=True)) for row in rows]

    def retain(self, addresses: Collection[str]) -> None:
        """Forget all documents but these."""
        with self._lock:
            rows = self._connection.execute("SELECT DISTINCT address FROM replies").fetchall()
        self.forget({one for (one,) in rows} - set(addresses))

    def forget(self, addresses: Iterable[str]) -> int:
        """Forget documents; returns how many replies that were."""
        gone = [(one,) for one in addresses]
        with self._writing() as run:
            count = run.executemany("DELETE FROM replies WHERE address = ?", gone).rowcount
            run.executemany("DELETE FROM apart WHERE address = ?", gone)
        return max(count, 0)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            with self._connection:
                yield self._connection
