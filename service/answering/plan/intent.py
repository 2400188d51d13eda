"""What a question asks for, by its shape: things, a number, yes or no, the most of something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.answering.plan.words import Grammar, Word, find, grammar


class Form(StrEnum):
    """The form of the answer."""

    THINGS = "things"
    COUNT = "count"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class Extreme:
    """The most or least of something; `words` say so, `hints` are words for the property."""

    highest: bool
    words: frozenset[int]
    hints: tuple[str, ...] = ()

    def highest_of(self, dated: bool) -> bool:
        """Whether the highest value is meant; the older of two has the earlier date."""
        return self.highest != (dated and "age" in self.hints)


@dataclass(frozen=True, slots=True)
class Bound:
    """A number of the question and how it limits: "=", ">" or "<"."""

    sign: str
    value: float
    text: str
    words: frozenset[int]


@dataclass(frozen=True, slots=True)
class Intent:
    """The form asked for, hints of the kind of thing, and the words that told all this.

    A `bare` one asks nothing: it is a name, or words of one.
    """

    form: Form
    kind: str = ""
    means: tuple[str, ...] = ()
    shares: bool = False
    extreme: Extreme | None = None
    comparison: Extreme | None = None
    alternative: bool = False
    bounds: tuple[Bound, ...] = ()
    asking: frozenset[int] = frozenset()
    asked: frozenset[int] = frozenset()
    genitives: frozenset[int] = frozenset()
    shared: frozenset[int] = frozenset()
    being: frozenset[int] = frozenset()
    bare: bool = False


def read_intent(text: str, words: Sequence[Word], language: str) -> Intent:
    """What the question's shape tells, by its words alone."""
    row = tuple(words)
    rules = grammar(language)
    counting = find(row, rules.phrases["count"])
    kind, asking = _kind(row, rules)
    extreme = _extreme(row, rules)
    asking |= extreme.words if extreme else frozenset()
    being = _being(row, rules)
    form = Form.THINGS
    if counting is not None:
        form = Form.COUNT
    elif not being and _is_verdict(text, row, rules):
        form = Form.VERDICT
    return Intent(
        form=form,
        kind=kind,
        means=rules.means.get(kind, ()) + _measured(row, rules),
        shares=find(row, rules.phrases["share"]) is not None,
        extreme=extreme,
        comparison=_comparison(row, rules) or extreme,
        alternative=find(row, rules.phrases["alternative"]) is not None,
        bounds=_bounds(text, row, rules),
        asking=asking,
        asked=_asked(row, kind, asking, rules) - asking,
        genitives=_genitives(row, rules),
        shared=_shared(row, rules),
        being=being,
        bare=not (asking or being or _asks(text, row, rules)),
    )


def _asks(text: str, words: tuple[Word, ...], rules: Grammar) -> bool:
    """Whether a word, or the mark at the end, says that this is a question or a wish.

    "has height" and "number of floors" do not: properties are named so.
    """
    if text.rstrip().endswith("?"):
        return True
    first = next((i for i, word in enumerate(words) if word.content), len(words))
    wish = find(words, rules.phrases["list"]) or find(words, rules.phrases["imperative"])
    asked = find(words, rules.phrases["interrogative"]) or find(words, rules.phrases["which"])
    return asked is not None or (wish is not None and wish[0] <= first)


def _being(words: tuple[Word, ...], rules: Grammar) -> frozenset[int]:
    """The words at the start that ask what or who something is."""
    longest = sorted(rules.phrases["being"], key=len, reverse=True)
    starts = (find(words[: len(phrase)], (phrase,)) for phrase in longest)
    at = next((at for at in starts if at is not None), None)
    return frozenset(range(*at)) if at else frozenset()


def _shared(words: tuple[Word, ...], rules: Grammar) -> frozenset[int]:
    """What is said to be the same ("the same *group*")."""
    at = find(words, rules.phrases["share"])
    run: list[int] = []
    for i in range(at[1] if at else len(words), len(words)):
        if words[i].content and not words[i].capital:
            run.append(i)
        elif run:
            break
    return frozenset(run[:2])


def _genitives(words: tuple[Word, ...], rules: Grammar) -> frozenset[int]:
    joints = {phrase[0] for phrase in rules.phrases["genitive"]}
    return frozenset(
        i
        for i, word in enumerate(words)
        if word.genitive or (word.key in joints and len(word.key) > 1)
    )


