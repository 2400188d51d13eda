"""What tells whether a plan answers its question: signs, each a number about 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from pyoxigraph import Literal

from service.answering.plan.paths import INSTANCES, Path
from service.answering.plan.reading import Understood
from service.answering.plan.support import span_text
from service.answering.plan.words import LANGUAGES, grammar
from service.answering.settled import Settled
from service.answering.surety import Prior
from service.index.schema import Hop

_SECOND = 0.3  # what each further name that is left over leaves to be sure of
_BY_CLASS, _BY_KIND = 0.8, 0.5  # how clearly a class, or who and where, speak of the last step
_OTHER_KIND = {"person": 1.0, "place": 0.3}  # "where" may ask for more than places
_FAINT, _CLEAR = 0.12, 0.52  # centred cosines of words that speak of a predicate
_DIGIT = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of one plan with its answers.

    `score` is the plan's own; `link` how surely its names are meant; `spoken`
    and `least` how clearly words speak of its steps, on average and of the least clear; `open` its
    steps that no word speaks of; `typed` how surely the class of the answers is named; `names` and
    `words` what of the question it leaves over; `rival` how much more clearly a word speaks of a
    predicate that the plan does not use; `fits` and `unfit` whether the answers are of the kind
    asked for; `crowd` how many there are; `said` that only texts lead to them; `margin` how far
    off the next plan is that answers otherwise.
    """

    score: float
    link: float
    spoken: float
    least: float
    open: float
    typed: float
    names: float
    words: float
    rival: float
    fits: float
    unfit: float
    crowd: float
    said: float
    margin: float

    @classmethod
    def of(
        cls,
        settled: Sequence[Settled],
        understood: Understood,
        accounted: frozenset[int] = frozenset(),
    ) -> Signs:
        """The signs of the first of the plans, which has answers; what holds accounts for words."""
        best, reading = settled[0], understood.reading
        typed = max(
            (m.score for m in understood.classes if m.iri == best.plan.answer_class), default=0.0
        )
        fits = _fits(best, understood)
        steps = [
            step
            for path in best.plan.paths
            for step in _spoken(path, understood, max(_BY_CLASS * typed, _BY_KIND * fits))
        ]
        names, words = _left_over(best, understood, accounted)
        return cls(
            score=best.score,
            link=min(min(1.0, seed.score) for seed in best.plan.seeds),
            spoken=sum(steps) / len(steps) if steps else 0.0,
            least=min(steps, default=0.0),
            open=float(sum(path.open_ended for path in best.plan.paths)),
            typed=typed,
            names=1 - _SECOND ** len(names),
            words=len(words) / max(1, sum(word.content for word in reading.words)),
            rival=_rival(best, understood, names),
            fits=max(fits, 0.0),
            unfit=max(-fits, 0.0),
            crowd=math.log10(max(1, len(best.answers))) / 3,
            said=float(not best.plan.seeds[0].terms),
            margin=_margin(settled),
        )

    @property
    def numbers(self) -> tuple[float, ...]:
        """All of them in order."""
        return astuple(self)


PRIOR = Prior(
    "facts",
    dict.fromkeys((one.name for one in fields(Signs)), 0.0)
    | {"score": 1.0, "least": 2.0, "margin": 0.5, "fits": 0.3}
    | {"names": -12.0, "rival": -1.5, "unfit": -3.0, "words": -1.0},
    constant=-0.8,
    untold=0.4,
)


def _spoken(path: Path, understood: Understood, ends: float) -> list[float]:
    """For each step how clearly words of the path speak of it, the last by its `ends` too; 0..1."""
    classes = {match.seed: match.score for match in understood.classes}
    clear = [
        classes.get(path.seed, 0.0)
        if hop == INSTANCES
        else max(
            (_clear(hop, frozenset([i]), path.words, understood) for i in path.words), default=0
        )
        for hop in path.hops
    ]
    return [*clear[:-1], max(clear[-1], ends)]


def _clear(
    hop: Hop, near: frozenset[int], allowed: frozenset[int], understood: Understood
) -> float:
    """How clearly allowed words, some of them near ones, speak of a step."""
    terms, predicates = understood.known.vocabulary.predicates, understood.known.schema.predicates
    names = {hop.predicate}
    if hop.predicate in predicates:
        names.add(predicates[hop.predicate].mirror)
    pairs = (pair for iri in names & terms.keys() for pair in understood.support.of(terms[iri]))
    return max((p.score for p in pairs if p.words & near and p.words <= allowed), default=0.0)


