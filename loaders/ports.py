"""What loaders need of models, as Protocols; the clients are wired in by `service.build`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def model(self) -> str:
        """The model's name; vectors of different models are never compared."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of stored texts, shape (len(texts), dimensions), float32, L2-normalised."""

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for, shape (len(texts), dimensions), L2-normalised."""
