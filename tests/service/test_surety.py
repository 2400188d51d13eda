"""Weights fitted on made questions: near the prior, and kept with the index."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import cycle
from pathlib import Path

import pytest

from queries.store import Store
from queries.store.errors import StoreUnavailable
from service.answering.surety import Prior, Surety, Trial, fitted, probability
from service.index.index import Index

PRIOR = Prior("test", {"score": 1.0, "names": -8.0}, constant=-0.5, untold=0.5)
EASY: list[Trial] = [((n / 10, 0.0), n >= 20) for n in range(60)]


@pytest.fixture
def index(store: Store, tmp_path: Path) -> Iterator[Index]:
    index = Index(tmp_path / "index", store, "https://example.org/data/")
    index.refresh()
    yield index
    index.close()


Made = Callable[[Callable[[], Iterable[Trial]]], Surety]


@pytest.fixture
def made_of(index: Index) -> Iterator[Made]:
    """Weights that are fitted to trials, until the test ends."""
    with ExitStack() as stack:

        def made(trials: Callable[[], Iterable[Trial]]) -> Surety:
            return stack.enter_context(closing(Surety(index, PRIOR, trials)))

        yield made


def test_half_of_the_made_questions_without_an_answer_are_refused() -> None:
    weights = fitted(EASY, PRIOR)
    refused = [probability(weights, numbers) < 0.5 for numbers, told in EASY if not told]
    assert sum(refused) == len(refused) / 2


def test_few_of_the_made_questions_with_an_answer_are_refused_however_alike() -> None:
    alike: list[Trial] = [((n / 10, 0.0), bool(n % 2)) for n in range(60)]
    weights = fitted(alike, PRIOR)
    assert sum(probability(weights, one) < 0.5 for one, told in alike if told) <= 10


def test_what_no_trial_shows_keeps_its_prior() -> None:
    assert fitted(EASY, PRIOR)[1] == pytest.approx(-8.0)


def test_few_trials_leave_the_prior(made_of: Made) -> None:
    surety = made_of(lambda: EASY[:5])
    surety.prepare()
    assert surety.of((0.5, 0.0)) == pytest.approx(0.5)


def test_trials_are_made_once_a_revision_and_kept_for_other_processes(made_of: Made) -> None:
    made: list[int] = []

    def trials() -> list[Trial]:
        made.append(1)
        return EASY

    first, second = made_of(trials), made_of(trials)
    first.prepare()
    second.prepare()
    assert second.of((1.5, 0.0)) == pytest.approx(first.of((1.5, 0.0)), abs=1e-4)
    assert made == [1]


def test_no_question_waits_for_trials(made_of: Made) -> None:
    may_end = threading.Event()

    def trials() -> list[Trial]:
        assert may_end.wait(10)
        return EASY

    surety = made_of(trials)
    assert surety.of((1.5, 0.0)) == probability(PRIOR.numbers, (1.5, 0.0))
    may_end.set()
    surety.prepare()
    fitted_to = surety.of((1.5, 0.0))
    assert fitted_to != probability(PRIOR.numbers, (1.5, 0.0))


def test_trials_that_fail_are_made_again_at_the_next_question(made_of: Made) -> None:
    made: list[int] = []

    def trials() -> list[Trial]:
        made.append(1)
        raise StoreUnavailable("it is gone", name="store")

    surety = made_of(trials)
    surety.of((1.5, 0.0))
    with pytest.raises(StoreUnavailable):
        surety.prepare()
    assert surety.of((1.5, 0.0)) == probability(PRIOR.numbers, (1.5, 0.0))
    assert len(made) >= 2


def test_closing_ends_the_fitting_and_lets_no_other_begin(made_of: Made) -> None:
    made: list[int] = []
    begun = threading.Event()

    def trials() -> Iterator[Trial]:
        for trial in cycle(EASY):
            made.append(1)
            begun.set()
            yield trial

    surety = made_of(trials)
    surety.of((1.5, 0.0))
    assert begun.wait(10)
    surety.close()
    before = len(made)
    surety.of((1.5, 0.0))
    assert len(made) == before
