"""Plans: paths from what the question names, alone or meeting, with a class for the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ontology.vocabulary import RDF
from service.answering.match import Mention
from service.answering.plan.intent import Intent
from service.answering.plan.paths import (
    ENDLESS,
    INSTANCES,
    NOT_SHARED,
    SHARED,
    ClassMatch,
    Path,
    genitive_slots,
)
from service.answering.plan.vocabulary import Vocabulary
from service.answering.plan.words import Word
from service.index.schema import Hop, Schema

CLASS_GAIN = 0.6
KIND_GAIN = 0.25
LINK = 0.5
LEFT_OVER, NAME_LEFT_OVER = 0.10, 0.45
BACK_AGAIN = -0.5
ASKED_UNUSED = -0.2
ASKED_KIND, OTHER_KIND, KIND_SURE = 0.2, -0.3, 0.8
KEPT = 40
SAME_WORDS = -0.2
SLOT_LEFT = 0.2
MEETING = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the answers lie: at the ends of all paths, and of the class where one is named."""

    paths: tuple[Path, ...]
    answer_class: str = ""
    words: frozenset[int] = frozenset()
    score: float = 0.0

    @property
    def seeds(self) -> tuple[Mention, ...]:
        """What its paths start from."""
        return tuple(path.seed for path in self.paths)


