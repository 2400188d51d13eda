"""Slots keep one kind of request from taking every thread."""

from __future__ import annotations

import threading

import pytest

from service.web.slots import BusyError, Slots


def test_a_free_slot_is_taken_and_given_back() -> None:
    slots = Slots(1, 0.01)
    for _ in range(3):
        with slots.taken():
            pass


def test_who_waits_too_long_is_refused() -> None:
    slots = Slots(1, 0.01)
    with slots.taken(), pytest.raises(BusyError), slots.taken():
        pass


def test_more_than_may_wait_are_refused_at_once() -> None:
    slots = Slots(1, 30.0)
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with slots.taken():
            inside.set()
            leave.wait(30)

    threads = [threading.Thread(target=hold) for _ in range(2)]
    threads[0].start()
    inside.wait(5)
    threads[1].start()
    while slots._present._value:
        pass
    with pytest.raises(BusyError), slots.taken():
        pass
    leave.set()
    for thread in threads:
        thread.join(5)
