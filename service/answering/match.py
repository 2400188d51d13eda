"""What a question names: entities and literals of the graph, found by their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pyoxigraph import Literal, NamedNode
from rapidfuzz import fuzz

from loaders.ports import Vectors
from service.answering.plan.words import Word
from service.index.labels import Kind, Label, Labels
from service.index.normalise import normalise

_LONGEST, _LONGEST_BARE = 12, 60
_BEARERS = 12
_THINGS = (Kind.ENTITY, Kind.LITERAL)
_ALIKE = 84
_NEAR, _SAME = 0.4, 0.7  # centred cosines of names that are not, and surely are, the same
_WINDOW, _SPANS = 3, 12  # words of a stretch, and stretches that are looked at
_HITS = 3
_UNLIKE = 0.1  # the same of a bare name: what is nearest is shown, alike or not
_LIKE = 0.5  # of which its parts are nothing by themselves
_WRITTEN, _UNWRITTEN = 0.9, 0.75
_FAINT, _FAINTER, _SURE = 0.25, 0.4, 0.75
_NEAREST = 8

Seed = NamedNode | Literal


@dataclass(frozen=True, slots=True)
class Mention:
    """Words [start, end) of the question that name something; `terms` all bear the name.

    `also` are words elsewhere in the question that belong to it, `words` the positions of all.
    """

    start: int
    end: int
    label: str
    terms: tuple[Seed, ...]
    score: float
    exact: bool = True
    also: frozenset[int] = frozenset()
    words: frozenset[int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self.also.union(range(self.start, self.end)))

    def overlaps(self, other: Mention) -> bool:
        """Whether they share a word."""
        return self.start < other.end and other.start < self.end


def exact_mentions(words: Sequence[Word], labels: Labels) -> list[Mention]:
    """Labels that stand whole in the question; of those that overlap, the longest."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _LONGEST) + 1):
            if _may_name(words[start:end]):
                key = " ".join(word.key for word in words[start:end])
                spans.setdefault(key, []).append((start, end))
    found = [
        _mention(start, end, named, _surety(words[start:end], named))
        for key, named in labels.exact(spans).items()
        if (things := [label for label in named if label.kind in _THINGS])
        for start, end in spans[key]
        for named in [things]
    ]
    return _longest(found)


def _may_name(span: Sequence[Word]) -> bool:
    if len(span) == 1:
        word = span[0]
        return (word.content and len(word.key) > 1) or (word.capital and len(word.key) > 1)
    last = span[-1]
    letter = len(last.key) == 1 and not (last.content or last.capital or last.quoted)
    return any(word.content for word in span) and not (letter or last.genitive or span[0].genitive)


def _surety(span: Sequence[Word], named: Sequence[Label]) -> float:
    if len(span) > 1 or span[0].capital or span[0].quoted or not span[0].key.isalpha():
        return 1.0
    return 0.6 if all(not label.alternative for label in named) else 0.55


def _mention(start: int, end: int, named: Iterable[Label], score: float) -> Mention:
    ordered = sorted(named, key=lambda label: (label.kind is Kind.LITERAL, label.alternative))
    terms = dict.fromkeys(map(_term, ordered))
    return Mention(start, end, ordered[0].text, tuple(terms)[:_BEARERS], score)


def _term(label: Label) -> Seed:
    if label.iri:
        return NamedNode(label.iri)
    return Literal(label.text, language=label.language) if label.language else Literal(label.text)


