"""One step of the records from one state of the graphs to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from service.index.forgetting import note
from service.index.groups import GroupOfPassages, grouped, vocabulary
from service.index.harvest import Harvest, Name
from service.index.labels import BITS, Kind
from service.index.normalise import local_name, normalise, proper
from service.index.records import digest

_NAME = (
    "INSERT INTO names (graph, iri, text, language, alternative, derived, kinds, proper, key, sha)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_PASSAGE = """
INSERT INTO passages (graph, iri, chunk, document, source, title, page, position, kind, language,
    text, context, valid_from, valid_until, applies_in)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_GROUP = """
INSERT INTO groups (graph, document, language, heading, first, last, valid_from, valid_until,
    applies_in, text, sha)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SENTENCE = (
    "INSERT INTO sentences (grouping, position, start, stop, text, sha) VALUES (?, ?, ?, ?, ?, ?)"
)
_WORD = "INSERT INTO words (graph, language, text, count, sha) VALUES (?, ?, ?, ?, ?)"
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

    `removed_*` and `added_*` are the numbers of the names and groups that this concerns, for
    the lexical indexes; a name whose kinds changed is in both.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.removed_names: set[int] = set()
        self.added_names: set[int] = set()
        self.removed_groups: set[int] = set()
        self.added_groups: set[int] = set()
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched (iri TEXT PRIMARY KEY)")
        connection.execute("DELETE FROM touched")
        (self._last_name,) = connection.execute("SELECT max(id) FROM names").fetchone()

    def remove(self, graph: str) -> None:
        """Take out all that a graph gave."""
        run = self._connection.execute
        note(self._connection, graph)
        run("INSERT OR IGNORE INTO touched SELECT iri FROM names WHERE graph = ?", (graph,))
        run("INSERT OR IGNORE INTO touched SELECT iri FROM roles WHERE graph = ?", (graph,))
        self.removed_names |= self._numbers("DELETE FROM names WHERE graph = ? RETURNING id", graph)
        self.removed_groups |= self._numbers(
            "DELETE FROM groups WHERE graph = ? RETURNING id", graph
        )
        run("DELETE FROM passages WHERE graph = ?", (graph,))
        run("DELETE FROM words WHERE graph = ?", (graph,))
        run("DELETE FROM roles WHERE graph = ?", (graph,))
        run("DELETE FROM graphs WHERE graph = ?", (graph,))

    def add(self, harvest: Harvest) -> None:
        """Put in what some graphs give."""
        many = self._connection.executemany
        many(_NAME, (_row(name, 0) for name in _sorted(harvest.names)))
        many(_NAME, (_row(name, BITS[Kind.LITERAL]) for name in _sorted(harvest.texts)))
        roles = [(graph, iri, BITS[kind]) for graph, iri, kind in harvest.roles]
        many("INSERT OR IGNORE INTO roles VALUES (?, ?, ?)", roles)
        many(_PASSAGE, harvest.passages)
        self._add_groups(list(grouped(harvest.passages)))
        touched = {name.iri for name in harvest.names} | {iri for _, iri, _ in harvest.roles}
        many("INSERT OR IGNORE INTO touched VALUES (?)", [(iri,) for iri in touched])

    def _add_groups(self, groups: Sequence[GroupOfPassages]) -> None:
        run, many = self._connection.execute, self._connection.executemany
        for group in groups:
            number = run(_GROUP, _group_row(group)).lastrowid or 0
            self.added_groups.add(number)
            many(
                _SENTENCE,
                [
                    (number, span.position, span.start, span.end, span.text, digest(span.text))
                    for span in group.spans
                ],
            )
        many(_WORD, [(*key, n, digest(key[2])) for key, n in vocabulary(groups).items()])

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

    def _numbers(self, sql: str, *values: str | int) -> set[int]:
        return {row[0] for row in self._connection.execute(sql, values)}


def _sorted(names: Iterable[Name]) -> list[Name]:
    return sorted(names, key=lambda name: (name.graph, name.iri, name.alternative, name.text))


def _group_row(group: GroupOfPassages) -> tuple[str | int | bytes, ...]:
    owner = group.document
    place = (owner.graph, owner.document, owner.language, group.heading, group.first, group.last)
    validity = (owner.valid_from, owner.valid_until, owner.applies_in)
    return (*place, *validity, group.text, digest(group.text))


def _row(name: Name, kinds: int, *, derived: int = 0) -> tuple[str | int | bytes, ...]:
    key = normalise(name.text)
    head = (name.graph, name.iri, name.text, name.language, int(name.alternative))
    return (*head, derived, kinds, proper(name.text, name.language), key, digest(name.text))
