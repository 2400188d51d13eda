"""The passages of the documents: searched by letters, words and sense, with their neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from service.index.lexical import Lexical
from service.index.normalise import grams, normalise
from service.index.records import Records
from service.index.vectors import Matrix, Vectors, Views

FIELDS = ("grams", "words")
_VECTORS = """
SELECT passages.id, vectors.row FROM passages JOIN vectors USING (sha)
WHERE vectors.model = ? ORDER BY vectors.row
"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as its document has it; `source` is the address to cite."""

    iri: str
    chunk: str
    document: str
    source: str
    title: str
    page: int | None
    position: int
    kind: str
    language: str
    text: str
    context: str
    valid_from: str
    valid_until: str
    applies_in: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage and how well it fits; scores of one search compare, those of two do not."""

    passage: Passage
    score: float


class Passages:
    """Searches over all passages."""

    def __init__(self, records: Records, lexical: Lexical, vectors: Vectors | None) -> None:
        self._records = records
        self._lexical = lexical
        self._views = Views(records, vectors, _VECTORS)

    def lexical(self, text: str, limit: int, field: str = "grams") -> list[Scored]:
        """Return the passages that share most of the text's letters or words (BM25)."""
        return self._scored(self._lexical.search(field, tokens("", text)[field], limit))

    def nearest(self, vector: Matrix, limit: int) -> list[Scored]:
        """Return the passages nearest to the vector, scores raw cosine; none while not embedded."""
        return self._scored(self._views.of().nearest(vector[np.newaxis], limit)[0])

    def neighbours(self, passage: Passage, before: int, after: int) -> list[Passage]:
        """Return the passages around one in its document, itself included, in order."""
        span = (passage.document, passage.position - before, passage.position + after)
        rows = self._records.connection().execute(
            "SELECT * FROM passages WHERE document = ? AND position BETWEEN ? AND ?"
            " ORDER BY position",
            span,
        )
        return [_passage(row) for row in rows]

    def _scored(self, hits: Sequence[tuple[int, float]]) -> list[Scored]:
        found = self._by_number([number for number, _ in hits])
        return [Scored(found[number], score) for number, score in hits if number in found]

    def _by_number(self, numbers: Collection[int]) -> dict[int, Passage]:
        run = self._records.connection().execute
        query = "SELECT * FROM passages WHERE id = ?"
        rows = [run(query, (number,)).fetchone() for number in numbers]
        return {row[0]: _passage(row) for row in rows if row}


def tokens(context: str, text: str) -> dict[str, Iterable[str]]:
    """Cut a passage for each of the lexical fields."""
    whole = f"{context} {text}"
    return {"grams": grams(whole, (4, 5)), "words": normalise(whole).split()}


def _passage(row: Sequence[object]) -> Passage:
    _, _graph, *values, _sha = row
    return Passage(*values)  # type: ignore[arg-type]
