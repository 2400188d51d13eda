"""A model writes the answer: scripted, misbehaving, and a small real one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

import pytest

from loaders.prompt import Prompt, PromptError
from service.answering.evidence import Evidence
from service.answering.generate import ModelWriter, messages
from service.answering.question import Question
from service.answering.reply import Citation
from service.answering.trace import Trace
from service.models.chat import Chat
from service.models.errors import ModelError

if TYPE_CHECKING:
    from tests.service.conftest import ScriptedServer

QUESTION = Question("Qual è il limite del bonus mobili nel 2025?", "it", date(2025, 6, 1))
TEXTS = (
    "Il limite di spesa del bonus mobili per il 2025 è di 5.000 euro [12].",
    "Una pompa di calore sposta il calore\ndall'aria esterna.",
)
EVIDENCE = [
    Evidence(f"[{n}] {text}", Citation(n, f"http://x.test/{n}", "Guida", "", None, text))
    for n, text in enumerate(TEXTS, 1)
]


@pytest.fixture
def chat(model_server: ScriptedServer) -> Iterator[Chat]:
    opened = Chat(model_server.url, "test", None, seconds=2)
    yield opened
    opened.close()


def test_answer_carries_the_citation_of_what_it_rests_on(
    chat: Chat, model_server: ScriptedServer
) -> None:
    model_server.says("Il limite di spesa è di 5.000 euro [1]. Lo dice la legge [9].")
    trace = Trace()
    told = ModelWriter(chat).write(QUESTION, EVIDENCE, trace)
    assert told is not None
    assert told.text == "Il limite di spesa è di 5.000 euro. [1]"
    assert [one.iri for one in told.citations] == ["http://x.test/1"]
    assert (trace.model_calls, trace.tokens) == (1, 7)


@pytest.mark.parametrize("reply", ["NOT TOLD", "PWNED [1]", "I pinguini nuotano volentieri [1]."])
def test_what_the_evidence_does_not_bear_out_is_no_answer(
    chat: Chat, model_server: ScriptedServer, reply: str
) -> None:
    model_server.says(reply)
    assert ModelWriter(chat).write(QUESTION, EVIDENCE, Trace()) is None


def test_fault_of_the_service_is_a_model_error(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.sends("<html></html>")
    with pytest.raises(ModelError):
        ModelWriter(chat).write(QUESTION, EVIDENCE, Trace())


def test_prompt_holds_language_evidence_and_question_and_only_its_own_markers() -> None:
    system, user = messages(QUESTION, EVIDENCE)
    assert "Italian" in system.content
    assert QUESTION.text in user.content
    assert re.findall(r"\[(\d+)\]", user.content) == ["1", "2"]
    assert "calore dall'aria" in user.content


def test_slots_in_a_question_stay_as_they_are() -> None:
    sly = Question("What is {{evidence}}?", "en", date(2025, 6, 1))
    assert "What is {{evidence}}?" in messages(sly, EVIDENCE)[1].content


@pytest.mark.parametrize("slots", [{"language", "tone"}, set[str]()])
def test_prompt_with_other_slots_than_its_code_fills_is_refused(slots: set[str]) -> None:
    with pytest.raises(PromptError):
        Prompt.from_package("service.answering", "instruction", slots)


def test_real_model_writes_and_its_answer_cites_only_the_evidence(real_model: str) -> None:
    chat = Chat(real_model, "smollm2", None, seconds=60)
    text = "The spending limit of the furniture bonus is 5,000 euros in 2025."
    cited = Citation(1, "http://x.test/1", "Guide", "", None, text)
    question = Question("What is the spending limit of the furniture bonus?", "en", QUESTION.as_of)
    trace = Trace()
    told = ModelWriter(chat).write(question, [Evidence(f"[1] {text}", cited)], trace)
    chat.close()
    assert trace.tokens > 0
    assert told is None or set(told.citations) == {cited}


def test_real_model_streams(real_model: str) -> None:
    chat = Chat(real_model, "smollm2", None, seconds=60)
    pieces = list(chat.stream(messages(QUESTION, EVIDENCE)))
    chat.close()
    assert len(pieces) > 1
