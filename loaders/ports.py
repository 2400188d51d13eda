"""What loaders need of models, as Protocols; the clients are wired in by `service.build`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ontology.errors import AskontoError

if TYPE_CHECKING:
    import pydantic

Vectors = npt.NDArray[np.float32]
Shape = TypeVar("Shape", bound="pydantic.BaseModel")


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def model(self) -> str:
        """The model's name; vectors of different models are never compared."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of stored texts, shape (len(texts), dimensions), float32, L2-normalised."""

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for, shape (len(texts), dimensions), L2-normalised."""

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Vectors of both kinds in one call."""


class NoReply(AskontoError):
    """The chat model gave no reply that can be used."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a reply cost: calls of the model, and tokens of prompts and replies."""

    calls: int
    tokens: int


class Chat(Protocol):
    """A question to a reply of a known shape."""

    @property
    def model(self) -> str:
        """The model's name."""

    def ask(self, instruction: str, request: str, shape: type[Shape]) -> tuple[Shape, Spent]:
        """The reply, and what it cost; NoReply where none can be used. Threads may share it."""
