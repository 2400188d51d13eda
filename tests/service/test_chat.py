"""The chat model's client: a right answer or one typed error, whatever the service does."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pydantic
import pytest

from service.models.chat import Chat, Message
from service.models.errors import ModelError, ModelTimeout

if TYPE_CHECKING:
    from tests.service.conftest import Handler, ScriptedServer

KEY = "sk-verysecret12345"
QUESTION = [Message("user", "What is a heat pump?")]
DEADLINE = 1.0


class Fact(pydantic.BaseModel):
    """What the model is to return."""

    subject: str
    year: int


class Answer(pydantic.BaseModel):
    """What even a very small model can return."""

    known: bool


@pytest.fixture
def chat(model_server: ScriptedServer) -> Iterator[Chat]:
    opened = Chat(model_server.url, "test", KEY, seconds=DEADLINE)
    yield opened
    opened.close()


@contextmanager
def ends_in_time(seconds: float = DEADLINE + 0.5) -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < seconds


def choice(message: Any, finish: str | None = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message}]}


def delta(text: str | None, finish: str | None = None) -> str:
    return json.dumps(
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}
    )


def test_reply_carries_text_and_tokens(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.says("A machine.")
    completion = chat.complete(QUESTION)
    assert (completion.text, completion.tokens, completion.cut) == ("A machine.", 7, False)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>hm</think>\nYes", "Yes"),
        ("hm, so\n</think>\n\nYes", "Yes"),
        ("<thinking>a\nb</thinking>Yes", "Yes"),
    ],
)
def test_thoughts_are_dropped(
    chat: Chat, model_server: ScriptedServer, text: str, left: str
) -> None:
    model_server.says(text)
    assert chat.complete(QUESTION).text == left


def test_reply_that_ran_out_of_tokens_is_flagged(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.says("A mach", finish_reason="length")
    assert chat.complete(QUESTION).cut


def test_reply_without_finish_reason_or_usage_counts(
    chat: Chat, model_server: ScriptedServer
) -> None:
    model_server.sends(choice({"content": "Yes"}, None) | {"usage": None})
    assert chat.complete(QUESTION).text == "Yes"


def test_content_in_parts_is_joined(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.sends(choice({"content": [{"type": "text", "text": "Yes"}]}))
    assert chat.complete(QUESTION).text == "Yes"


@pytest.mark.parametrize(
    "body",
    [
        "<html><body>Welcome</body></html>",
        {"error": {"message": "no such model"}},
        {"error": "overloaded"},
        {"id": "1"},
        {"choices": None},
        {"choices": []},
        {"choices": [{}]},
        choice(None),
        choice({"content": None}),
        choice({"content": ""}),
        choice({"content": "<think>never ends"}),
        choice({"content": None, "tool_calls": [{"function": {"arguments": "{}"}}]}),
        choice({"content": 5}),
        [1, 2],
        "null",
        "",
    ],
)
def test_unusable_reply_is_one_typed_error(
    chat: Chat, model_server: ScriptedServer, body: Any
) -> None:
    model_server.sends(body)
    with pytest.raises(ModelError):
        chat.complete(QUESTION)
    assert len(model_server.requests) == 1


def test_deadline_covers_a_service_that_never_answers(
    chat: Chat, model_server: ScriptedServer
) -> None:
    model_server.script = [lambda handler: time.sleep(4 * DEADLINE)]
    with ends_in_time(), pytest.raises(ModelTimeout):
        chat.complete(QUESTION)
    assert len(model_server.requests) == 1


def test_deadline_covers_a_body_that_drips(chat: Chat, model_server: ScriptedServer) -> None:
    def drip(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(40):
            handler.wfile.write(b" ")
            time.sleep(0.1)

    model_server.script = [drip]
    with ends_in_time(), pytest.raises(ModelTimeout):
        chat.complete(QUESTION)


def test_deadline_covers_headers_that_drip(chat: Chat, model_server: ScriptedServer) -> None:
    def drip(handler: Handler) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 40:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.1)

    model_server.script = [drip]
    with ends_in_time(), pytest.raises(ModelTimeout):
        chat.complete(QUESTION)


def test_deadline_covers_a_stream_that_drips(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.streams(delta("a heat pump"), drip=0.1)
    with ends_in_time(), pytest.raises(ModelTimeout):
        list(chat.stream(QUESTION))


def test_broken_service_is_asked_at_most_three_times(
    chat: Chat, model_server: ScriptedServer
) -> None:
    model_server.sends({"error": {"message": "boom"}}, status=500)
    with ends_in_time(), pytest.raises(ModelError, match="status 500: boom"):
        chat.complete(QUESTION)
    assert len(model_server.requests) <= 3


def test_passing_fault_is_tried_again(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.says("Yes")
    model_server.script.insert(0, lambda handler: handler.send(b"{}", status=503))
    assert chat.complete(QUESTION).text == "Yes"


def test_long_retry_after_is_not_waited_for(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.sends({"error": "slow down"}, status=429, headers={"Retry-After": "3600"})
    with ends_in_time(0.5), pytest.raises(ModelError, match="429"):
        chat.complete(QUESTION)
    assert len(model_server.requests) == 1


def test_short_retry_after_is_honoured(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.says("Yes")
    refusal = {"Retry-After": "0.3"}
    model_server.script.insert(0, lambda handler: handler.send(b"{}", status=429, headers=refusal))
    start = time.monotonic()
    assert chat.complete(QUESTION).text == "Yes"
    assert time.monotonic() - start >= 0.3


def test_service_that_is_not_there_is_a_typed_error() -> None:
    with ends_in_time(), pytest.raises(ModelError, match="no connection"):
        Chat("http://127.0.0.1:9/v1", "test", KEY, seconds=DEADLINE).complete(QUESTION)


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_key_is_in_no_message_and_no_log(
    chat: Chat, model_server: ScriptedServer, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    model_server.sends({"error": {"message": f"bad key {KEY} or sk-verys***345"}}, status=status)
    with caplog.at_level(logging.INFO), pytest.raises(ModelError) as caught:
        chat.complete(QUESTION)
    logging.getLogger("test").error("failed", exc_info=caught.value)
    assert "sk-" not in f"{caught.value} {caught.value!r} {caplog.text}"


def test_stream_yields_the_pieces_without_the_thoughts(
    chat: Chat, model_server: ScriptedServer
) -> None:
    pieces = ["<th", "ink>hm", "</think>", "A heat", " pump"]
    model_server.streams(*map(delta, pieces), delta(None, "stop"), "[DONE]")
    assert list(chat.stream(QUESTION)) == ["A heat", " pump"]


def test_stream_that_is_cut_is_an_error(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.streams(delta("A heat"), delta(" pu"))
    stream = chat.stream(QUESTION)
    assert next(stream) == "A heat"
    with pytest.raises(ModelError, match="cut"):
        list(stream)


@pytest.mark.parametrize(
    "body", ["<html></html>", {"error": "overloaded"}, choice({"content": "Yes"})]
)
def test_stream_that_is_none_is_an_error(
    chat: Chat, model_server: ScriptedServer, body: Any
) -> None:
    model_server.sends(body)
    with pytest.raises(ModelError):
        list(chat.stream(QUESTION))


def test_stream_that_holds_an_error_or_no_json_is_an_error(
    chat: Chat, model_server: ScriptedServer
) -> None:
    for event in ('{"error": {"message": "out of memory"}}', "{broken"):
        model_server.streams(delta("A heat"), event)
        with pytest.raises(ModelError):
            list(chat.stream(QUESTION))


@pytest.mark.parametrize(
    "text",
    [
        '{"subject": "Bonus", "year": 2025}',
        '```json\n{"subject": "Bonus", "year": 2025}\n```',
        '<think>{"year": 1}</think>{"subject": "Bonus", "year": 2025}',
        'Here it is: {"subject": "Bonus", "year": 2025}. Anything else?',
    ],
)
def test_json_is_read_however_it_is_wrapped(
    chat: Chat, model_server: ScriptedServer, text: str
) -> None:
    model_server.says(text)
    fact, completion = chat.json(QUESTION, Fact)
    assert (fact, completion.calls) == (Fact(subject="Bonus", year=2025), 1)
    assert model_server.requests[0]["response_format"]["type"] == "json_schema"


def test_json_in_a_tool_call_is_read(chat: Chat, model_server: ScriptedServer) -> None:
    called = [{"function": {"name": "f", "arguments": '{"subject": "Bonus", "year": 2025}'}}]
    model_server.sends(choice({"content": None, "tool_calls": called}, "tool_calls"))
    assert chat.json(QUESTION, Fact)[0].year == 2025


def test_misfit_is_sent_back_once(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.says('{"subject": "Bonus"}', '{"subject": "Bonus", "year": 2025}')
    fact, completion = chat.json(QUESTION, Fact)
    assert (fact.year, completion.calls, completion.tokens) == (2025, 2, 14)
    assert "year" in model_server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("text", ["I would rather not.", "[1]", "null", '{"subject": "cut'])
def test_what_never_fits_is_an_error_after_two_calls(
    chat: Chat, model_server: ScriptedServer, text: str
) -> None:
    model_server.says(text)
    with pytest.raises(ModelError):
        chat.json(QUESTION, Fact)
    assert len(model_server.requests) == 2


def test_service_without_schemas_is_remembered(chat: Chat, model_server: ScriptedServer) -> None:
    model_server.says('{"subject": "Bonus", "year": 2025}')
    refused = json.dumps({"error": {"message": "response_format is not supported"}}).encode()
    model_server.script.insert(0, lambda handler: handler.send(refused, status=400))
    assert chat.json(QUESTION, Fact)[0].year == 2025
    assert chat.json(QUESTION, Fact)[0].year == 2025
    asked = ["response_format" in request for request in model_server.requests]
    assert asked == [True, False, False]
    assert "JSON schema" in model_server.requests[1]["messages"][0]["content"]


def test_a_small_real_model_replies_in_the_shape_asked_for(real_model: str) -> None:
    chat = Chat(real_model, "smollm2", None, seconds=120)
    value, completion = chat.json([Message("user", "Who wrote Emma, and when?")], Answer)
    assert isinstance(value.known, bool)
    assert completion.tokens > 0
    chat.close()


def test_a_small_real_model_streams_and_serves_on_after_one_left_early(real_model: str) -> None:
    chat = Chat(real_model, "smollm2", None, seconds=120)
    pieces = list(chat.stream(QUESTION))
    assert len(pieces) > 1
    assert "".join(pieces) == chat.complete(QUESTION).text
    stream = chat.stream(QUESTION)
    assert isinstance(stream, Generator)
    next(stream)
    stream.close()
    with ends_in_time(30):
        assert chat.complete(QUESTION).text
    chat.close()


def test_a_prompt_beyond_a_real_models_context_is_one_typed_error(real_model: str) -> None:
    chat = Chat(real_model, "smollm2", None, seconds=120)
    with pytest.raises(ModelError):
        chat.complete([Message("user", "heat pump " * 10_000)])
    assert chat.complete(QUESTION).text
    chat.close()
