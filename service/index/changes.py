"""One step of the records from one state of the graphs to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import astuple

from service.index.harvest import Harvest, Name
from service.index.labels import BITS, Kind
from service.index.normalise import local_name, normalise
from service.index.records import digest

_NAME = (
    "INSERT INTO names (graph, iri, text, language, alternative, derived, kinds, key, sha)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_PASSAGE = """
INSERT INTO passages (graph, iri, chunk, document, source, title, page, position, kind, language,
    text, context, valid_from, valid_until, applies_in, sha)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# A term's kinds come from every graph, so that a label in one and its use in another meet.
_SETTLE = """
UPDATE names SET kinds = coalesce(
    (SELECT sum(kind) FROM (SELECT DISTINCT kind FROM roles WHERE roles.iri = names.iri)), ?)
WHERE iri <> '' AND iri IN (SELECT iri FROM touched)
"""
_NAMELESS = """
SELECT roles.iri, min(roles.graph) FROM touched JOIN roles USING (iri)
WHERE NOT EXISTS (SELECT 1 FROM names WHERE names.iri = roles.iri AND NOT derived)
GROUP BY roles.iri
"""


class Changes:
    """Graphs replaced and removed within one transaction.

    `removed_*` and `added_*` are the numbers of the names and passages that this concerns, for
    the lexical indexes; a name whose kinds changed is in both.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.removed_names: set[int] = set()
        self.added_names: set[int] = set()
        self.removed_passages: set[int] = set()
        self.added_passages: set[int] = set()
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched (iri TEXT PRIMARY KEY)")
        connection.execute("DELETE FROM touched")
        (self._last_name,) = connection.execute("SELECT max(id) FROM names").fetchone()
        (self._last_passage,) = connection.execute("SELECT max(id) FROM passages").fetchone()

    def remove(self, graph: str) -> None:
        """Take out all that a graph gave."""
        run = self._connection.execute
        run("INSERT OR IGNORE INTO touched SELECT iri FROM names WHERE graph = ?", (graph,))
        run("INSERT OR IGNORE INTO touched SELECT iri FROM roles WHERE graph = ?", (graph,))
        self.removed_names |= self._numbers("DELETE FROM names WHERE graph = ? RETURNING id", graph)
        self.removed_passages |= self._numbers(
            "DELETE FROM passages WHERE graph = ? RETURNING id", graph
        )
        run("DELETE FROM roles WHERE graph = ?", (graph,))
        run("DELETE FROM graphs WHERE graph = ?", (graph,))

    def add(self, harvest: Harvest) -> None:
        """Put in what some graphs give."""
        many = self._connection.executemany
        many(_NAME, (_row(name, 0) for name in _sorted(harvest.names)))
        many(_NAME, (_row(name, BITS[Kind.LITERAL]) for name in _sorted(harvest.texts)))
        roles = [(graph, iri, BITS[kind]) for graph, iri, kind in harvest.roles]
        many("INSERT OR IGNORE INTO roles VALUES (?, ?, ?)", roles)
        many(_PASSAGE, ((*astuple(row), digest(row.wording())) for row in harvest.passages))
        touched = {name.iri for name in harvest.names} | {iri for _, iri, _ in harvest.roles}
        many("INSERT OR IGNORE INTO touched VALUES (?)", [(iri,) for iri in touched])

    def settle(self, generations: Mapping[str, int]) -> None:
        """Name the nameless by their IRI, give every touched term its kinds, note the graphs."""
        run, many = self._connection.execute, self._connection.executemany
        self.removed_names |= self._numbers(
            "DELETE FROM names WHERE derived AND iri IN (SELECT iri FROM touched) RETURNING id"
        )
        nameless = ((iri, graph, local_name(iri)) for iri, graph in run(_NAMELESS).fetchall())
        named = [Name(graph, iri, text, "", False) for iri, graph, text in nameless if text]
        many(_NAME, (_row(name, 0, derived=1) for name in named))
        run(_SETTLE, (BITS[Kind.ENTITY],))
        many("INSERT OR REPLACE INTO graphs VALUES (?, ?)", generations.items())
        self._count()

    def _count(self) -> None:
        moved = self._numbers(
            "SELECT id FROM names WHERE iri <> '' AND iri IN (SELECT iri FROM touched)"
        )
        last = self._last_name or 0
        self.added_names = moved | self._numbers("SELECT id FROM names WHERE id > ?", last)
        self.removed_names |= {number for number in moved if number <= last}
        last = self._last_passage or 0
        self.added_passages = self._numbers("SELECT id FROM passages WHERE id > ?", last)

    def _numbers(self, sql: str, *values: str | int) -> set[int]:
        return {row[0] for row in self._connection.execute(sql, values)}


def _sorted(names: Iterable[Name]) -> list[Name]:
    return sorted(names, key=lambda name: (name.graph, name.iri, name.alternative, name.text))


def _row(name: Name, kinds: int, *, derived: int = 0) -> tuple[str | int | bytes, ...]:
    key = normalise(name.text)
    head = (name.graph, name.iri, name.text, name.language, int(name.alternative))
    return (*head, derived, kinds, key, digest(name.text))
