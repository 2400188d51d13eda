"""What the steps of planning share: a question as read, and the graph as learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.answering.match import Mention
from service.answering.plan.intent import Intent
from service.answering.plan.paths import ClassMatch
from service.answering.plan.support import Support
from service.answering.plan.vocabulary import Senses, Vocabulary
from service.answering.plan.words import Word
from service.index.schema import Schema
from service.index.texts import Texts


@dataclass(frozen=True, slots=True)
class Reading:
    """A question's words, its intent, and what it names, the surest first."""

    words: tuple[Word, ...]
    intent: Intent
    mentions: tuple[Mention, ...]

    @property
    def free(self) -> frozenset[int]:
        """The words that may speak of predicates: those of no sure name."""
        named = (m.words for m in self.mentions if m.exact and m.score >= 1)
        return frozenset(range(len(self.words))) - frozenset[int]().union(*named)


@dataclass(frozen=True, slots=True)
class Learned:
    """What the planner knows of the graph at one revision of the index."""

    revision: int
    schema: Schema
    vocabulary: Vocabulary
    senses: Senses | None
    texts: Texts
    languages: frozenset[str] = frozenset()  # that names of entities are in


@dataclass(frozen=True, slots=True)
class Understood:
    """A question before the graph: what its words support, and the classes they name."""

    reading: Reading
    known: Learned
    support: Support
    classes: Sequence[ClassMatch]
