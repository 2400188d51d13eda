"""Chunks of a text."""

from __future__ import annotations

from itertools import pairwise

from loaders.text.chunks import chunks, pieces

TEXT = " ".join(f"Sentence {n} is neither long nor short." for n in range(200))


def test_chunks_begin_and_end_with_sentences_and_overlap() -> None:
    places = chunks(TEXT)
    assert all(TEXT[start:end].endswith(".") for start, end in places)
    assert all(TEXT[start:end].startswith("Sentence") for start, end in places)
    assert all(end - start <= 1_000 for start, end in places)
    for (_, end), (start, _) in pairwise(places):
        assert 0 < end - start <= 200


def test_every_character_but_space_is_in_a_chunk() -> None:
    text = TEXT + " " + "word " * 900 + "x" * 2_500
    covered = {at for start, end in chunks(text) for at in range(start, end)}
    assert all(at in covered or text[at].isspace() for at in range(len(text)))


def test_a_short_text_is_one_chunk_and_nothing_none() -> None:
    assert chunks("Short.") == [(0, 6)]
    assert chunks("") == []


def test_pieces_do_not_overlap() -> None:
    places = pieces(TEXT, 500)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
