"""The guard for updates from outside: the graphs that they write to, told before they run.

An update is cut into its operations by the tokens of the SPARQL 1.1 grammar. It is refused where
it loads from elsewhere, asks another service, or does not name the graphs that it writes to: all
that askonto keeps is in named graphs. The store's own parser says whether it is well formed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NoReturn

from pyoxigraph import NamedNode

from queries.guard import GuardError, Reading, Token, decoded, full_iri, read_update
from queries.terms import TermError, named

_WHOLE_GRAPHS = frozenset({"clear", "drop", "create"})
_BETWEEN = frozenset({"add", "move", "copy"})
_NAME_IT = "the graph that is written to must be named"


def targets(update: str) -> list[NamedNode]:
    """The graphs that an update may change, in order; a GuardError where it must not run."""
    texts = dict.fromkeys((update, decoded(update)))  # parsers differ in when they decode
    found = dict.fromkeys(graph for text in texts for graph in _written(read_update(text)))
    if not found:
        raise GuardError("holds no update that changes a graph", name="update")
    return list(found)


def names_a_dataset(update: str) -> bool:
    """Whether an operation has WITH or USING, beside which a request may name no graphs."""
    return any(token.word in {"with", "using"} for token in read_update(update).tokens)


def spelled_out(update: str) -> str:
    """The update with GRAPH in the place of each WITH, which not every store takes.

    A template's triples and the pattern stand in GRAPH blocks then, which is what WITH means.
    """
    reading = read_update(update)
    edits = [
        edit
        for operation in _operations(reading.tokens)
        for edit in _Operation(reading, operation[_prologue(operation, {}) :], {}).spelling()
    ]
    for start, end, text in sorted(edits, reverse=True):
        update = update[:start] + text + update[end:]
    return update


def _written(reading: Reading) -> Iterator[NamedNode]:
    prefixes: dict[str, str] = {}
    for operation in _operations(reading.tokens):
        start = _prologue(operation, prefixes)
        if start < len(operation):
            yield from _Operation(reading, operation[start:], prefixes).written()


def _operations(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens between the semicolons that stand outside of braces."""
    depth = start = 0
    for at, token in enumerate(tokens):
        depth += (token.text == "{") - (token.text == "}")
        if token.text == ";" and depth == 0:
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]


def _prologue(tokens: Sequence[Token], prefixes: dict[str, str]) -> int:
    """Where the operation proper begins; its prefixes are added to those known."""
    at = 0
    while at + 1 < len(tokens) and tokens[at].word in {"base", "prefix"}:
        if tokens[at].word == "prefix" and at + 2 < len(tokens):
            prefixes[tokens[at + 1].text] = tokens[at + 2].text[1:-1]
            at += 1
        at += 2
    return at


class _Operation:
    """One operation of an update."""

    def __init__(self, reading: Reading, tokens: Sequence[Token], prefixes: dict[str, str]) -> None:
        self._reading = reading
        self._tokens = tokens
        self._prefixes = prefixes

    def written(self) -> list[NamedNode]:
        """The graphs that it writes to."""
        first = self._tokens[0]
        if first.word in _WHOLE_GRAPHS:
            return [self._graph_after(self._past_silent(1))]
        if first.word in _BETWEEN:
            return self._between(first.word)
        if first.word not in {"insert", "delete", "with"}:
            self._refuse("only updates that change graphs are run here", first)
        return self._modified()

    def _between(self, word: str) -> list[NamedNode]:
        to = next((i for i, token in enumerate(self._tokens) if token.word == "to"), None)
        if to is None:
            self._refuse("TO is missing", self._tokens[0])
        target = self._graph_after(to + 1)
        source = [self._graph_after(self._past_silent(1))] if word == "move" else []
        return [*source, target]

    def _modified(self) -> list[NamedNode]:
        """The graphs of INSERT and DELETE, each with a template of its own."""
        found: list[NamedNode] = []
        at, within = 0, None
        if self._tokens[0].word == "with":
            within = self._iri(1)
            at = 2
        while at < len(self._tokens) and self._tokens[at].word in {"insert", "delete"}:
            at += 1
            if at < len(self._tokens) and self._tokens[at].word in {"data", "where"}:
                at += 1
            end = self._closing(at)
            found += self._templated(at + 1, end, within)
            at = end + 1
        return found

    def _templated(self, start: int, end: int, within: NamedNode | None) -> Iterator[NamedNode]:
        """The graphs of a template's blocks, and `within` where triples stand outside of them."""
        at = start
        while at < end:
            token = self._tokens[at]
            if token.word == "graph":
                yield self._iri(at + 1)
                at = self._closing(at + 2)
            elif token.text != ".":
                if within is None:
                    self._refuse(_NAME_IT, token)
                yield within
            at += 1

    def spelling(self) -> Iterator[tuple[int, int, str]]:
        """What to replace (from, to, by) so that GRAPH stands for WITH; nothing beside USING."""
        tokens = self._tokens
        if not tokens or tokens[0].word != "with" or any(t.word == "using" for t in tokens):
            return
        opening = f" GRAPH {tokens[1].text} {{ "
        yield tokens[0].start, tokens[1].end, ""
        at = 2
        while at < len(tokens) and tokens[at].word in {"insert", "delete"}:
            end = self._closing(at + 1)
            for first, last in self._runs(at + 2, end):
                yield tokens[first].start, tokens[first].start, opening
                yield tokens[last].end, tokens[last].end, " } "
            at = end + 1
        at += at < len(tokens) and tokens[at].word == "where"
        yield tokens[at].end, tokens[at].end, opening
        end = self._closing(at)
        yield tokens[end].start, tokens[end].start, " } "

    def _runs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The stretches of a template's triples between its GRAPH blocks, first and last token."""
        at = first = start
        while at < end:
            if self._tokens[at].word == "graph":
                if first < at:
                    yield first, at - 1
                at = first = self._closing(at + 2) + 1
            else:
                at += 1
        if first < end:
            yield first, end - 1

    def _past_silent(self, at: int) -> int:
        silent = at < len(self._tokens) and self._tokens[at].word == "silent"
        return at + 1 if silent else at

    def _graph_after(self, at: int) -> NamedNode:
        graph = at < len(self._tokens) and self._tokens[at].word == "graph"
        return self._iri(at + 1 if graph else at)

    def _iri(self, at: int) -> NamedNode:
        token = self._tokens[min(at, len(self._tokens) - 1)]
        if token.kind not in {"iri", "name"}:
            self._refuse(_NAME_IT, token)
        try:
            return named(full_iri(token, self._prefixes))
        except TermError:
            self._refuse("the graph's IRI must be written whole", token)

    def _closing(self, at: int) -> int:
        """Where the brace that opens at a token closes."""
        if at >= len(self._tokens) or self._tokens[at].text != "{":
            self._refuse("{ is missing", self._tokens[min(at, len(self._tokens) - 1)])
        steps = ((t.text == "{") - (t.text == "}") for t in self._tokens[at:])
        end = next((at + i for i, depth in enumerate(accumulate(steps)) if depth == 0), None)
        if end is None:
            self._refuse("} is missing", self._tokens[at])
        return end

    def _refuse(self, reason: str, token: Token) -> NoReturn:
        self._reading.refuse(reason, token)
