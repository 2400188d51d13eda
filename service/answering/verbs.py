"""Which words of a sentence are verbs, as their endings and the words before them tell."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

_BEFORE = 2  # words before a participle among which its auxiliary stands
_SHORTEST = 4  # letters of a verb that is known by its ending


@dataclass(frozen=True, slots=True)
class Verbs:
    """A language's auxiliaries, and how participles and past tenses end."""

    auxiliaries: frozenset[str]
    participles: tuple[str, ...]
    past: tuple[str, ...]


@cache
def verbs(language: str) -> Verbs:
    """The verbs of a language; none for one that is not known."""
    file = resources.files("service.answering").joinpath("languages", f"{language}.toml")
    if not file.is_file():
        return Verbs(frozenset(), (), ())
    told = tomllib.loads(file.read_text("utf-8"))["verbs"]
    return Verbs(
        frozenset(told["auxiliaries"].split()), tuple(told["participles"]), tuple(told["past"])
    )


def are_verbs(words: Sequence[str], grammar: frozenset[str], language: str) -> list[bool]:
    """For each word of a sentence whether it is one; names and words of `grammar` are none."""
    known = verbs(language)
    low = [word.lower() for word in words]

    def is_verb(place: int) -> bool:
        word = low[place]
        if len(word) < _SHORTEST or word != words[place] or word in grammar:
            return False
        return word.endswith(known.past) or (word.endswith(known.participles) and helped(place))

    def helped(place: int) -> bool:
        """Whether an auxiliary stands before, with one word between them at most."""
        for before in reversed(low[max(place - _BEFORE, 0) : place]):
            if before in known.auxiliaries:
                return True
            if before in grammar or not before.isalpha():
                return False
        return False

    return [is_verb(place) for place in range(len(words))]
