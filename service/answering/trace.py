"""What one question did: SPARQL run, seconds a step, calls made, what did not work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Trace:
    """Filled by the steps of one question, and read into its reply."""

    queries: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    model_calls: int = 0
    embedding_calls: int = 0
    tokens: int = 0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the seconds spent inside to the step's count."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent
