"""An embedder that is left alone for a while after its service has failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from loaders.ports import Embedder, Vectors
from service.models.errors import ModelError

T = TypeVar("T")

_PAUSE = 30.0


class PausingEmbedder:
    """Raises its last fault again, at once, for `pause` seconds, so that none waits for it."""

    def __init__(self, embedder: Embedder, *, pause: float = _PAUSE) -> None:
        self.model = embedder.model
        self._embedder = embedder
        self._pause = pause
        self._until = 0.0
        self._fault = ModelError("")

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts."""
        return self._asked(lambda: self._embedder.passages(texts))

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched for."""
        return self._asked(lambda: self._embedder.questions(texts))

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the vectors of both kinds."""
        return self._asked(lambda: self._embedder.both(questions, passages))

    def _asked(self, ask: Callable[[], T]) -> T:
        if time.monotonic() < self._until:
            raise ModelError(self._fault.reason, name=self._fault.name)
        try:
            return ask()
        except ModelError as error:
            self._fault, self._until = error, time.monotonic() + self._pause
            raise
