"""Which known entities a text mentions, by their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from loaders.text.clean import collapse
from loaders.text.languages import FUNCTION_WORDS

_WORD = re.compile(r"\w+")
_LONGEST = 12  # words of a label
_SHORTEST = 3  # letters of a label that is no acronym
_ACRONYM = 5  # letters of an all-capital label that is matched as it is written
_COMMON = 6  # letters from which on one word in lower case may be a mention
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())

Names = dict[tuple[str, ...], list[tuple[str, str]]]  # folded words: (entity, label as written)
Lengths = dict[str, tuple[int, ...]]  # by a label's first word: numbers of words, longest first


def find(
    chunks: Mapping[str, str], labels: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Pairs of a chunk and an entity whose label it holds as whole words, each pair once.

    `chunks` are texts by chunk, `labels` the labels of each entity. The longest label wins where
    two overlap. Short labels in capitals match as they are written ("IT" is not "it"); function
    words, numbers, and one short word in lower case are no mention.
    """
    names = _names(labels)
    lengths = _lengths(names)
    for chunk, text in chunks.items():
        yield from ((chunk, entity) for entity in _mentioned(text, names, lengths))


def _names(labels: Mapping[str, Sequence[str]]) -> Names:
    names: Names = {}
    for entity, written in labels.items():
        for label in dict.fromkeys(map(collapse, written)):
            words = tuple(_WORD.findall(label.lower()))
            if 0 < len(words) <= _LONGEST and _is_telling(label, words):
                names.setdefault(words, []).append((entity, label))
    return names


def _lengths(names: Names) -> Lengths:
    lengths: dict[str, set[int]] = {}
    for words in names:
        lengths.setdefault(words[0], set()).add(len(words))
    return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}


def _is_telling(label: str, words: Sequence[str]) -> bool:
    """Whether the label's words in a text can be taken for the entity."""
    letters = sum(map(str.isalpha, label))
    if _is_acronym(label):
        return letters > 1
    return letters >= _SHORTEST and not _FUNCTION_WORDS.issuperset(words)


def _is_acronym(label: str) -> bool:
    return label.isupper() and sum(map(str.isalpha, label)) <= _ACRONYM


def _mentioned(text: str, names: Names, lengths: Lengths) -> list[str]:
    """The entities in the order in which the text names them."""
    words = _WORD.findall(text)
    folded = [word.lower() for word in words]
    found: dict[str, None] = {}
    at = 0
    while at < len(folded):
        step = 1
        for length in lengths.get(folded[at], ()):
            said = names.get(tuple(folded[at : at + length]), ())
            entities = [entity for entity, label in said if _agrees(label, words[at : at + length])]
            if entities:
                found.update(dict.fromkeys(entities))
                step = length
                break
        at += step
    return list(found)


def _agrees(label: str, words: Sequence[str]) -> bool:
    """Whether words of a text, equal to a label but for case, may stand for it."""
    if _is_acronym(label):
        return list(words) == _WORD.findall(label)
    return len(words) > 1 or len(words[0]) >= _COMMON or not words[0].islower()
