"""The vectors that a question needs: which texts they are of, and all of them in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loaders.ports import Embedder, Vectors

TextVectors = Mapping[str, Vectors]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Texts to be embedded as questions are, and names to be embedded as the stored names are."""

    asked: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def together(cls, parts: Iterable[Wanted]) -> Wanted:
        """What several want, each text once."""
        rows = list(parts)
        return cls(
            tuple(sorted({text for one in rows for text in one.asked})),
            tuple(sorted({name for one in rows for name in one.names})),
        )


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of what was wanted; none without an embedder."""

    asked: TextVectors = field(default_factory=dict)
    names: TextVectors = field(default_factory=dict)


def embedded(wanted: Wanted, embedder: Embedder | None) -> Embedded:
    """The vectors of the texts; raises ModelError."""
    if embedder is None or not (wanted.asked or wanted.names):
        return Embedded()
    asked, names = embedder.both(wanted.asked, wanted.names)
    return Embedded(
        dict(zip(wanted.asked, asked, strict=True)), dict(zip(wanted.names, names, strict=True))
    )
