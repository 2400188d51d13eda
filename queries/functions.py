"""Functions that are not SPARQL's: a store's own may sleep, search for ever or call by name.

What they do is known to their store alone, so only the casts of XML Schema may be called by IRI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ontology.vocabulary import XSD

if TYPE_CHECKING:
    from queries.guard import Token

_OPEN, _CLOSED = {"(": ")", "{": "}", "[": "]"}, {")", "}", "]"}
_CASTS = XSD.namespace
# whose functions are reached by other ways than a call, as predicates are
_LIBRARIES = ("jena.apache.org", "jena.hpl.hp.com", "www.w3.org/2005/xpath-functions")
_BEFORE_CALLS = {"select", "by", "having"}  # up to the next brace what is called is a function


def foreign(tokens: Sequence[Token], full_iri: Callable[[Token], str]) -> Token | None:
    """The first call of a function, or predicate that is one, of a store's own; None without."""
    last: Token | None = None
    before: Token | None = None
    for token in tokens:
        named = token.kind in {"iri", "name"}
        declared = "prefix" in {word.word for word in (before, last) if word}  # it calls nothing
        glued = last is not None and last.kind == "word" and last.end == token.start
        if token.word == "call":  # Jena's: the function's name is made by the query
            return token
        if token.kind == "name" and glued:  # parsers may see one name, of another prefix
            return token
        if named and not declared and _is_of_a_library(full_iri(token)):
            return token
        before, last = last, token
    for token in _called(tokens):
        if not full_iri(token).startswith(_CASTS):
            return token
    return None


def _is_of_a_library(iri: str) -> bool:
    low = iri.lower()
    return low.startswith("java:") or any(library in low for library in _LIBRARIES)


def _called(tokens: Sequence[Token]) -> Iterator[Token]:
    """The IRIs that stand before an argument list.

    One before a list of values (`?s <p> (1 2)`) is a predicate: it stands in braces, behind a term.
    """
    around = [""]
    modifying = False
    last: Token | None = None
    before: Token | None = None
    for token in tokens:
        if token.text == "(" and last and last.kind in {"iri", "name"}:
            after_word = before is not None and before.kind == "word"
            if modifying or after_word or around[-1] in {"", "("}:
                yield last
        if token.text in _OPEN:
            around.append(token.text)
        elif token.text in _CLOSED and len(around) > 1:
            around.pop()
        if token.text in {"{", "}"}:
            modifying = False
        modifying = modifying or token.word in _BEFORE_CALLS
        before, last = last, token