def _longest(mentions: Iterable[Mention]) -> list[Mention]:
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, -m.score)):
        if not any(mention.overlaps(other) for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


def name_runs(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Stretches of words written like names: quoted, capitalised, or with digits in them."""
    runs: list[tuple[int, int]] = []
    start = 0
    while start < len(words):
        if not _like_name(words[start]):
            start += 1
            continue
        end = start + 1
        while end < len(words) and (
            _like_name(words[end])
            or (_joins(words, end) and words[end - 1].quoted == words[end].quoted)
        ):
            end += 1
        runs.append((start, end))
        start = end
    return runs


def _like_name(word: Word) -> bool:
    digits = not word.key.isalpha() and not word.key.isdigit()
    return word.quoted or word.capital or digits


def _joins(words: Sequence[Word], at: int) -> bool:
    following = at + 1 < len(words) and _like_name(words[at + 1])
    return following and not words[at].content and not words[at].genitive


def partial_mentions(
    words: Sequence[Word], exact: Sequence[Mention], labels: Labels
) -> list[Mention]:
    """Labels that hold a name of the question as a part, or are written almost like it."""
    found: list[Mention] = []
    for start, end in name_runs(words):
        within = [m for m in exact if m.start < end and start < m.end]
        if any(m.start <= start and end <= m.end for m in within):
            continue
        found += _longer_labels(words, start, end, labels)
        if not within:
            found += _misspelt(words, start, end, labels)
    for start, end in loose_words(words, (*exact, *found)):
        found += _misspelt(words, start, end, labels)
    return found


def loose_words(words: Sequence[Word], taken: Sequence[Mention]) -> list[tuple[int, int]]:
    """Content words that no mention holds, long enough to compare by their letters."""
    used = frozenset[int]().union(*(mention.words for mention in taken))
    return [
        (i, i + 1)
        for i, word in enumerate(words)
        if i not in used and word.content and len(word.key) > 4
    ]


def _longer_labels(words: Sequence[Word], start: int, end: int, labels: Labels) -> list[Mention]:
    """Labels that hold all the words; those of equal length bear the name together."""
    text = " ".join(word.text for word in words[start:end])
    needed = [word.key for word in words[start:end] if word.content] or [text]
    grouped: dict[tuple[int, bool, frozenset[int]], list[Label]] = {}
    for scored in labels.containing(text, _THINGS, 40):
        key = normalise(scored.label.text)
        parts = key.split()
        if set(needed) <= set(parts):
            beside = frozenset(
                i for i, word in enumerate(words)
                if word.content and word.key in parts and not start <= i < end
            )  # fmt: skip
            shape = len(parts), " ".join(needed) in key, beside
            grouped.setdefault(shape, []).append(scored.label)
    found = []
    for (size, together, beside), named in grouped.items():
        share = (len(needed) + len(beside)) / size
        score = min(0.95, 0.5 + 0.35 * share + (0.1 if together else 0.0))
        mention = _mention(start, end, named, score)
        found.append(replace(mention, exact=False, also=beside))
    return sorted(found, key=lambda m: -m.score)[:3]


def _misspelt(words: Sequence[Word], start: int, end: int, labels: Labels) -> list[Mention]:
    text = " ".join(word.key for word in words[start:end])
    grouped: dict[str, list[Label]] = {}
    for scored in labels.similar(text, _THINGS, 12):
        grouped.setdefault(normalise(scored.label.text), []).append(scored.label)
    found = []
    for key, named in grouped.items():
        ratio = fuzz.ratio(text, key)
        if ratio >= _ALIKE:
            score = 0.85 * ratio / 100
            found.append(replace(_mention(start, end, named, score), exact=False))
    return sorted(found, key=lambda m: -m.score)[:3]


def name_spans(
    words: Sequence[Word], taken: Sequence[Mention], *, bare: bool, foreign: bool
) -> list[tuple[int, int]]:
    """Stretches of words [start, end) that may name what no label is written like.

    Names that no label has whole, alone and with the noun before them ("Tower of Pisa"); the
    whole, where it is `bare`: a name and no question; and single words of content, or several
    where there are `foreign` labels, which no letters find.
    """
    spans: dict[tuple[int, int], None] = {}
    if bare and 0 < len(words) <= _LONGEST_BARE:
        spans[0, len(words)] = None
    for start, end in name_runs(words):
        if any(m.start <= start and end <= m.end and m.end - m.start > 1 for m in taken):
            continue
        before = start - 1
        while before >= 0 and not words[before].content and start - before < 4:
            before -= 1
        spans[start, end] = None
        if before >= 0 and words[before].content:
            spans[before, end] = None
    sure = [m for m in taken if m.exact and m.score >= 1]
    for size in range(1, (_WINDOW if foreign else 1) + 1):
        for start in range(len(words) - size + 1):
            end = start + size
            within = any(m.start < end and start < m.end for m in sure)
            if not within and words[start].content and words[end - 1].content:
                spans[start, end] = None
    return list(spans)[:_SPANS]


def near_mentions(
    words: Sequence[Word],
    language: str,
    taken: Sequence[Mention],
    vectors: Mapping[tuple[int, int], Vectors],
    labels: Labels,
) -> list[Mention]:
    """Entities whose names mean what words mean that no label is written like.

    `vectors` are those of stretches of words, centred. What is nearest counts by how near it is;
    less so where the words could have been written like the name, being of its language.
    """
    used = frozenset[int]().union(*(mention.words for mention in taken if mention.score >= _SURE))
    spans = [span for span in vectors if not used.issuperset(range(*span))]
    if not spans:
        return []
    rows = np.stack([vectors[span] for span in spans])
    hits = labels.nearest(rows, (Kind.ENTITY,), _HITS)
    found = []
    for (start, end), row in zip(spans, hits, strict=True):
        whole = end - start == len(words)
        capital = any(word.capital for word in words[start:end])
        near = _UNLIKE if whole else _NEAR
        for scored in row:
            foreign = scored.label.language[:2] not in {"", language} and end - start > 1
            written = whole or capital or foreign
            least = 0.0 if whole else _FAINT if written else _FAINTER
            nearness = float(np.clip((scored.score - near) / (_SAME - near), 0, 1))
            score = nearness * (_WRITTEN if written else _UNWRITTEN)
            if score > least:
                mention = _mention(start, end, [scored.label], score)
                found.append(replace(mention, exact=False))
    return sorted(found, key=lambda mention: -mention.score)[:_NEAREST]


def by_share(mentions: Sequence[Mention], words: Sequence[Word]) -> list[Mention]:
    """The mentions, those of a part less sure where all the words together are like a name."""
    content = frozenset(i for i, word in enumerate(words) if word.content)
    whole = {m.terms for m in mentions if m.words >= content and m.score >= _LIKE}
    if not whole:
        return list(mentions)
    return [
        m if m.terms in whole else replace(m, score=m.score * len(m.words & content) / len(content))
        for m in mentions
    ]
