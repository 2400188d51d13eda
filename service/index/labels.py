"""The names of entities, predicates and classes, found whole, in part, by letters or by sense."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.index.lexical import Lexical
from service.index.normalise import grams, normalise
from service.index.records import Records
from service.index.vectors import Matrix, Vectors, Views

FIELDS = ("grams", "words")
_VECTORS = """
SELECT names.id, vectors.row FROM names CROSS JOIN vectors USING (sha)
WHERE vectors.model = ? AND names.kinds & ?
"""


class Kind(StrEnum):
    """What a label names."""

    ENTITY = "entity"
    PREDICATE = "predicate"
    CLASS = "class"
    LITERAL = "literal"


BITS = {kind: 1 << position for position, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True)
class Label:
    """A name as its source writes it; `source` is the IRI of the graph it stands in.

    A literal has no IRI: the text is its lexical form. `alternative` is every name that is not
    a preferred one: alternative and hidden labels, acronyms, parts of longer labels.
    """

    iri: str
    kind: Kind
    text: str
    language: str
    alternative: bool
    source: str


@dataclass(frozen=True, slots=True)
class ScoredLabel:
    """A label and how well it fits; scores of one search compare, those of two do not."""

    label: Label
    score: float


class Labels:
    """Searches over all labels; a term that is both class and entity is found as either."""

    def __init__(self, records: Records, lexical: Lexical, vectors: Vectors | None) -> None:
        self._records = records
        self._lexical = lexical
        self._views = Views(records, vectors, _VECTORS)

    def exact(self, keys: Iterable[str]) -> dict[str, list[Label]]:
        """Return the labels that read, normalised, like one of the keys; by key."""
        found: dict[str, list[Label]] = {}
        query = "SELECT * FROM labels WHERE key IN (SELECT value FROM json_each(?))"
        for row in self._records.connection().execute(query, (_listed(keys),)):
            found.setdefault(row[-1], []).extend(_labels(row, tuple(Kind)))
        return found

    def similar(self, text: str, kinds: Collection[Kind], limit: int) -> list[ScoredLabel]:
        """Return the labels that share most letters in a row with the text (BM25)."""
        return self._found(self._lexical.search("grams", grams(text), limit, kinds), kinds)

    def containing(self, text: str, kinds: Collection[Kind], limit: int) -> list[ScoredLabel]:
        """Return the labels that share most words with the text (BM25)."""
        words = normalise(text).split()
        return self._found(self._lexical.search("words", words, limit, kinds), kinds)

    def nearest(
        self, vectors: Matrix, kinds: Collection[Kind], limit: int
    ) -> list[list[ScoredLabel]]:
        """Return the labels nearest to each centred vector; none while not embedded.

        `vectors` have shape (n, dimensions); the scores are cosines of what is centred.
        """
        hits = self._views.of(_mask(kinds)).nearest(vectors, limit)
        labels = self._by_number({number for row in hits for number, _ in row}, kinds)
        return [
            [ScoredLabel(label, score) for number, score in row for label in labels.get(number, ())]
            for row in hits
        ]

    def of(self, iris: Iterable[str]) -> dict[str, list[Label]]:
        """Return every label of the IRIs, preferred ones first; by IRI."""
        found: dict[str, list[Label]] = {}
        query = (
            "SELECT * FROM labels WHERE iri <> '' AND iri IN (SELECT value FROM json_each(?))"
            " ORDER BY alternative, id"
        )
        for row in self._records.connection().execute(query, (_listed(iris),)):
            found.setdefault(row[2], []).extend(_labels(row, tuple(Kind)))
        return found

    def languages(self, kinds: Collection[Kind]) -> set[str]:
        """Return the languages (ISO 639-1) that the labels of the kinds say they are in."""
        query = "SELECT DISTINCT substr(language, 1, 2) FROM labels WHERE kinds & ?"
        rows = self._records.connection().execute(query, (_mask(kinds),))
        return {language for (language,) in rows if language}

    def every(self, kinds: Collection[Kind]) -> Iterator[Label]:
        """Yield all labels of the kinds."""
        query = "SELECT * FROM labels WHERE kinds & ? ORDER BY id"
        for row in self._records.connection().execute(query, (_mask(kinds),)):
            yield from _labels(row, kinds)

    def _found(
        self, hits: Sequence[tuple[int, float]], kinds: Collection[Kind]
    ) -> list[ScoredLabel]:
        labels = self._by_number({number for number, _ in hits}, kinds)
        return [
            ScoredLabel(label, score) for number, score in hits for label in labels.get(number, ())
        ]

    def _by_number(
        self, numbers: Collection[int], kinds: Collection[Kind]
    ) -> dict[int, list[Label]]:
        found: dict[int, list[Label]] = {}
        query = "SELECT * FROM labels WHERE id IN (SELECT value FROM json_each(?))"
        for row in self._records.connection().execute(query, (_listed(numbers),)):
            found[row[0]] = _labels(row, kinds)
        return found


def tokens(text: str) -> dict[str, list[str]]:
    """Cut a label for each of the lexical fields."""
    return {"grams": grams(text), "words": normalise(text).split()}


def _labels(row: Sequence[object], kinds: Collection[Kind]) -> list[Label]:
    _, mask, iri, text, language, alternative, graph, _ = row
    assert isinstance(mask, int)  # noqa: S101
    return [
        Label(str(iri), kind, str(text), str(language), bool(alternative), str(graph))
        for kind in Kind
        if kind in kinds and mask & BITS[kind]
    ]


def _mask(kinds: Collection[Kind]) -> int:
    return sum(BITS[kind] for kind in set(kinds))


def kinds_of(mask: int) -> list[Kind]:
    """Return the kinds whose bits are set."""
    return [kind for kind in Kind if mask & BITS[kind]]


def _listed(values: Iterable[str] | Iterable[int]) -> str:
    return json.dumps(list(values))