def _is_verdict(text: str, words: tuple[Word, ...], rules: Grammar) -> bool:
    if find(words[:4], rules.phrases["list"]) is not None:
        return False
    if any(find(words, phrases) for phrases in rules.kinds.values()):
        return False
    at = find(words, rules.phrases["verify"])
    if at is None or at[0] == 0:
        return at is not None
    asks = find(words, rules.phrases["interrogative"]) is not None
    wishes = find(words[:4], rules.phrases["imperative"]) is not None
    return text.rstrip().endswith("?") and not asks and not wishes


def _kind(words: tuple[Word, ...], rules: Grammar) -> tuple[str, frozenset[int]]:
    for kind, phrases in rules.kinds.items():
        at = find(words, phrases)
        if at is not None and not _relative(words, at):
            return kind, frozenset(range(*at))
    return "", frozenset()


def _relative(words: tuple[Word, ...], at: tuple[int, int]) -> bool:
    """Whether the word goes on a noun instead of asking ("systems *where* …")."""
    start, end = at
    if start == 0 or end == len(words) or not words[start - 1].content:
        return False
    return words[start].start - words[start - 1].end == 1 and not words[start - 1].capital


def _asked(
    words: tuple[Word, ...], kind: str, asking: frozenset[int], rules: Grammar
) -> frozenset[int]:
    """The noun that an interrogative asks for ("which *country*", "who are the *heirs*")."""
    starts = [
        (i + 1, False) for i, word in enumerate(words) if (word.key,) in rules.phrases["which"]
    ]
    if kind in _COUNTED:
        starts.append((max(asking) + 1, kind == "person"))
    skipped = frozenset(phrase[0] for phrase in rules.phrases["copula"])
    wish = find(words[:4], rules.phrases["imperative"])
    if not starts and wish is not None:
        starts.append((wish[1], False))
        skipped = rules.stop
    for start, only_after in starts:
        at = start
        while at < len(words) and words[at].key in skipped:
            at += 1
        run = []
        for i in range(at, len(words)):
            if not words[i].content or words[i].capital or (only_after and at == start):
                break
            run.append(i)
        if run:
            return frozenset(run[:3])
    return frozenset()


_NUMBER = re.compile(r"(?<![\w.,-])-?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?(?![\w-])")
_COUNTED = frozenset({"person", "number", "sort"})


def _measured(words: tuple[Word, ...], rules: Grammar) -> tuple[str, ...]:
    hints = [rules.measure[w.key] for w in words if w.key in rules.measure]
    return tuple(hint for group in hints for hint in group)


def _extreme(words: tuple[Word, ...], rules: Grammar) -> Extreme | None:
    for name, highest in (("highest", True), ("lowest", False)):
        at = find(words, rules.phrases[name])
        if at is not None:
            return Extreme(highest, frozenset(range(*at)), _hints(words[slice(*at)], rules))
    return None


def _comparison(words: tuple[Word, ...], rules: Grammar) -> Extreme | None:
    """A comparative, with the adjective after it where the language puts one ("più lungo")."""
    for name, highest in (("smaller", False), ("greater", True)):
        at = find(words, rules.phrases[name])
        if at is not None:
            hints = _hints(words[at[0] : at[1] + 1], rules)
            return Extreme(highest, frozenset(range(*at)), hints)
    return None


def _hints(words: tuple[Word, ...], rules: Grammar) -> tuple[str, ...]:
    """The properties that adjectives speak of."""
    return tuple(
        hint
        for adjective, group in rules.measure.items()
        if any(word.key.startswith(adjective[:4]) and len(adjective) > 2 for word in words)
        for hint in group
    )


def _bounds(text: str, words: tuple[Word, ...], rules: Grammar) -> tuple[Bound, ...]:
    found = []
    for match in _NUMBER.finditer(text):
        places = [i for i, w in enumerate(words) if match.start() <= w.start < match.end()]
        if not places:
            continue
        before = words[max(0, places[0] - 4) : places[0]]
        sign = "="
        if find(before, rules.phrases["less"]) is not None:
            sign = "<"
        elif find(before, rules.phrases["more"]) is not None:
            sign = ">"
        number = float(match.group().replace(",", "."))
        found.append(Bound(sign, number, match.group(), frozenset(places)))
    return tuple(found)
