"""Search among more vectors than can be compared one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from service.index import approximate, vectors
from service.index.approximate import Approximate, Matrix
from service.index.vectors import View

COUNT, WIDTH = 3000, 16


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes at which the graph is used, small enough for a test."""
    monkeypatch.setattr(approximate, "EXACT", 1000)
    monkeypatch.setattr(vectors, "EXACT", 1000)
    monkeypatch.setattr(approximate, "_STEP", 500)


def unit(seed: int, count: int) -> Matrix:
    drawn = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


def going_on() -> bool:
    return False


def grown(path: Path, matrix: Matrix) -> Approximate:
    graph = Approximate(path)
    graph.grow(matrix, going_on, whole=True)
    return graph


@pytest.mark.usefixtures("few")
def test_the_graph_finds_what_comparing_each_finds(tmp_path: Path) -> None:
    matrix, questions = unit(1, COUNT), unit(2, 20)
    numbers = np.arange(COUNT) + 7
    graph = grown(tmp_path / "g.hnsw", matrix)
    nearly = View(numbers, np.arange(COUNT), matrix, graph).nearest(questions, 5)
    exact = View(numbers, np.arange(COUNT), matrix).nearest(questions, 5)
    same = sum(
        len({n for n, _ in one} & {n for n, _ in other})
        for one, other in zip(nearly, exact, strict=True)
    )
    assert same >= 0.95 * 20 * 5
    assert nearly[0][0][1] == pytest.approx(exact[0][0][1], abs=2e-3)


@pytest.mark.usefixtures("few")
def test_rows_that_the_graph_lacks_are_compared_one_by_one(tmp_path: Path) -> None:
    matrix = unit(1, COUNT)
    graph = grown(tmp_path / "g.hnsw", matrix[: COUNT - 100])
    view = View(np.arange(COUNT), np.arange(COUNT), matrix, graph)
    assert graph.covered() == COUNT - 100
    assert [view.nearest(matrix[[row]], 1)[0][0][0] for row in (3, COUNT - 3)] == [3, COUNT - 3]


@pytest.mark.usefixtures("few")
def test_only_what_the_view_shows_is_found(tmp_path: Path) -> None:
    matrix = unit(1, COUNT)
    graph = grown(tmp_path / "g.hnsw", matrix)
    odd = np.arange(1, COUNT, 2)
    found = View(odd, odd, matrix, graph).nearest(matrix[[10]], 5)[0]
    assert len(found) == 5
    assert all(number % 2 for number, _ in found)


@pytest.mark.usefixtures("few")
def test_it_grows_in_steps_and_stays_as_it_was_when_stopped(tmp_path: Path) -> None:
    matrix = unit(1, COUNT)
    graph = grown(tmp_path / "g.hnsw", matrix[:2000])
    graph.grow(matrix[:2400], going_on, whole=False)
    assert graph.covered() == 2000
    graph.grow(matrix, lambda: True, whole=True)
    assert graph.covered() == 2000
    graph.grow(matrix, going_on, whole=False)
    assert graph.covered() == COUNT


def test_few_vectors_have_no_graph(tmp_path: Path) -> None:
    graph = grown(tmp_path / "g.hnsw", unit(1, 100))
    assert graph.covered() == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("few")
def test_a_broken_file_is_made_anew(tmp_path: Path) -> None:
    matrix = unit(1, COUNT)
    path = tmp_path / "g.hnsw"
    grown(path, matrix)
    path.write_bytes(path.read_bytes()[:5000])
    assert Approximate(path).covered() == 0
    assert grown(path, matrix).covered() == COUNT
