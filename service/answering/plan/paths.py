"""Paths from what a question names to what it asks for, ranked by the question's words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from pyoxigraph import NamedNode

from ontology.vocabulary import RDF
from service.answering.match import Mention
from service.answering.plan.intent import Intent
from service.answering.plan.support import Pair, Support
from service.answering.plan.vocabulary import Vocabulary
from service.answering.plan.words import Word
from service.index.schema import Hop, Schema

BEAM = 12
LONGEST = 3
STEP = 0.33
RETURN = 0.15
IN_ORDER, OUT_OF_ORDER = 0.06, -0.15
SLOT = 0.3
AGAINST = 0.08
ASKED, ASKED_LATER = 0.15, 0.12
TWICE = 0.6
PROMISE = 0.4
CLASSES, CLASSES_ALIKE = 16, 3
HEARD = 0.25
HINT, ALONE = 0.35, 0.65
MOSTLY, BY_CLASS = 0.5, 0.6
OF_CLASS, CLASS_BEAM = 0.45, 8
INSTANCES = Hop(RDF.type.value, True)
CLASS_SURE = 0.45
SHARED, NOT_SHARED = 0.2, -0.15
ENDLESS = -0.2
SEEN_RARELY = 0.03


@dataclass(frozen=True, slots=True)
class ClassMatch:
    """A class that words of the question speak of."""

    iri: str
    words: frozenset[int]
    score: float

    @property
    def seed(self) -> Mention:
        """The class as what a path starts from; it links less surely than a name."""
        start, end = min(self.words), max(self.words) + 1
        return Mention(start, end, self.iri, (NamedNode(self.iri),), self.score / 2)


def class_matches(support: Support, vocabulary: Vocabulary) -> list[ClassMatch]:
    """The classes that the question's words speak of, best first."""
    found = [
        ClassMatch(iri, pair.words, pair.score)
        for iri, term in vocabulary.classes.items()
        for pair in support.of(term)[:2]
        if pair.score >= CLASS_SURE and not pair.words & support.intent.asking
    ]
    kept: dict[frozenset[int], list[ClassMatch]] = {}
    for match in sorted(found, key=lambda match: -match.score):
        group = kept.setdefault(match.words, [])
        if len(group) < CLASSES_ALIKE:
            group.append(match)
    ranked = sorted((m for group in kept.values() for m in group), key=lambda match: -match.score)
    return ranked[:CLASSES]


class Path(NamedTuple):
    """Steps from a mention; `words` are those that speak of them, `units` what they cost."""

    seed: Mention
    hops: tuple[Hop, ...] = ()
    words: frozenset[int] = frozenset()
    rank: float = -1.0
    score: float = 0.0
    returns: bool = False
    closed: bool = False
    open_ended: bool = False


def reading_order(words: Sequence[Word], seed: Mention, intent: Intent) -> list[float]:
    """For each word how far from the seed it is read: "B of A of *seed*", "*seed*'s A's B"."""
    left = list(range(seed.start - 1, -1, -1))
    right = list(range(seed.end, len(words)))
    genitive = seed.end < len(words) and words[seed.end].genitive
    order = (*right, *left) if genitive else (*left, *right)
    ranks = [0.0] * len(words)
    for place, position in enumerate(order):
        ranks[position] = float(place)
    for position in intent.asked | intent.asking:
        ranks[position] += len(words)
    return ranks


def genitive_slots(words: Sequence[Word], seed: Mention, intent: Intent) -> list[frozenset[int]]:
    """The groups of words that genitives chain to the seed, nearest first."""
    slots: list[frozenset[int]] = []
    at = seed.end
    while at < len(words) and words[at].genitive:
        run = _content_run(words, range(at + 1, len(words)))
        slots += [run] if run else []
        at = max(run, default=len(words)) + 1
    at = seed.start - 1
    while at >= 0 and (at in intent.genitives or not words[at].content):
        while at >= 0 and not words[at].content and at not in intent.genitives:
            at -= 1
        if at < 0 or at not in intent.genitives:
            break
        run = _content_run(words, range(at - 1, -1, -1))
        slots += [run] if run else []
        at = min(run, default=0) - 1
    return slots


def _content_run(words: Sequence[Word], positions: Iterable[int]) -> frozenset[int]:
    run: list[int] = []
    for position in positions:
        if words[position].content:
            run.append(position)
        elif run or words[position].genitive:
            break
    return frozenset(run)


