"""Question vectors asked for in bulk are made once for all processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from loaders.ports import Vectors
from service.models.kept import KeptEmbedder

TEXTS = [f"text {number}" for number in range(40)]


class Counting:
    """Vectors made of the text's number; counts the texts it is asked for."""

    model = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self.questions(texts)

    def questions(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return np.array([[float(text.split()[-1]), 1.0] for text in texts], np.float32)

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        return self.questions(questions), self.passages(passages)


def test_another_process_finds_what_was_made(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    made = KeptEmbedder(first, tmp_path / "q.sqlite").questions(TEXTS)
    found = KeptEmbedder(second, tmp_path / "q.sqlite").questions(list(reversed(TEXTS)))
    assert np.array_equal(found, made[::-1])
    assert (first.asked, second.asked) == (40, 0)


def test_only_new_texts_are_made(tmp_path: Path) -> None:
    counting = Counting()
    embedder = KeptEmbedder(counting, tmp_path / "q.sqlite")
    embedder.questions(TEXTS)
    vectors = embedder.questions([*TEXTS, "text 99", "text 99"])
    assert counting.asked == 41
    assert vectors.shape == (42, 2)
    assert vectors[-1][0] == 99


def test_a_single_question_is_not_kept(tmp_path: Path) -> None:
    counting = Counting()
    embedder = KeptEmbedder(counting, tmp_path / "q.sqlite")
    embedder.questions(TEXTS[:2])
    assert embedder.questions(TEXTS[:2]).shape == (2, 2)
    assert counting.asked == 4
    assert not (tmp_path / "q.sqlite").exists()


def test_vectors_of_two_models_are_kept_apart(tmp_path: Path) -> None:
    KeptEmbedder(Counting(), tmp_path / "q.sqlite").questions(TEXTS)
    other = Counting()
    other.model = "other"
    KeptEmbedder(other, tmp_path / "q.sqlite").questions(TEXTS)
    assert other.asked == 40


def test_a_broken_file_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "q.sqlite").write_bytes(b"no database" * 1000)
    first, second = Counting(), Counting()
    for counting in (first, second):
        assert KeptEmbedder(counting, tmp_path / "q.sqlite").questions(TEXTS).shape == (40, 2)
    assert (first.asked, second.asked) == (40, 0)
