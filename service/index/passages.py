"""The documents' passages: searched in groups by letters and sense, read by sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from service.index.lexical import Lexical
from service.index.normalise import normalise
from service.index.records import Records
from service.index.vectors import Matrix, Vectors, Views

FIELDS = ("grams",)
_WORDS = 20_000  # whose letters are kept cut
_GROUP_VECTORS = """
SELECT groups.id, vectors.row FROM groups CROSS JOIN vectors USING (sha)
WHERE vectors.model = ? AND language = ?
"""
_SENTENCE_VECTORS = """
SELECT sentences.id, vectors.row FROM sentences CROSS JOIN vectors USING (sha)
WHERE vectors.model = ? AND grouping IN
    (SELECT id FROM groups WHERE language = ?)
"""
_WORD_VECTORS = """
SELECT min(words.id), vectors.row FROM words CROSS JOIN vectors USING (sha)
WHERE vectors.model = ? AND language = ? GROUP BY words.sha
"""
_GROUPS = """
SELECT id, graph, document, language, heading, first, last, valid_from, valid_until, applies_in,
    text
FROM groups WHERE id = ?
"""
_SENTENCES = """
SELECT id, grouping, position, start, stop, text FROM sentences WHERE grouping = ? ORDER BY id
"""
# The order of the hashes is as good as chance, and the same each time.
_PROBES = """
SELECT sentences.id, sentences.text, document, language
FROM sentences JOIN groups ON groups.id = grouping
WHERE length(sentences.text) BETWEEN 40 AND 200 ORDER BY sentences.sha LIMIT ?
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
class Group:
    """Passages `first` to `last` of a document under one heading, with the text searched by."""

    number: int
    graph: str
    document: str
    language: str
    heading: str
    first: int
    last: int
    valid_from: str
    valid_until: str
    applies_in: str
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, list item or row: characters `start` to `stop` of the passage at `position`."""

    number: int
    group: int
    position: int
    start: int
    stop: int
    text: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A sentence with its document and centred vector, to try the search with."""

    text: str
    document: str
    language: str
    vector: Matrix


class Passages:
    """Searches over the groups, sentences and words of all documents."""

    def __init__(self, records: Records, lexical: Lexical, vectors: Vectors | None) -> None:
        self._records = records
        self._lexical = lexical
        self._groups = Views(records, vectors, _GROUP_VECTORS)
        self._sentences = Views(records, vectors, _SENTENCE_VECTORS)
        self._words = Views(records, vectors, _WORD_VECTORS)

    def languages(self) -> dict[str, int]:
        """Return the languages that the documents are written in, with their groups."""
        rows = self._records.connection().execute(
            "SELECT language, count(*) FROM groups GROUP BY language ORDER BY language"
        )
        return dict(rows.fetchall())

    def lexical(
        self, tokens: Iterable[str] | Mapping[str, float], language: str, limit: int
    ) -> dict[int, float]:
        """Return the numbers of the groups in a language that share most tokens, with BM25."""
        return dict(self._lexical.search("grams", tokens, limit, (language,)))

    def nearest(self, question: Matrix, language: str, limit: int) -> list[int]:
        """Return the groups in a language nearest to the centred question, nearest first."""
        found = self._groups.of(language).nearest(question[np.newaxis], limit)[0]
        return [number for number, _ in found]

    def group_cosines(
        self, question: Matrix, language: str, numbers: Collection[int]
    ) -> dict[int, float]:
        """Return the groups' cosines to the question, both centred; those that are embedded."""
        return self._groups.of(language).centred(question, numbers)

    def sentence_cosines(
        self, question: Matrix, language: str, numbers: Collection[int]
    ) -> dict[int, float]:
        """Return the sentences' cosines to the question, both centred; those embedded."""
        return self._sentences.of(language).centred(question, numbers)

    def words_like(self, words: Matrix, language: str, limit: int) -> list[list[tuple[str, float]]]:
        """Return, for each centred vector of a word, the documents' nearest words, cosine."""
        found = self._words.of(language).nearest(words, limit)
        run = self._records.connection().execute
        return [
            [
                (run("SELECT text FROM words WHERE id = ?", (number,)).fetchone()[0], score)
                for number, score in near
            ]
            for near in found
        ]

    def groups(self, numbers: Iterable[int]) -> list[Group]:
        """Return the groups of those of the numbers that there are."""
        run = self._records.connection().execute
        rows = (run(_GROUPS, (number,)).fetchone() for number in numbers)
        return [Group(*row) for row in rows if row]

    def sentences(self, group: Group) -> list[Sentence]:
        """Return the sentences of a group in reading order."""
        rows = self._records.connection().execute(_SENTENCES, (group.number,))
        return [Sentence(*row) for row in rows]

    def groups_with(self, start: str, language: str | None = None) -> int:
        """Return how many groups, of all languages or one, hold words that begin so."""
        low = start.lower()
        query = "SELECT coalesce(sum(count), 0) FROM words WHERE language = ?"
        run = self._records.connection().execute
        return sum(
            run(f"{query} AND text >= ? AND text < ?", (one, low, f"{low}\uffff")).fetchone()[0]
            for one in ([language] if language else self.languages())
        )

    def probes(self, most: int) -> list[Probe]:
        """Return embedded sentences from all over the documents, the same ones each time."""
        rows = self._records.connection().execute(_PROBES, (most * 2,)).fetchall()
        found: list[Probe] = []
        for number, text, document, language in rows:
            vector = self._sentences.of(language).centred_item(number)
            if vector is not None and len(found) < most:
                found.append(Probe(text, document, language, vector))
        return found

    def passages(self, document: str, first: int, last: int) -> list[Passage]:
        """Return the passages of a document from position `first` to `last`, in order."""
        rows = self._records.connection().execute(
            "SELECT * FROM passages WHERE document = ? AND position BETWEEN ? AND ?"
            " ORDER BY position",
            (document, first, last),
        )
        return [_passage(row) for row in rows]


def tokens(text: str) -> list[str]:
    """Cut a text as the groups are cut: each word, bounded by `_`, into fours and fives."""
    return [gram for word in normalise(text).split() for gram in _grams(word)]


@lru_cache(_WORDS)
def _grams(word: str) -> tuple[str, ...]:
    padded = f"_{word}_"
    sizes = [size for size in (4, 5) if size < len(padded)] or [len(padded)]
    return tuple(padded[i : i + size] for size in sizes for i in range(len(padded) - size + 1))


def _passage(row: Sequence[object]) -> Passage:
    _, _graph, *values = row
    return Passage(*values)  # type: ignore[arg-type]
