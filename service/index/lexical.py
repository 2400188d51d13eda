"""BM25 over tokens that the caller cuts: character n-grams and words, kept by tantivy."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import tantivy

_HEAP = 64_000_000
_REVISION = "revision"
# What tantivy raises on some broken files; no module names the class.
_PANIC = "PanicException"

LexicalDocument = tuple[int, Sequence[str], Mapping[str, Iterable[str]]]


class Lexical:
    """An index folder with one text field a name in `fields`; documents have a number and kinds.

    It is derived data: `revision` says which state of the records it holds, -1 when none.
    """

    def __init__(self, folder: Path, fields: Sequence[str]) -> None:
        self._folder = folder
        self._schema = _schema(fields)
        self._index = self._open()
        self._index.config_reader("manual")

    @property
    def revision(self) -> int:
        """The state of the records that was last committed here."""
        self._index.reload()
        query = tantivy.Query.term_query(self._schema, "kind", _REVISION)
        searcher = self._index.searcher()
        hits = searcher.search(query, 1, count=False).hits
        values = searcher.fast_field_values("id", [address for _, address in hits])
        return int(values[0] or 0) if values else -1

    def reload(self) -> None:
        """See what any process has committed until now."""
        self._index.reload()

    def replace(
        self,
        revision: int,
        removed: Iterable[int],
        added: Iterable[LexicalDocument],
    ) -> None:
        """Take out and put in documents (number, kinds, tokens by field) in one commit."""
        with self._writer() as writer:
            gone = list(removed)
            if gone:  # by a query: a term of a plain int is of another type than the field
                query = tantivy.Query.term_set_query(self._schema, "id", gone)
                writer.delete_documents_by_query(query)
            self._write(writer, revision, added)

    def rebuild(
        self,
        revision: int,
        added: Iterable[LexicalDocument],
    ) -> None:
        """Hold exactly these documents, in one commit."""
        with self._writer() as writer:
            writer.delete_all_documents()
            self._write(writer, revision, added)

    def search(
        self,
        field: str,
        tokens: Iterable[str] | Mapping[str, float],
        limit: int,
        kinds: Collection[str] = (),
    ) -> list[tuple[int, float]]:
        """Return the numbers of the best documents with their BM25 scores, best first.

        Tokens may carry weights. Only documents of one of the kinds count; no kinds means all.
        """
        weights = tokens if isinstance(tokens, Mapping) else dict.fromkeys(tokens, 1.0)
        terms = [
            (tantivy.Occur.Should, self._term(field, token, weight))
            for token, weight in weights.items()
        ]
        if not terms or limit < 1:
            return []
        query = tantivy.Query.boolean_query(terms)
        if kinds:
            allowed = tantivy.Query.term_set_query(self._schema, "kind", list(kinds))
            silent = tantivy.Query.const_score_query(allowed, 0.0)
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, query), (tantivy.Occur.Must, silent)]
            )
        searcher = self._index.searcher()
        hits = searcher.search(query, limit, count=False).hits
        numbers = searcher.fast_field_values("id", [address for _, address in hits])
        return [
            (int(number or 0), float(hit[0])) for number, hit in zip(numbers, hits, strict=True)
        ]

    def _term(self, field: str, token: str, weight: float) -> tantivy.Query:
        query = tantivy.Query.term_query(self._schema, field, token, "freq")
        return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)

    @contextmanager
    def _writer(self) -> Iterator[tantivy.IndexWriter]:
        """A writer for one commit; an OSError, where the disk refuses it."""
        try:
            writer = self._index.writer(_HEAP, 1)
            yield writer
            writer.commit()
            writer.wait_merging_threads()
        except ValueError as error:  # so tantivy tells what the disk refuses
            raise OSError(str(error)) from error
        self._index.reload()

    def _write(
        self,
        writer: tantivy.IndexWriter,
        revision: int,
        added: Iterable[LexicalDocument],
    ) -> None:
        for number, kinds, tokens in added:
            writer.add_document(self._document(number, kinds, tokens))
        writer.delete_documents_by_term("kind", _REVISION)
        writer.add_document(self._document(revision, [_REVISION], {}))

    @staticmethod
    def _document(
        number: int, kinds: Iterable[str], tokens: Mapping[str, Iterable[str]]
    ) -> tantivy.Document:
        document = tantivy.Document()
        document.add_unsigned("id", number)
        for kind in kinds:
            document.add_text("kind", kind)
        for field in tokens:
            document.add_text(field, " ".join(tokens[field]))
        return document

    def _open(self) -> tantivy.Index:
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            return tantivy.Index(self._schema, path=str(self._folder))
        except BaseException as error:
            if not isinstance(error, ValueError) and type(error).__name__ != _PANIC:
                raise
            shutil.rmtree(self._folder)
            self._folder.mkdir()
            return tantivy.Index(self._schema, path=str(self._folder))


def _schema(fields: Sequence[str]) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", indexed=True, fast=True)
    builder.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    for field in fields:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()
