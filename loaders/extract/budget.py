"""How long a run goes on asking: until its time is up, or the model fails again and again."""

from __future__ import annotations

import threading
import time

_FAILURES = 5


class Budget:
    """One run's; threads share it. `over` is the reason to ask no more, "" while there is none."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._seconds = seconds
        self._failures = 0
        self._stopped = ""
        self._lock = threading.Lock()

    @property
    def over(self) -> str:
        """Why nothing more is asked."""
        if not self._stopped and time.monotonic() > self._until:
            return f"the run's {self._seconds:g} seconds are over"
        return self._stopped

    def told(self, good: bool) -> None:
        """Count a reply, or a failure to get one."""
        with self._lock:
            self._failures = 0 if good else self._failures + 1
            if self._failures >= _FAILURES:
                self.stop(f"the model failed {_FAILURES} times one after the other")

    def stop(self, reason: str) -> None:
        """Ask nothing more."""
        self._stopped = self._stopped or reason