@dataclass(frozen=True)
class Ranker:
    """Makes plans of paths and scores them by what of the question they account for."""

    words: Sequence[Word]
    intent: Intent
    schema: Schema
    vocabulary: Vocabulary
    mentions: Sequence[Mention]
    classes: Sequence[ClassMatch]

    def plans(self, paths: Sequence[Path]) -> list[Plan]:
        """The likeliest plans, best first."""
        single = [plan for path in paths for plan in self._single(path)]
        meeting = [plan for pair in self._pairs(paths) for plan in self._meeting(pair)]
        best: dict[tuple[object, ...], Plan] = {}
        for plan in sorted((*single, *meeting), key=lambda p: -p.score):
            key = (frozenset((p.seed, p.hops) for p in plan.paths), plan.answer_class)
            best.setdefault(key, plan)
        ranked = list(best.values())
        compared = self.intent.extreme is not None or bool(self.intent.bounds)
        return ranked[:KEPT] + [p for p in ranked[KEPT:] if compared and self._asks_for(p)]

    def _asks_for(self, plan: Plan) -> bool:
        """Whether the plan is no more than the instances of what is asked for."""
        path = plan.paths[0]
        return path.hops == (INSTANCES,) and path.words <= self.intent.asked

    def _single(self, path: Path) -> Iterator[Plan]:
        yield self._scored((path,))
        ends = self._ends(path)
        for match in self.classes:
            if match.iri in ends and not match.words & (path.words | path.seed.words):
                yield self._scored((path,), match)

    def _ends(self, path: Path) -> set[str]:
        last = path.hops[-1]
        if last.predicate == RDF.type.value:
            return {term.value for term in path.seed.terms}
        return set(self.schema.predicates[last.predicate].ends(last.inverse))

    def _pairs(self, paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
        groups: dict[Mention, list[Path]] = {}
        for path in sorted(paths, key=lambda p: -p.score):
            group = groups.setdefault(path.seed, [])
            of_class = path.hops[0] == INSTANCES
            if len(path.hops) <= 2 and not path.returns and len(group) < MEETING and not of_class:
                group.append(path)
        seeds = list(groups)
        for position, first in enumerate(seeds):
            for second in seeds[position + 1 :]:
                if not first.overlaps(second):
                    yield from ((a, b) for a in groups[first] for b in groups[second])

    def _meeting(self, pair: tuple[Path, Path]) -> Iterator[Plan]:
        first, second = pair
        if first.words & second.seed.words or second.words & first.seed.words:
            return
        if len(first.hops) > 1 and len(second.hops) > 1 and first.hops[-1] == second.hops[-1]:
            return
        ends = self._ends(first), self._ends(second)
        if all(ends) and not ends[0] & ends[1]:
            return
        plan = self._scored(pair)
        alike = bool(first.words) and first.words == second.words
        yield replace(plan, score=plan.score + SAME_WORDS) if alike else plan
        taken = first.words | second.words | first.seed.words | second.seed.words
        for match in self.classes:
            if match.iri in ends[0] & ends[1] and not match.words & taken:
                yield self._scored(pair, match)

    def _scored(self, paths: tuple[Path, ...], match: ClassMatch | None = None) -> Plan:
        used = self.intent.asking.union(
            *(path.words | path.seed.words for path in paths), match.words if match else ()
        )
        score = sum(path.score + LINK * path.seed.score for path in paths)
        if match is None:
            score += ENDLESS * sum(path.open_ended for path in paths)
            if not self.intent.shares:
                score += BACK_AGAIN * sum(map(self._comes_back, paths))
        if self.intent.shares:
            score += SHARED if any(path.returns for path in paths) else NOT_SHARED
        if match is not None:
            score += CLASS_GAIN * match.score
            score += ASKED_UNUSED if self.intent.asked.isdisjoint(used) else 0.0
        score += self._of_asked_class(paths, match)
        score += KIND_GAIN * max(map(self._of_kind, paths)) - self._left_over(used, paths)
        return Plan(paths, match.iri if match else "", used, score)

    def _left_over(self, used: frozenset[int], paths: tuple[Path, ...]) -> float:
        named = frozenset[int]().union(
            *(m.words for m in self.mentions if m.exact and m.score >= 1 and not m.words & used)
        )
        lost = SLOT_LEFT * self._slots_left(used, paths)
        for position, word in enumerate(self.words):
            if position in used or not word.content:
                continue
            written = word.capital or word.quoted or position in named
            lost += NAME_LEFT_OVER if written else LEFT_OVER
        return lost

    @cached_property
    def _asked_classes(self) -> frozenset[str]:
        """The classes that the noun asked for names, the most of its words first."""
        asked = [
            match
            for match in self.classes
            if match.score >= KIND_SURE and match.words <= self.intent.asked
        ]
        most = max(((len(match.words), match.score) for match in asked), default=(0, 0.0))
        return frozenset(
            m.iri for m in asked if len(m.words) == most[0] and m.score > most[1] - 0.02
        )

    def _of_asked_class(self, paths: tuple[Path, ...], match: ClassMatch | None) -> float:
        """Whether the ends are of the class that the question asks for."""
        if not self._asked_classes:
            return 0.0
        if match is not None and match.iri in self._asked_classes:
            return ASKED_KIND
        ends = set.intersection(*map(self._ends, paths))
        return 0.0 if ends & self._asked_classes else OTHER_KIND

    def _comes_back(self, path: Path) -> bool:
        """Whether the last step undoes the one before it."""
        if len(path.hops) < 2 or path.hops[-2].predicate not in self.schema.predicates:
            return False
        return self.schema.canonical(path.hops[-2].back()) == path.hops[-1]

    def _slots_left(self, used: frozenset[int], paths: tuple[Path, ...]) -> int:
        """How many links of a chain of genitives no path takes."""
        slots = genitive_slots(self.words, paths[0].seed, self.intent)
        return sum(not slot & used for slot in slots) if len(slots) > 1 else 0

    def _of_kind(self, path: Path) -> float:
        """Whether the last step leads to the kind of thing asked for, 0..1."""
        if not self.intent.kind or not path.hops:
            return 0.0
        last = path.hops[-1]
        predicate = self.schema.predicates.get(last.predicate)
        if predicate is None:
            return 0.0
        if self.intent.kind == "number" and not last.inverse and predicate.numbers > 0.5:
            return 1.0
        if self.intent.kind == "time" and not last.inverse and predicate.dates > 0.5:
            return 1.0
        names = list(self.vocabulary.predicates[last.predicate].forms)
        for iri in predicate.ends(last.inverse):
            names += self.vocabulary.classes[iri].forms if iri in self.vocabulary.classes else ()
        said = {word for form in names for word in form}
        return 1.0 if said & set(self.intent.means) else 0.0


def distinct_paths(plans: Iterable[Plan]) -> list[tuple[Path, str]]:
    """Every path that the plans need, with the class that its ends are held to."""
    needed: dict[tuple[Mention, tuple[Hop, ...], str], tuple[Path, str]] = {}
    for plan in plans:
        for path in plan.paths:
            typed = plan.answer_class if len(plan.paths) == 1 else ""
            needed.setdefault((path.seed, path.hops, typed), (path, typed))
    return list(needed.values())
