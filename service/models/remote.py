"""Texts to unit vectors by the embedding model of an OpenAI-compatible service."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loaders.ports import Vectors
from service.models.cleaning import cleaned
from service.models.endpoint import Endpoint
from service.models.errors import ModelError

_BATCH = 64


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

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        """Return the vectors of what is searched for, and of stored texts."""
        vectors = self.passages([*questions, *passages])
        return vectors[: len(questions)], vectors[len(questions) :]

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
