"""The chat model: text, a stream of text, or JSON that fits a schema, and nothing half-right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pydantic
from openai.types.chat import ChatCompletionMessageParam

from loaders.prompt import Prompt
from service.models.endpoint import Endpoint
from service.models.errors import ModelError, RequestRefused

Shape = TypeVar("Shape", bound=pydantic.BaseModel)

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:\w+)?\s*\n(.*?)```", re.DOTALL)
_CALLS = 2
_SCHEMA = Prompt.from_package("service.models", "schema", {"request", "schema"})
_MEND = Prompt.from_package("service.models", "mend", {"reason"})


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply's text without the model's thoughts; `cut` when it ran out of tokens.

    `arguments` is what a tool would have been called with, where the reply was a tool call.
    """

    text: str
    cut: bool = False
    tokens: int = 0
    calls: int = 1
    arguments: str = ""


class Chat:
    """A model behind an OpenAI-compatible service; every fault is a ModelError."""

    def __init__(self, url: str, model: str, key: str | None, *, seconds: float) -> None:
        self.model = model
        self._endpoint = Endpoint(url, key, seconds)
        self._takes_schemas = True

    def complete(self, messages: Sequence[Message]) -> Completion:
        """Return the model's reply; an empty one, or one that calls a tool, is a ModelError."""
        completion = self._ask(messages)
        if not completion.text:
            raise self._fault("calls a tool" if completion.arguments else "is empty")
        return completion

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Yield the reply piece by piece; a ModelError where it ends before the model did.

        Thoughts are left out. Stopping early closes the connection.
        """
        end = None
        pieces = self._endpoint.call(lambda seconds: self._pieces(messages, seconds))
        thoughts = _Thoughts()
        with self._endpoint.errors():
            for choice in pieces:
                yield from thoughts.without(getattr(choice.delta, "content", None) or "")
                end = choice.finish_reason or end
        yield from thoughts.rest()
        if end is None:
            raise self._fault("was cut off")

    def json(self, messages: Sequence[Message], shape: type[Shape]) -> tuple[Shape, Completion]:
        """Return a value of the shape, and the reply it was read from, in at most two calls.

        Where the service refuses schemas, the prompt asks for JSON, now and from then on; a reply
        that does not fit is sent back once, unless that call is spent.
        """
        completion = self._structured(messages, shape)
        try:
            return self._read(completion, shape), completion
        except _MisfitError as misfit:
            if completion.calls == _CALLS:
                raise self._fault(misfit.reason) from None
            said = completion.text or completion.arguments
            mend = Message("user", _MEND.fill(reason=misfit.reason))
            again = [*messages, Message("assistant", said), mend]
        second = self._ask(_with_schema(again, shape))
        both = replace(second, tokens=completion.tokens + second.tokens, calls=_CALLS)
        try:
            return self._read(both, shape), both
        except _MisfitError as misfit:
            raise self._fault(misfit.reason) from None

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _structured(self, messages: Sequence[Message], shape: type[Shape]) -> Completion:
        if self._takes_schemas:
            schema = {"name": shape.__name__, "schema": shape.model_json_schema(), "strict": True}
            try:
                wanted = {"type": "json_schema", "json_schema": schema}
                return self._ask(messages, response_format=wanted)
            except RequestRefused:
                self._takes_schemas = False
                plain = self._ask(_with_schema(messages, shape))
                return replace(plain, calls=_CALLS)
        return self._ask(_with_schema(messages, shape))

    def _ask(self, messages: Sequence[Message], **options: Any) -> Completion:
        return self._endpoint.call(lambda seconds: self._asked(messages, seconds, options))

    def _asked(
        self, messages: Sequence[Message], seconds: float, options: dict[str, Any]
    ) -> Completion:
        raw = self._endpoint.client.chat.completions.with_raw_response.create(
            model=self.model,
            messages=_turns(messages),
            temperature=0,
            timeout=seconds,
            **options,
        ).http_response
        reply = self._endpoint.parsed(raw.content, raw.headers.get("content-type", ""))
        try:
            return _Reply.model_validate(reply).completion()
        except pydantic.ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise self._fault(f"has no usable {place}") from None

    def _pieces(self, messages: Sequence[Message], seconds: float) -> Iterator[Any]:
        stream = self._endpoint.client.chat.completions.create(
            model=self.model,
            messages=_turns(messages),
            temperature=0,
            timeout=seconds,
            stream=True,
        )
        kind = stream.response.headers.get("content-type", "")
        if "text/event-stream" not in kind:
            body = stream.response.read()
            self._endpoint.parsed(body, kind)
            raise self._fault("is no stream")
        return (
            choice for chunk in stream for choice in (getattr(chunk, "choices", None) or ())[:1]
        )

    def _read(self, completion: Completion, shape: type[Shape]) -> Shape:
        text = completion.text or completion.arguments
        for candidate in _json_in(text):
            try:
                return shape.model_validate(candidate)
            except pydantic.ValidationError as error:
                first = error.errors()[0]
                place = ".".join(str(part) for part in first["loc"])
                raise _MisfitError(f"{place or 'the value'}: {first['msg']}") from None
        raise _MisfitError("it was cut off" if completion.cut else "it holds no JSON")

    def _fault(self, what: str) -> ModelError:
        return ModelError(f"the reply {what}", name=self.model)


class _MisfitError(ModelError):
    """A reply that is no value of the shape asked for."""


class _Function(pydantic.BaseModel):
    arguments: str = ""


class _ToolCall(pydantic.BaseModel):
    function: _Function = _Function()


class _Said(pydantic.BaseModel):
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[_ToolCall] | None = None

    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(str(part.get("text") or "") for part in self.content)
        return self.content or ""


class _Choice(pydantic.BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Usage(pydantic.BaseModel):
    total_tokens: int | None = None


class _Reply(pydantic.BaseModel):
    """What is read of a chat completion; services leave out or null much of the rest."""

    choices: list[_Choice] = pydantic.Field(min_length=1)
    usage: _Usage | None = None

    def completion(self) -> Completion:
        choice = self.choices[0]
        called = choice.message.tool_calls or []
        return Completion(
            text=_thoughtless(choice.message.text()),
            cut=choice.finish_reason == "length",
            tokens=(self.usage and self.usage.total_tokens) or 0,
            arguments=called[0].function.arguments if called else "",
        )


class _Thoughts:
    """Takes a leading thought out of a stream, holding back only what may belong to one."""

    def __init__(self) -> None:
        self._held: str | None = ""

    def without(self, piece: str) -> Iterator[str]:
        if self._held is None:
            if piece:
                yield piece
            return
        self._held += piece
        start = self._held.lstrip()
        thinking = start.startswith("<think") and not re.search(r"</think(?:ing)?>", start)
        if "<think".startswith(start) or thinking:
            return
        yield from self.rest()

    def rest(self) -> Iterator[str]:
        held, self._held = self._held, None
        if held and (text := _thoughtless(held)):
            yield text


def _thoughtless(text: str) -> str:
    """Return the text without the model's thoughts, also where only their end is marked."""
    return re.split(r"</think(?:ing)?>", _THOUGHT.sub("", text))[-1].strip()


def _json_in(text: str) -> Iterator[Any]:
    """Yield the JSON value that the text is, or holds in a fence or among prose."""
    for body in (text, *_FENCED.findall(text)):
        try:
            yield json.loads(body)
        except ValueError:
            continue
        return
    start = text.find("{")
    if start >= 0:
        try:
            yield json.JSONDecoder().raw_decode(text[start:])[0]
        except ValueError:
            return


def _with_schema(messages: Sequence[Message], shape: type[pydantic.BaseModel]) -> list[Message]:
    schema = json.dumps(shape.model_json_schema())
    request = _SCHEMA.fill(request=messages[-1].content, schema=schema)
    return [*messages[:-1], replace(messages[-1], content=request)]


def _turns(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    turns: Any = [{"role": message.role, "content": message.content} for message in messages]
    return list(turns)