def _left_over(
    best: Settled, understood: Understood, accounted: frozenset[int]
) -> tuple[list[int], list[int]]:
    """The words that the plan does not account for: those written like names, and the others."""
    reading = understood.reading
    used = best.plan.words | reading.intent.asking | accounted
    named = frozenset[int]().union(*(m.words for m in reading.mentions if m.exact and m.score >= 1))
    left = [i for i, word in enumerate(reading.words) if word.content and i not in used]
    names = {
        i
        for i in left
        if i in named
        or reading.words[i].capital
        or reading.words[i].quoted
        or not reading.words[i].key.isalpha()
    }
    return sorted(names), [i for i in left if i not in names]


def _rival(best: Settled, understood: Understood, names: Iterable[int]) -> float:
    """How much more clearly than the plan's steps a word speaks of some other predicate, 0..1."""
    seeds = frozenset[int]().union(*(seed.words for seed in best.plan.seeds if seed.terms))
    content = [i for i, word in enumerate(understood.reading.words) if word.content]
    asked = [i for i in content if i not in seeds and i not in set(names)]
    spoken = frozenset[int]().union(*(path.words for path in best.plan.paths))
    kinds = best.plan.words - spoken
    found = [0.0]
    for i, told in _told(asked, understood).items():
        used = [
            _clear(hop, frozenset([i]), path.words, understood)
            for path in best.plan.paths
            for hop in path.hops
            if i in path.words and hop != INSTANCES
        ]
        found.append(0.0 if i in kinds else told - max(used, default=0.0))
    return max(found)


def _told(words: Iterable[int], understood: Understood) -> dict[int, float]:
    """For each word how clearly it speaks of the predicate or class that it is nearest to."""
    support, senses = understood.support, understood.support.senses
    texts = {i: span_text(support.words, (i,)) for i in words}
    known = {i: text for i, text in texts.items() if text in support.vectors}
    if senses is None or not known:
        return {}
    rows = np.stack([support.vectors[text] for text in known.values()]) - senses.mean
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (senses.matrix @ (rows / np.maximum(lengths, 1e-6)).T).max(axis=0)
    told = np.clip((cosines - _FAINT) / (_CLEAR - _FAINT), 0, 1)
    return dict(zip(known, told.tolist(), strict=True))


def _fits(best: Settled, understood: Understood) -> float:
    """Whether the answers are of the kind asked for: 1 if so, -1 if not, 0 where it is open."""
    kind = understood.reading.intent.kind
    literals = [answer for answer in best.answers if isinstance(answer, Literal)]
    if kind in {"number", "time"}:
        return 1.0 if any(_DIGIT & set(one.value) for one in literals) else -0.5
    if kind in {"person", "place"}:
        return _of_class(best, kind, understood)
    return 0.0


def _of_class(best: Settled, kind: str, understood: Understood) -> float:
    """As `_fits`, by the classes that the plan's last step leads to."""
    known = understood.known
    last = best.plan.paths[0].hops[-1]
    predicate = known.schema.predicates.get(last.predicate)
    ends = set(predicate.ends(last.inverse)) if predicate else set()
    if best.plan.answer_class:
        ends = {best.plan.answer_class}
    kinds = {one: _classes(one, understood) & ends for one in ("person", "place")}
    if kinds.pop(kind):
        return 1.0
    return -_OTHER_KIND[kind] if any(kinds.values()) else 0.0


def _classes(kind: str, understood: Understood) -> set[str]:
    """The classes whose names say that they are of a kind, in any of the languages."""
    means = frozenset[str]().union(*(grammar(tag).means.get(kind, ()) for tag in LANGUAGES))
    terms = understood.known.vocabulary.classes
    return {iri for iri, term in terms.items() if any(means & set(form) for form in term.forms)}


def _margin(settled: Sequence[Settled]) -> float:
    best = settled[0]
    others = (one.score for one in settled[1:] if set(one.answers) != set(best.answers))
    return min(1.0, best.score - next(others, best.score - 1.0))
