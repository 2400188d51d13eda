"""RDF terms and their SPARQL form, by RDF's own rules."""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode

from ontology.errors import InputError


class TermError(InputError):
    """A text that is no RDF term, or a term that no query can hold."""


def named(text: str) -> NamedNode:
    """The absolute IRI that the text spells, or a TermError."""
    try:
        return NamedNode(text)
    except ValueError as error:
        raise TermError(f"not an absolute IRI ({error})", name=text[:200]) from error


def serialise(term: object) -> str:
    """The term as SPARQL writes it; only IRIs and literals, since others do not name a thing."""
    if isinstance(term, NamedNode | Literal):
        return str(term)
    raise TermError("only IRIs and literals can be put into a query", name=repr(term)[:200])