@dataclass(frozen=True)
class Explorer:
    """Grows paths over the schema, the likeliest first."""

    words: Sequence[Word]
    intent: Intent
    schema: Schema
    vocabulary: Vocabulary
    support: Support
    classes: Sequence[ClassMatch] = ()
    spoken: dict[Hop, list[Pair]] = field(default_factory=dict)

    def paths(self, seed: Mention, first: Mapping[Hop, int]) -> list[Path]:
        """Paths of one to three steps from the seed whose first step the graph has."""
        seed = replace(seed, also=seed.also | self._apposition(seed))
        ranks = reading_order(self.words, seed, self.intent)
        slots = genitive_slots(self.words, seed, self.intent)
        steps = {
            self.schema.canonical(hop): 1.0
            for hop in first
            if hop.predicate in self.schema.predicates
        }
        grown: list[Path] = []
        layer = self._beam(self._grow(Path(seed), steps, ranks, slots))
        for _ in range(LONGEST):
            grown += layer
            layer = self._beam(
                path
                for parent in layer
                if len(parent.hops) < LONGEST
                and not parent.closed
                and not self._ends_in_literals(parent)
                for path in self._grow(parent, self._following(parent.hops[-1]), ranks, slots)
            )
        return grown

    def _apposition(self, seed: Mention) -> frozenset[int]:
        """Words beside the seed that say what it is ("the *bay* B12"), by the graph's classes."""
        beside: set[int] = set()
        for match in self.classes:
            start, end = min(match.words), max(match.words) + 1
            if end == seed.start or (start == seed.end and not match.words & self.intent.genitives):
                beside |= match.words
        return frozenset(beside) - self.intent.asked

    def _ends_in_literals(self, path: Path) -> bool:
        last = path.hops[-1]
        return not last.inverse and self.schema.predicates[last.predicate].literals > 0.5

    def of_class(self, match: ClassMatch) -> list[Path]:
        """The instances of a class, and what a step or two lead from them to."""
        seed = match.seed
        instances = Path(seed, (INSTANCES,), match.words, score=OF_CLASS * match.score - STEP)
        ranks = reading_order(self.words, seed, self.intent)
        first = self._beam(self._grow(instances, self._of_instances(match.iri), ranks, ()))
        return [instances, *(path for path in first[:CLASS_BEAM] if not path.open_ended)]

    def _of_instances(self, iri: str) -> Mapping[Hop, float]:
        steps: dict[Hop, float] = {}
        for predicate in self.schema.predicates.values():
            if iri in predicate.domain:
                steps[self.schema.canonical(Hop(predicate.iri))] = predicate.domain[iri]
            if iri in predicate.range:
                steps[self.schema.canonical(Hop(predicate.iri, True))] = predicate.range[iri]
        return steps

    def _following(self, hop: Hop) -> Mapping[Hop, float]:
        after = self.schema.following.get(hop, {})
        steps: dict[Hop, float] = {}
        for following, share in after.items():
            step = self.schema.canonical(following)
            steps[step] = max(share, steps.get(step, 0.0))
        return steps

    def _grow(
        self,
        parent: Path,
        steps: Mapping[Hop, float],
        ranks: Sequence[float],
        slots: Sequence[frozenset[int]],
    ) -> Iterable[Path]:
        before = parent.hops[-1] if parent.hops and parent.hops[-1] != INSTANCES else None
        for hop, share in steps.items():
            rare = SEEN_RARELY * math.log(max(share, 0.01)) - AGAINST * hop.inverse
            if before is not None and self._turns_back(before, hop):
                rare -= RETURN
            pairs = self._in_slot(self._pairs(hop, parent), parent, slots)
            for pair in (*pairs[:3], *self._guesses(hop, parent, slots), None):
                yield self._step(parent, (hop,), pair, rare - STEP, ranks)
            joined = self._return(hop, pairs, len(slots))
            if joined is not None and len(parent.hops) + 2 <= LONGEST:
                back = self.schema.canonical(hop.back())
                yield self._step(parent, (hop, back), joined, rare - STEP, ranks)

    @cached_property
    def _unheard(self) -> bool:
        """Whether no predicate is known to be what the interrogative's noun speaks of."""
        terms = self.vocabulary.predicates.values()
        return not any(
            pair.words & self.intent.asked and pair.score >= HEARD
            for term in terms
            for pair in self.support.of(term)
        )

    def _in_slot(
        self, pairs: list[Pair], parent: Path, slots: Sequence[frozenset[int]]
    ) -> list[Pair]:
        """Where two genitives or more chain the words, a step is spoken of by its own link."""
        place = len(parent.hops)
        if len(slots) < 2 or place >= len(slots):
            return pairs
        return [pair for pair in pairs if pair.words & slots[place]]

    def _turns_back(self, before: Hop, hop: Hop) -> bool:
        symmetric = self.schema.predicates[hop.predicate].mirror == hop.predicate
        return not symmetric and hop == self.schema.canonical(before.back())

    def _guesses(self, hop: Hop, parent: Path, slots: Sequence[frozenset[int]]) -> Iterable[Pair]:
        """Words that must speak of some predicate, though of which one is hardly known."""
        term = self.vocabulary.predicates[hop.predicate]
        place = len(parent.hops)
        slot = slots[place] if place < len(slots) else frozenset[int]()
        if slot and not slot & parent.words:
            yield Pair(slot, SLOT + self.support.faint(term, slot))
        asked = self.intent.asked
        if (
            asked
            and asked != slot
            and not parent.words
            and not asked & (parent.words | parent.seed.words)
        ):
            faint = self.support.faint(term, asked)
            if faint > 0:
                yield Pair(asked, (ASKED_LATER if parent.words else ASKED) + faint)

    def _return(self, hop: Hop, pairs: Sequence[Pair], slots: int) -> Pair | None:
        """The words that ask for a step and its return: what else has the same."""
        if self.schema.predicates[hop.predicate].literals == 1:
            return None
        if self.intent.shared and not any(pair.words & self.intent.shared for pair in pairs):
            term = self.vocabulary.predicates[hop.predicate]
            faint = self.support.faint(term, self.intent.shared)
            return Pair(self.intent.shared, faint) if faint > 0 else None
        if not pairs:
            return None
        if self.intent.shares:
            return _joined(pairs) or pairs[0]
        last = self.intent.asking | self.intent.asked
        sure = [pair for pair in pairs if pair.score >= TWICE and not pair.words & last]
        if slots >= 2 or not sure:
            return None
        apart = max(sure[0].words) - min(sure[0].words) > 1
        return _joined(sure) or (sure[0]._replace(score=sure[0].score - 0.1) if apart else None)

    def _pairs(self, hop: Hop, parent: Path) -> list[Pair]:
        """The words that speak of a step and that the path has not used, the surest first."""
        if hop not in self.spoken:
            self.spoken[hop] = self._spoken(hop)
        taken = parent.words | parent.seed.words
        return [pair for pair in self.spoken[hop] if taken.isdisjoint(pair.words)]

    def _spoken(self, hop: Hop) -> list[Pair]:
        predicate = self.schema.predicates[hop.predicate]
        names = {hop.predicate, predicate.mirror} & self.vocabulary.predicates.keys()
        found = [pair for iri in names for pair in self.support.of(self.vocabulary.predicates[iri])]
        for iri, share in predicate.ends(hop.inverse).items():
            if share >= MOSTLY and iri in self.vocabulary.classes:
                found += self._by_class(iri)
        return sorted(self._with_hint(found), key=lambda pair: -pair.score)

    def _by_class(self, iri: str) -> list[Pair]:
        """Words for the class that a step leads to, unless they are what the answer must be."""
        held = any(match.iri == iri for match in self.classes)
        return [
            Pair(pair.words, pair.score * BY_CLASS)
            for pair in self.support.of(self.vocabulary.classes[iri])
            if not (held and pair.words <= self.intent.asked)
        ]

    def _with_hint(self, found: list[Pair]) -> list[Pair]:
        """What the interrogative hints at counts less by itself, and more beside other words."""
        asking = self.intent.asking
        hint = max((pair.score for pair in found if pair.words <= asking), default=0.0)
        if not hint:
            return found
        spoken = [pair for pair in found if not pair.words & asking]
        together = [
            Pair(p.words | asking, max(p.score, hint) + HINT * min(p.score, hint)) for p in spoken
        ]
        return [Pair(asking, ALONE * hint), *spoken, *together]

    def _step(
        self,
        parent: Path,
        hops: tuple[Hop, ...],
        pair: Pair | None,
        cost: float,
        ranks: Sequence[float],
    ) -> Path:
        returns = parent.returns or len(hops) > 1
        if pair is None:
            return Path(
                parent.seed,
                parent.hops + hops,
                parent.words,
                parent.rank,
                parent.score + cost,
                returns,
                parent.closed,
                True,
            )
        closed = bool(pair.words & (self.intent.asking | self.intent.asked))
        rank = sum(ranks[i] for i in pair.words) / len(pair.words)
        order = 0.0
        if parent.rank >= 0:
            order = IN_ORDER if rank > parent.rank else OUT_OF_ORDER
        return Path(
            parent.seed,
            parent.hops + hops,
            parent.words | pair.words,
            rank,
            parent.score + pair.score + cost + order,
            returns,
            closed,
        )

    def _promise(self, path: Path) -> float:
        """The score that a path may still reach, by its words and the class of its ends."""
        last = path.hops[-1]
        ends = self.schema.predicates[last.predicate].ends(last.inverse)
        fits = any(match.iri in ends for match in self.classes if not match.words & path.words)
        return path.score + 0.1 * len(path.words) + (PROMISE if fits else 0.0)

    def _beam(self, paths: Iterable[Path]) -> list[Path]:
        best: dict[tuple[Hop, ...], Path] = {}
        for path in sorted(paths, key=self._promise, reverse=True):
            best.setdefault(path.hops, path)
        return list(best.values())[:BEAM]


def _joined(pairs: Sequence[Pair]) -> Pair | None:
    """Two mentions of one relation, as in "directed by the director of", taken together."""
    for second in pairs[1:]:
        if not second.words & pairs[0].words:
            return Pair(pairs[0].words | second.words, pairs[0].score + 0.3 * second.score)
    return None
