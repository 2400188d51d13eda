"""Work in advance: in order, one thing at a time, each error in its turn."""

from __future__ import annotations

import threading

import pytest

from loaders.ahead import Ahead


def test_the_next_is_worked_on_while_the_present_is_used() -> None:
    started = {number: threading.Event() for number in range(3)}

    def work(number: int) -> int:
        started[number].set()
        return number * 10

    with Ahead(work, lambda _: True) as ahead:
        assert ahead.result(0, 1) == 0
        assert started[1].wait(5)
        assert not started[2].is_set()
        assert ahead.result(1, 2) == 10
        assert ahead.result(2, None) == 20


def test_what_is_not_early_waits_for_its_turn() -> None:
    done: list[int] = []
    with Ahead(done.append, lambda number: number != 1) as ahead:
        ahead.result(0, 1)
        assert done == [0]
        ahead.result(1, 2)
    assert done[:2] == [0, 1]


def test_an_error_comes_in_its_turn_and_the_next_goes_on() -> None:
    def work(number: int) -> int:
        return 10 // number

    with Ahead(work, lambda _: True) as ahead:
        assert ahead.result(1, 0) == 10
        with pytest.raises(ZeroDivisionError):
            ahead.result(0, 2)
        assert ahead.result(2, None) == 5
