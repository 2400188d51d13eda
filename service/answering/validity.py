"""Whether what a source says holds on the days and at the place that are asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from ontology.places import places
from service.answering.question import Question

_YEAR = re.compile(r"(?<![\w.,/])(?:1[5-9]|20|21)\d\d(?![\w/]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Asked:
    """The days (ISO dates) and the place (IRI ending in its ISO 3166 code) of a question."""

    first: str
    last: str
    place: str | None
    years: tuple[str, ...] = ()

    @classmethod
    def from_question(cls, question: Question) -> Asked:
        """The years that the question names, or the day it is asked for."""
        years = tuple(dict.fromkeys(_YEAR.findall(question.text)))
        if years:
            first, last = date(int(min(years)), 1, 1), date(int(max(years)), 12, 31)
        else:
            first = last = question.as_of
        return cls(first.isoformat(), last.isoformat(), question.place, years)

    def in_time(self, valid_from: str, valid_until: str) -> bool:
        """Whether something valid from one day until another ("": for ever) is asked about."""
        return not (
            (valid_from and valid_from > self.last) or (valid_until and valid_until < self.first)
        )

    def in_place(self, applies_in: str) -> bool:
        """Whether something that applies in a place ("": everywhere) applies where it is asked."""
        if not applies_in or not self.place:
            return True
        wide, narrow = _code(applies_in), _code(self.place)
        known = places()
        statement = known.named(wide)
        asker = known.named(narrow) or known.named(narrow.partition("-")[0])
        contains = statement and asker and known.concerns(statement, asker)
        return wide == narrow or narrow.startswith(f"{wide}-") or bool(contains)


def _code(iri: str) -> str:
    return re.split(r"[/#]", iri)[-1].upper()
