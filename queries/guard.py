"""The guard for queries from outside: what a store is asked to run, and what it never sees.

A query is cut into the tokens of the SPARQL 1.1 grammar and refused by what it holds: anything
but SELECT, ASK, CONSTRUCT or DESCRIBE; SERVICE; a dataset that is not of this store; nesting or
length that brings parsers down. The store's own parser then says whether the query is well formed.
Parsers differ in small ways, so each way to read the text is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import NamedTuple, NoReturn

from ontology.errors import InputError
from queries import functions, growth, patterns

LENGTH = 2_000_000
TOKENS = 100_000  # their number is what takes time
NESTING = 200

_HEX = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_LOCAL = rf"(?:(?:[\w:.\-]|{_ESCAPED})*(?:[\w:\-]|{_ESCAPED}))?"
_TOKEN = re.compile(
    rf"""
    (?P<space>  (?:\s | \#[^\n\r]*)+ )
  | (?P<iri>    <(?:[^<>"{{}}|^`\\\x00-\x20] | {_HEX})*> )
  | (?P<text>   \"{{3}}(?:[^"\\] | \\. | \"(?!\"\"))*\"{{3}}
              | '{{3}}(?:[^'\\] | \\. | '(?!''))*'{{3}}
              | \"(?!\"\")(?:[^"\\\n\r] | \\.)*\" | '(?!'')(?:[^'\\\n\r] | \\.)*' )
  | (?P<open_text> ["'] )
  | (?P<tag>    @[A-Za-z]+(?:-[A-Za-z0-9]+)* )
  | (?P<variable> [?$]\w+ )
  | (?P<blank>  _:\w(?:[\w.\-]*[\w\-])? )
  | (?P<name>   (?:[^\W\d_](?:[\w.\-]{{0,50}}[\w\-])?)?:{_LOCAL} )
  | (?P<number> \d+ )
  | (?P<word>   [^\W\d]\w* )
  | (?P<sign>   . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CODE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_UPDATES = frozenset("insert delete load clear drop create add move copy with".split())
_READ_ONLY = dict.fromkeys(_UPDATES, "updates are not allowed here")
_NO_LOAD = {"load": "LOAD is not allowed here; send the data instead"}
_UNARY = frozenset("!-+^")


class GuardError(InputError):
    """A query from outside that is not run; the place is its line and column."""


class Form(StrEnum):
    """The four forms of a query."""

    SELECT = "select"
    ASK = "ask"
    CONSTRUCT = "construct"
    DESCRIBE = "describe"

    @property
    def gives_triples(self) -> bool:
        """Whether its result is a graph."""
        return self in {Form.CONSTRUCT, Form.DESCRIBE}

    @property
    def line_format(self) -> str:
        """The media type of its result with one row or triple a line (an ASK's is JSON)."""
        if self.gives_triples:
            return "application/n-triples"
        if self is Form.ASK:
            return "application/sparql-results+json"
        return "text/tab-separated-values"


class Token(NamedTuple):
    """A token of the query: its kind, text and offset."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the text behind it begins."""
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """The keyword in lower case, "" for what is none."""
        return self.text.lower() if self.kind == "word" else ""


def check(query: str, holds: Callable[[str], bool] = lambda _: True) -> Form:
    """The query's form; a GuardError where it must not run.

    `holds` tells whether a graph that FROM names is of this store.
    """
    if len(query) > LENGTH:
        raise GuardError(f"is {len(query):,} characters long, {LENGTH:,} are allowed", name="query")
    form = Reading(query, _READ_ONLY).form(holds)
    plain = decoded(query)
    if plain != query:  # some parsers decode escapes first, others where they stand
        reading = Reading(plain, _READ_ONLY)
        reading.check_words()
        reading.check_costs()
    return form


def read_update(update: str) -> Reading:
    """An update's tokens; a GuardError where it must not run, whatever it writes to."""
    if len(update) > LENGTH:
        reason = f"is {len(update):,} characters long, {LENGTH:,} are allowed"
        raise GuardError(reason, name="update")
    reading = Reading(update, _NO_LOAD, "update")
    reading.check()
    return reading


def check_graph(iri: str, holds: Callable[[str], bool] = lambda _: True) -> None:
    """The same for a graph that a request names beside its query."""
    if not re.match(r"https?:|urn:", iri) or not holds(iri):
        raise GuardError("names a graph that is not in this store", name=iri[:200])


class Reading:
    """One text from outside and what stands in it; `refused` tells of each keyword why not."""

    def __init__(self, text: str, refused: Mapping[str, str], name: str = "query") -> None:
        self._name = name
        self._refused = refused
        self._text = text.replace("\r", "\n")
        self.tokens = list(islice(_tokens(self._text, 0), TOKENS + 1))
        if len(self.tokens) > TOKENS:
            raise GuardError(f"has more than {TOKENS:,} words and signs", name=name)

    def form(self, holds: Callable[[str], bool]) -> Form:
        """The form, once all has been found harmless."""
        self.check()
        start, prefixes = self._prologue()
        first = self.tokens[start] if start < len(self.tokens) else Token("end", "", 0)
        if first.word not in set(Form):
            self.refuse("only SELECT, ASK, CONSTRUCT and DESCRIBE are run here", first)
        self._check_dataset(start, prefixes, holds)
        self.check_costs()
        return Form(first.word)

    def check_costs(self) -> None:
        """Refuse what takes time or memory that no store bounds."""
        _, prefixes = self._prologue()
        if called := functions.foreign(self.tokens, lambda token: self._named(token, prefixes)):
            self.refuse("only SPARQL's own functions and xsd: casts are called here", called)
        if growth.longest(self.tokens) > growth.LONGEST:
            reason = f"would make a text of more than {growth.LONGEST:,} characters"
            raise GuardError(reason, name=self._name)
        if found := patterns.endless(self.tokens):
            self.refuse(found[1], found[0])

    def check(self) -> None:
        """Refuse what must not run in any form."""
        self._check_nesting()
        self.check_words()

    def _check_nesting(self) -> None:
        depth = signs = 0
        for token in self.tokens:
            if token.kind == "open_text":
                self.refuse("a string is not closed", token)
            depth += (token.text in {"(", "{", "["}) - (token.text in {")", "}", "]"})
            signs = signs + 1 if token.text in _UNARY else 0
            if depth > NESTING or signs > NESTING:
                self.refuse(f"nests more than {NESTING} levels deep", token)

    def check_words(self) -> None:
        """Refuse SERVICE and updates in every reading of the text.

        `a<b#>` is an IRI, or a comparison and a comment: the next line is read both ways.
        """
        starts, queued, seen = [0], {-1, 0}, set[int]()
        while starts:
            before = last = Token("start", "", 0)
            start = starts.pop()
            for token in _tokens(self._text, start) if start else self.tokens:
                if token.start in seen or token.kind == "open_text":
                    break
                seen.add(token.start)
                self._check_word(before, last, token)
                before, last = last, token
                if token.kind == "iri" and "#" in token.text and "://" not in token.text:
                    end = self._text.find("\n", token.start)
                    starts += {end} - queued
                    queued.add(end)

    def _check_word(self, before: Token, last: Token, token: Token) -> None:
        """Refuse a keyword; glued to a name, as in `SERVICEex:a {`, some parsers see it too."""
        if "service" in token.word:
            self.refuse("SERVICE is not allowed here", token)
        if token.word in self._refused:
            self.refuse(self._refused[token.word], token)
        prefix = last.text.partition(":")[0].lower() if last.kind == "name" else ""
        if "service" in prefix and token.text == "{" and before.word != "graph":
            self.refuse("SERVICE is not allowed here", last)

    def _prologue(self) -> tuple[int, dict[str, str]]:
        """Where the query proper begins, and its prefixes."""
        tokens, at = self.tokens, 0
        prefixes: dict[str, str] = {}
        while at < len(tokens) and tokens[at].word in {"base", "prefix"}:
            if tokens[at].word == "prefix" and at + 2 < len(tokens):
                prefixes[tokens[at + 1].text] = tokens[at + 2].text[1:-1]
                at += 1
            at += 2
        return at, prefixes

    def _check_dataset(
        self, start: int, prefixes: dict[str, str], holds: Callable[[str], bool]
    ) -> None:
        for at in range(start, len(self.tokens) - 1):
            if self.tokens[at].word != "from":
                continue
            named = self.tokens[at + 1].word == "named"
            graph = self.tokens[min(at + 1 + named, len(self.tokens) - 1)]
            try:
                check_graph(decoded(full_iri(graph, prefixes)), holds)
            except GuardError as error:
                self.refuse(f"FROM {error.reason} ({error.name})", graph)

    @staticmethod
    def _named(token: Token, prefixes: dict[str, str]) -> str:
        return decoded(full_iri(token, prefixes))

    def refuse(self, reason: str, token: Token) -> NoReturn:
        """Raise the GuardError that tells where the token stands."""
        before = self._text[: token.start]
        line, column = before.count("\n") + 1, token.start - before.rfind("\n")
        raise GuardError(reason, name=self._name, place=f"line {line}, column {column}")


def _tokens(text: str, start: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(text, start):
        if match.lastgroup != "space":
            yield Token(match.lastgroup or "sign", match[0], match.start())


def full_iri(token: Token, prefixes: dict[str, str]) -> str:
    """The IRI that a token stands for; a relative one stays relative."""
    if token.kind == "iri":
        return token.text[1:-1]
    prefix, _, local = token.text.partition(":")
    return prefixes.get(f"{prefix}:", "") + re.sub(r"\\(.)", r"\1", local)


def decoded(text: str) -> str:
    """The text with its code point escapes, which SPARQL decodes before all else, replaced."""
    return _CODE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code <= 0x10FFFF else match[0]
