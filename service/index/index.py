"""The index: it follows the ledger's generation, and finds labels and passages."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from pyoxigraph import NamedNode

from loaders.ports import Embedder
from queries import library
from queries.store.client import Store
from queries.store.results import Term
from service.index.backlog import Backlog, Progress
from service.index.changes import Changes
from service.index.forgetting import forget
from service.index.harvest import harvest
from service.index.labels import FIELDS as NAME_FIELDS
from service.index.labels import Labels, kinds_of
from service.index.labels import tokens as name_tokens
from service.index.lexical import Lexical, LexicalDocument
from service.index.passages import FIELDS as PASSAGE_FIELDS
from service.index.passages import Passages
from service.index.passages import tokens as passage_grams
from service.index.records import Records, locked
from service.index.vectors import Matrix, Vectors

_NAMES = "SELECT id, kinds, text FROM names"
_GROUPS = "SELECT id, language, text FROM groups"
_AMONG = " WHERE id IN (SELECT value FROM json_each(?))"

_FINE = 1_000_000


class Index:
    """Labels and passages of the store, in a folder that many processes share.

    The records (SQLite) are the truth; the lexical indexes are made again when they disagree
    with them, and so is a folder that cannot be read. Without an embedder it is lexical only.
    """

    def __init__(
        self, folder: Path, store: Store, base_iri: str, embedder: Embedder | None = None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._store = store
        self._ledger = NamedNode(base_iri + "ledger")
        self._records = Records(folder)
        self._names = Lexical(folder / "names", NAME_FIELDS)
        self._texts = Lexical(folder / "groups", PASSAGE_FIELDS)
        vectors = Vectors(folder, self._records, embedder.model) if embedder else None
        self._vectors = vectors
        self.labels = Labels(self._records, self._names, vectors)
        self.passages = Passages(self._records, self._texts, vectors)
        self._backlog = (
            Backlog(folder, self._records, vectors, embedder) if embedder and vectors else None
        )
        self._seen = -1

    @property
    def revision(self) -> int:
        """A number that grows with every change of what the index holds."""
        return self._seen

    def refresh(self) -> None:
        """See what any process has loaded until now; one round trip when nothing is new.

        Words are found when this returns; vectors follow in the background.
        """
        if self._generation() != self._records.state("generation"):
            with locked(self._folder / "writer.lock"):
                generation = self._generation()
                if generation != self._records.state("generation"):
                    self._update(generation)
        if self._seen != self._records.state("revision"):
            self._follow()

    def behind(self) -> bool:
        """Whether any process has loaded something since the last refresh; one round trip."""
        known = self._records.state("generation"), self._records.state("revision")
        return known != (self._generation(), self._seen)

    def resume(self) -> None:
        """Go on with the embedding where the embedder had failed, since it works again."""
        if self._backlog and self._backlog.error:
            self._backlog.start()

    @property
    def complete(self) -> bool:
        """Whether all that should have a vector has one."""
        return self.progress().complete

    def progress(self) -> Progress:
        """Return how far the embedding is; 0 of 0 without an embedder."""
        return self._backlog.progress() if self._backlog else Progress(0, 0)

    def embed_pending(self) -> None:
        """Go on with the embedding in the background, unless some process is at it."""
        if self._backlog:
            self._backlog.start()

    def wait(self, seconds: float = float("inf")) -> bool:
        """Wait until the index is complete; False when the time is over first.

        An embedder that fails is a ModelError here.
        """
        until = time.monotonic() + seconds
        while self._backlog and not self.complete:
            self._backlog.start()
            ended = self._backlog.join(min(1.0, max(0.0, until - time.monotonic())))
            if self._backlog.error:
                raise self._backlog.error
            if time.monotonic() >= until:
                return self.complete
            if ended:
                time.sleep(0.05)
        return True

    def vectors_of(self, texts: Iterable[str]) -> dict[str, Matrix]:
        """Return the vectors of those of the texts that have been embedded."""
        return self._vectors.of(texts) if self._vectors else {}

    def keep_vectors(self, vectors: Mapping[str, Matrix]) -> None:
        """Keep vectors that were made for other texts than the index's own."""
        if self._vectors and vectors:
            self._vectors.add(list(vectors), np.stack(list(vectors.values())))

    def remembered(self, name: str) -> float | None:
        """Return a number that was remembered since the index last changed."""
        kept = self._records.state(f"{name} at {self._seen}")
        return kept / _FINE if kept else None

    def remember(self, name: str, value: float) -> None:
        """Keep a number, not 0, until the index changes; to six decimals."""
        self._records.keep(f"{name} at {self._seen}", round(value * _FINE))

    def close(self) -> None:
        """Stop the embedding after its present batch and let go of the files."""
        if self._backlog:
            self._backlog.stop()
        self._records.close()

    def _generation(self) -> int:
        rows = self._store.select(
            library.load("documents/generation").bind(ledger=[self._ledger])
        ).rows
        return max((_number(row[0]) for row in rows), default=0)

    def _update(self, generation: int) -> None:
        """Bring the records to the graphs' present state, then the lexical indexes to theirs."""
        query = library.load("documents/generations").bind(ledger=[self._ledger])
        present = {_text(graph): _number(number) for graph, number in self._store.select(query)}
        known = dict(self._records.connection().execute("SELECT graph, generation FROM graphs"))
        new = {graph: number for graph, number in present.items() if known.get(graph) != number}
        harvested = list(harvest(self._store, sorted(new)))
        with self._records.writing() as connection:
            changes = Changes(connection)
            for graph in known.keys() - present.keys() | new.keys():
                changes.remove(graph)
            for part in harvested:
                changes.add(part)
            changes.settle(new)
            before = self._records.state("revision")
            revision = before + 1
            self._records.keep("revision", revision)
            self._records.keep("generation", generation)
        forget(self._folder, self._records)
        if self._names.revision == before:  # else `_follow` makes it again
            names = self._name_documents(changes.added_names)
            self._names.replace(revision, changes.removed_names, names)
        if self._texts.revision == before:
            texts = self._group_documents(changes.added_groups)
            self._texts.replace(revision, changes.removed_groups, texts)

    def _follow(self) -> None:
        revision = self._records.state("revision")
        if {self._names.revision, self._texts.revision} != {revision}:
            with locked(self._folder / "writer.lock"):
                self._mend()
        self._seen = revision
        self.embed_pending()

    def _mend(self) -> None:
        """Make the lexical indexes again that are not of the records' revision."""
        revision = self._records.state("revision")
        if self._names.revision != revision:
            self._names.rebuild(revision, self._name_documents(None))
        if self._texts.revision != revision:
            self._texts.rebuild(revision, self._group_documents(None))

    def _name_documents(self, numbers: set[int] | None) -> Iterator[LexicalDocument]:
        for number, kinds, text in self._rows(_NAMES, numbers):
            yield number, kinds_of(kinds), name_tokens(text)

    def _group_documents(self, numbers: set[int] | None) -> Iterator[LexicalDocument]:
        for number, language, text in self._rows(_GROUPS, numbers):
            yield number, (language,), {"grams": passage_grams(text)}

    def _rows(self, query: str, numbers: set[int] | None) -> sqlite3.Cursor:
        """Return the rows with one of the numbers, or all."""
        run = self._records.connection().execute
        return run(query) if numbers is None else run(query + _AMONG, (json.dumps([*numbers]),))


def _text(term: Term | None) -> str:
    return str(getattr(term, "value", ""))


def _number(term: Term | None) -> int:
    return int(_text(term) or 0)
