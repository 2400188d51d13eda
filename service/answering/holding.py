"""Which statements hold for a question: those valid on its days and applying at its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ontology.places import places
from queries.store.results import Term
from service.answering.plan.words import Word
from service.answering.validity import Asked
from service.answering.verbalise import Statement


class Holding:
    """Statements with their reified forms, held against the days and place of a question."""

    def __init__(self, asked: Asked, reified: Iterable[Statement]) -> None:
        self._asked = asked
        self._reified: dict[tuple[Term, ...], list[Statement]] = defaultdict(list)
        for statement in reified:
            self._reified[_triple(statement)].append(statement)

    def of(self, statements: Iterable[Statement]) -> list[Statement]:
        """Those that hold, each in the reified form that does, if it has one."""
        kept: list[Statement] = []
        for statement in statements:
            forms = self._reified.get(_triple(statement))
            if forms is None:
                kept.append(statement)
            else:
                kept += [form for form in forms if self._holds(form)][:1]
        return kept

    def answers(self, answers: Sequence[Term], ways: Sequence[Statement]) -> tuple[Term, ...]:
        """The answers but those that only statements lead to which do not hold.

        None for a year that lies outside of all that the named things' statements tell of.
        """
        if self._asked.years and not any(map(self._holds, self.dated())) and self.dated():
            return ()
        held = {term for one in self.of(ways) for term in (one.subject, one.object)}
        shown = {term for one in ways for term in (one.subject, one.object)}
        return tuple(term for term in answers if term in held or term not in shown)

    def dated(self) -> list[Statement]:
        """The reified statements that have a date or a place, those that hold first."""
        forms = [form for group in self._reified.values() for form in group]
        told = [form for form in forms if form.valid_from or form.valid_until or form.place]
        return sorted(told, key=lambda form: not self._holds(form))

    def _holds(self, form: Statement) -> bool:
        in_time = self._asked.in_time(form.valid_from, form.valid_until)
        return in_time and self._asked.in_place(form.place)


def accounted(words: Sequence[Word], asked: Asked, evidence: Iterable[Statement]) -> frozenset[int]:
    """The words for years and places that the evidence's validity answers, or the place asked."""
    forms = list(evidence)
    dated = any(form.valid_from or form.valid_until for form in forms)
    placed = [form.place for form in forms if form.place]
    return frozenset(
        i
        for i, word in enumerate(words)
        if (dated and word.text in asked.years)
        or (word.capital and _there(word.text, asked, placed))
    )


def _there(name: str, asked: Asked, placed: Iterable[str]) -> bool:
    """Whether the name is a place's where something applies, or around which is asked."""
    place = places().named(name)
    if place is None:
        return False
    applies = any(map(replace(asked, place=place.value).in_place, placed))
    return applies or (asked.place is not None and asked.in_place(place.value))


def _triple(statement: Statement) -> tuple[Term, ...]:
    return statement.subject, statement.predicate, statement.object
