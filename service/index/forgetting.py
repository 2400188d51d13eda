"""Vectors of texts that are gone: where no text is left that they are of, they are blanked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from service.index.records import Records, digest
from service.index.vectors import Vectors, models

_NOTE = "INSERT OR IGNORE INTO gone VALUES (?)"
_UNUSED = """
SELECT sha FROM gone
WHERE NOT EXISTS (SELECT 1 FROM names WHERE names.sha = gone.sha)
    AND NOT EXISTS (SELECT 1 FROM groups WHERE groups.sha = gone.sha)
    AND NOT EXISTS (SELECT 1 FROM sentences WHERE sentences.sha = gone.sha)
    AND NOT EXISTS (SELECT 1 FROM words WHERE words.sha = gone.sha)
"""
_NOTE_OF = """
INSERT OR IGNORE INTO gone
SELECT sha FROM names WHERE graph = :graph
UNION SELECT sha FROM groups WHERE graph = :graph
UNION SELECT sha FROM sentences
    WHERE grouping IN (SELECT id FROM groups WHERE graph = :graph)
UNION SELECT sha FROM words WHERE graph = :graph
"""
# The keys of rows without a text: those that are to be blanked, and those that are blank.
_HOLE, _BLANK = b"hole", b"void"
_HOLES = "SELECT sha, row FROM vectors WHERE model = ? AND sha BETWEEN ? AND ?"
_RENAME = "UPDATE vectors SET sha = ? WHERE model = ? AND sha = ?"


def note(connection: sqlite3.Connection, graph: str) -> None:
    """Note which texts a graph has, before it is removed."""
    connection.execute(_NOTE_OF, {"graph": graph})


def reconsider(folder: Path, records: Records, texts: Iterable[str]) -> None:
    """Forget those of the texts that were removed while their vectors were made."""
    with records.writing() as connection:
        connection.executemany(_NOTE, [(digest(text),) for text in texts])
    forget(folder, records)


def forget(folder: Path, records: Records) -> None:
    """Blank the vectors of the noted texts that nothing has any more, of every model.

    Their rows stay, as zeros without a text; what a kill leaves to be blanked the next call blanks.
    """
    known = models(records)
    with records.writing() as connection:
        unused = connection.execute(_UNUSED).fetchall()
        for model in known:
            keys = [(_key(_HOLE), model, sha) for (sha,) in unused]
            connection.executemany(_RENAME, keys)
        connection.execute("DELETE FROM gone")
    run = records.connection().execute
    for model in known:
        holes = run(_HOLES, (model, _HOLE, _HOLE + b"\xff" * 12)).fetchall()
        if holes:
            Vectors(folder, records, model).blank([row for _, row in holes])
            with records.writing() as connection:
                blank = [(_key(_BLANK), model, sha) for sha, _ in holes]
                connection.executemany(_RENAME, blank)


def _key(kind: bytes) -> bytes:
    return kind + os.urandom(12)
