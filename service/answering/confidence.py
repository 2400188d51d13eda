"""How sure it is that the documents tell: fitted on the documents themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.answering.hints import HINTS, Reader, all_known, names_in
from service.answering.question import Question
from service.answering.ranking import Ranked, Search
from service.answering.soundings import soundings
from service.answering.surety import Prior, Surety, Trial
from service.answering.validity import Asked
from service.index.index import Index
from service.index.passages import Group

_PRIOR = Prior(
    "passages",
    dict.fromkeys(HINTS, 0.0)
    | {"held": 2.5, "told": 2.5, "unknown": -4.0, "score": 2.0, "sense": 2.0}
    | {"long": 1.5},
    constant=-5.0,
    untold=0.6,
)


class Confidence:
    """Reads a ranking as questions have taught that the documents answer, or do not."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._surety = Surety(index, _PRIOR, self._trials)

    def prepare(self) -> None:
        """Learn what tells of an answer; raises StoreError."""
        self._surety.prepare()

    def close(self) -> None:
        """Read the index no more."""
        self._surety.close()

    def of(
        self, question: Question, asked: Asked, searches: Sequence[Search], ranked: Sequence[Ranked]
    ) -> float:
        """The probability, 0 to 1, that the best sentence answers.

        0 where no document has a name of the question, or its group does not tell of its years.
        """
        passages = self._index.passages
        names = names_in(question.text, question.language)
        if not ranked or not all_known(names, searches, passages):
            return 0.0
        if not _tells_of_years(ranked[0].group, asked, question):
            return 0.0
        search = next(one for one in searches if one.language == ranked[0].group.language)
        reader = Reader(question.text, question.language, search, passages)
        return self._surety.of(reader.hints(ranked).numbers)

    def _trials(self) -> Iterator[Trial]:
        for hints, there in soundings(self._index.passages):
            yield hints.numbers, there


def _tells_of_years(group: Group, asked: Asked, question: Question) -> bool:
    """Whether the group names one of the years, or is said to hold then.

    What began before the year and has no end is not known to hold in years to come.
    """
    told = f"{group.heading} {group.text}"
    if not asked.years or any(year in told for year in asked.years):
        return True
    today = question.as_of.isoformat()
    ends = group.valid_until or (group.valid_from > today or asked.last <= f"{today[:4]}-12-31")
    return bool(group.valid_from and ends and asked.in_time(group.valid_from, group.valid_until))
