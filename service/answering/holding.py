"""Which statements hold for a question: those valid on its days and applying at its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pyoxigraph import NamedNode

from ontology.places import places
from queries.store.results import Term
from queries.terms import named
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
    """The words for years and places that the evidence's validity answers."""
    dated = list(evidence)
    in_time = any(one.valid_from or one.valid_until for one in dated)
    where = {named(one.place) for one in dated if one.place}
    return frozenset(
        i
        for i, word in enumerate(words)
        if (in_time and word.text in asked.years)
        or (where and word.capital and _lies_in(places().named(word.text), where))
    )


def _lies_in(place: NamedNode | None, where: set[NamedNode]) -> bool:
    return place is not None and any(places().concerns(wide, place) for wide in where)


def _triple(statement: Statement) -> tuple[Term, ...]:
    return statement.subject, statement.predicate, statement.object
