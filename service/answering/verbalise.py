"""Statements of the graph in words: names in the question's language, facts, and a context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode

from ontology.vocabulary import ONTO, RDF, SKOS
from queries.store.results import Term
from service.answering.plan.words import grammar
from service.answering.reply import Fact, Value
from service.index.labels import Label, Labels
from service.index.normalise import local_name

CONTEXT = 5000
_LONGEST = 240
_GROUP = 25
_MARK = 6
_STANDARD = {RDF.type: "instance", SKOS.altLabel: "alias"}
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


class Statement(NamedTuple):
    """A triple, the graph it stands in, and what its reified form adds: words, validity, evidence.

    `title`, `url` and `page` are those of the document that bears it out, `unit` its number's.
    """

    subject: Term
    predicate: NamedNode
    object: Term
    graph: str = ""
    relationship: str = ""
    quote: str = ""
    valid_from: str = ""
    valid_until: str = ""
    place: str = ""
    title: str = ""
    url: str = ""
    page: str = ""
    unit: str = ""


class Names:
    """The names of terms in one language, out of the index; each looked up once."""

    def __init__(self, labels: Labels, language: str) -> None:
        self._labels = labels
        self._language = language
        self._known: dict[str, str] = {}

    def learn(self, terms: Iterable[Term]) -> None:
        """Look up the names of all the terms at once."""
        iris = {term.value for term in terms if isinstance(term, NamedNode)} - self._known.keys()
        if not iris:
            return
        found = self._labels.of(iris)
        for iri in iris:
            self._known[iri] = self._best(found.get(iri, ())) or local_name(iri) or iri

    def of(self, term: Term) -> str:
        """The term in words: its name, a literal's lexical form, else its IRI."""
        if isinstance(term, NamedNode):
            if term.value not in self._known:
                self.learn([term])
            return self._known[term.value]
        return str(getattr(term, "value", term))

    def value(self, term: Term) -> Value:
        """The term as a value of the answer."""
        if isinstance(term, NamedNode):
            return Value(label=self.of(term), iri=term.value)
        return Value(value=self.of(term))

    def fact(self, statement: Statement) -> Fact:
        """The statement as a fact."""
        target = statement.object
        return Fact(
            subject=self.of(statement.subject),
            predicate=self.predicate(statement.predicate),
            object=f"{self.of(target)} {statement.unit}".strip(),
            subject_iri=str(getattr(statement.subject, "value", "")),
            predicate_iri=statement.predicate.value,
            object_iri=target.value if isinstance(target, NamedNode) else "",
            graph=statement.graph,
            relationship=statement.relationship,
            quote=statement.quote,
            valid_from=statement.valid_from,
            valid_until=statement.valid_until,
            title=statement.title,
            url=statement.url,
            page=int(statement.page) if statement.page else None,
        )

    def predicate(self, predicate: NamedNode) -> str:
        """The predicate in words: those of standards, which graphs do not name, in the language."""
        standard = _STANDARD.get(predicate)
        return grammar(self._language).say[standard] if standard else self.of(predicate)

    def _best(self, labels: Sequence[Label]) -> str:
        order = {self._language: 0, "en": 1, "": 1}
        ranked = sorted(
            labels, key=lambda label: (label.alternative, order.get(label.language[:2], 2))
        )
        best = ranked[0].text if ranked else ""
        whole = [label.text for label in ranked if best in label.text and not label.alternative]
        return max(whole, key=len, default=best)


def answer_text(
    values: Sequence[Value], language: str, units: Mapping[str, str], meant: Mapping[str, str]
) -> str:
    """The values named in one sentence, in the language, numbers with their units.

    One that has none is said to be what is `meant` by it: the predicate that states it.
    """
    if len(values) == 1 and (number := values[0].value) in meant and number not in units:
        return f"{meant[number]}: {number}"
    names = [f"{value.label or value.value} {units.get(value.value, '')}" for value in values]
    names = list(dict.fromkeys(map(str.strip, names)))
    if len(names) < 2:
        return "".join(names)
    joint = grammar(language).say["and"]
    if any("," in name for name in names):
        return "; ".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def context_facts(statements: Sequence[Statement], names: Names) -> list[Fact]:
    """Facts for a generator, in the given order of relevance, at most 5,000 characters of them.

    Statements that share subject and predicate, or predicate and object, become one fact.
    """
    facts: list[Fact] = []
    room = CONTEXT
    for group in _groups(statements):
        fact = _one_fact(group, names)
        room -= len(fact.subject) + len(fact.predicate) + len(fact.object) + _MARK
        if room < 0:
            break
        facts.append(fact)
    return facts


def _groups(statements: Sequence[Statement]) -> list[list[Statement]]:
    """The statements grouped by subject or by object, whichever groups more of them."""
    shown = [s for s in dict.fromkeys(statements) if not _own(s.predicate)]
    inward: dict[tuple[object, ...], list[Statement]] = {}
    outward: dict[tuple[object, ...], list[Statement]] = {}
    for s in shown:
        dated = (s.valid_from, s.valid_until)
        outward.setdefault((s.subject, s.predicate, dated), []).append(s)
        inward.setdefault((s.predicate, s.object, dated), []).append(s)
    groups: list[list[Statement]] = []
    used: set[Statement] = set()
    for s in shown:
        if s in used:
            continue
        dated = (s.valid_from, s.valid_until)
        options = (
            outward[s.subject, s.predicate, dated],
            inward[s.predicate, s.object, dated],
        )
        group = [one for one in max(options, key=len) if one not in used][:_GROUP]
        used.update(group)
        groups.append(group)
    return groups


def _one_fact(group: Sequence[Statement], names: Names) -> Fact:
    facts = [names.fact(statement) for statement in group]
    subjects = "; ".join(dict.fromkeys(fact.subject for fact in facts))
    objects = "; ".join(dict.fromkeys(_cut(fact.object) for fact in facts))
    return replace(facts[0], subject=subjects, object=objects)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"


def _own(predicate: NamedNode) -> bool:
    return predicate.value.startswith(ONTO.namespace)


def is_text(term: Term) -> bool:
    """Whether a term is a text in some language, or at least a long string."""
    return isinstance(term, Literal) and (bool(term.language) or len(term.value) > 80)


def is_number(term: Term) -> bool:
    """Whether a term is a number and nothing else."""
    return isinstance(term, Literal) and bool(_NUMBER.fullmatch(term.value))
