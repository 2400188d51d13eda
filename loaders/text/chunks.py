"""Chunks, overlapping pieces of a text that begin and end with whole sentences."""

from __future__ import annotations

from collections.abc import Iterator

from loaders.text.sentences import spans

SIZE = 1_000
OVERLAP = 200


def chunks(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[tuple[int, int]]:
    """Offsets (start, end) of pieces of at most `size` characters that cover all sentences.

    Each begins with the sentences before that fit into `overlap`; a sentence that is longer than
    `size` is cut between words.
    """
    units = [piece for span in spans(text) for piece in _pieces(text, *span, size)]
    found = []
    first = 0
    while first < len(units):
        start = units[first][0]
        last = first
        while last + 1 < len(units) and units[last + 1][1] - start <= size:
            last += 1
        end = units[last][1]
        found.append((start, end))
        if last + 1 == len(units):
            break
        first = _next_first(units, first, last, overlap, size)
    return found


def pieces(text: str, size: int) -> list[tuple[int, int]]:
    """Offsets of pieces of at most `size` characters that end with sentences, none twice."""
    return [(0, len(text))] if len(text) <= size else chunks(text, size, 0)


def _next_first(
    units: list[tuple[int, int]], first: int, last: int, overlap: int, size: int
) -> int:
    """The first unit of the chunk after `first` … `last`: it must reach past that one's end."""
    end = units[last][1]
    following = last + 1
    while (
        following - 1 > first
        and end - units[following - 1][0] <= overlap
        and units[last + 1][1] - units[following - 1][0] <= size
    ):
        following -= 1
    return following


def _pieces(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    while end - start > size:
        cut = text.rfind(" ", start + size // 2, start + size)
        if cut < 0:
            cut = start + size
        yield start, cut
        start = cut + (text[cut] == " ")
    yield start, end
