"""Work on one thing after the other, where the next is worked on while the present one is used."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Ahead(Generic[T, R]):
    """Does the work, which never runs twice at the same time; what may be `early` in advance."""

    def __init__(self, work: Callable[[T], R], early: Callable[[T], bool]) -> None:
        self._work = work
        self._early = early
        self._pool = ThreadPoolExecutor(1, "ahead")
        self._coming: Future[R] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def result(self, one: T, after: T | None) -> R:
        """The result for this one, or its error; `after` is what the next call will be for."""
        present, self._coming = self._coming, None
        try:
            return present.result() if present else self._work(one)
        finally:
            if after is not None and self._early(after):
                self._coming = self._pool.submit(self._work, after)
