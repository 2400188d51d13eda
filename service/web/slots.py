"""How many requests of one kind may run at once, so that they leave threads to the others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ontology.errors import AskontoError


class BusyError(AskontoError):
    """As many requests of this kind run and wait already as may."""


class Slots:
    """`count` run, as many more wait for at most `patience` seconds, and the rest is refused."""

    def __init__(self, count: int, patience: float) -> None:
        self._running = threading.BoundedSemaphore(count)
        self._present = threading.BoundedSemaphore(2 * count)
        self._patience = patience

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a slot; raises BusyError where none comes free."""
        if not self._present.acquire(blocking=False):
            raise self._busy()
        try:
            if not self._running.acquire(timeout=self._patience):
                raise self._busy()
            try:
                yield
            finally:
                self._running.release()
        finally:
            self._present.release()

    def _busy(self) -> BusyError:
        return BusyError(
            "as many queries run already as may run at once", name="/sparql", mend="Try again"
        )
