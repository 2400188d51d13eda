"""A model service: one client, one total deadline a call, few retries, the key in no message."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
import openai

from service.models.deadline import DeadlineTransport
from service.models.errors import ModelError, ModelTimeout, RequestRefused

log = logging.getLogger(__name__)
T = TypeVar("T")

_RETRIES = 2
_LONGEST_PAUSE = 5.0
_WORTH_RETRYING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_KEYS = re.compile(r"\bsk-[\w.*-]+|(?<=Bearer )\S+")


class Endpoint:
    """An OpenAI-compatible service under a base URL; thread-safe."""

    def __init__(self, url: str, key: str | None, seconds: float) -> None:
        self.url = url
        self.seconds = seconds
        self._key = key or ""
        self._http = httpx2.Client(transport=DeadlineTransport())
        self.client = openai.OpenAI(
            base_url=url, api_key=key or "none", max_retries=0, http_client=self._http
        )

    def call(self, send: Callable[[float], T]) -> T:
        """Return what `send` does within the seconds it is given, trying again where that helps.

        Every way to fail is a ModelError; a ModelTimeout once all the time is spent.
        """
        until = time.monotonic() + self.seconds
        pause = 0.25
        for attempt in range(_RETRIES + 1):
            try:
                with self.errors():
                    return send(max(until - time.monotonic(), 0.001))
            except _PassingError as error:
                pause = error.wait or pause * 2
                late = time.monotonic() + pause >= until
                if attempt == _RETRIES or late or pause > _LONGEST_PAUSE:
                    raise ModelError(error.reason, name=error.name) from None
                log.info("trying the model service again: %s", error)
                time.sleep(pause)
        raise AssertionError

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn the client's errors into typed ones, without the key and what they came from."""
        try:
            yield
        except openai.APITimeoutError:
            reason = f"no answer within {self.seconds:g} seconds"
            raise ModelTimeout(reason, name=self.url) from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APIConnectionError as error:
            reason = self.masked(f"no connection ({error.__cause__ or error})")
            raise _PassingError(reason, name=self.url) from None
        except (openai.OpenAIError, json.JSONDecodeError, httpx2.HTTPError) as error:
            raise ModelError(self.masked(f"unreadable reply ({error})"), name=self.url) from None

    def parsed(self, body: bytes, content_type: str) -> dict[str, Any]:
        """Return a reply's JSON object; an error body is a ModelError though its status is 200."""
        try:
            reply = json.loads(body)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            kind = content_type.partition(";")[0] or "no stated type"
            raise ModelError(f"its reply is no JSON object but {kind}", name=self.url)
        if reply.get("error"):
            raise ModelError(f"it says {self.masked(_said(reply))!r}", name=self.url)
        return reply

    def masked(self, text: str) -> str:
        """Return the start of a text of the service's, the key taken out."""
        bare = text.replace(self._key, "[key]") if self._key else text
        return " ".join(_KEYS.sub("[key]", bare).split())[:300]

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _refusal(self, error: openai.APIStatusError) -> ModelError:
        said = self.masked(_said(error.body) or error.response.text)
        reason = f"status {error.status_code}: {said}" if said else f"status {error.status_code}"
        if error.status_code in _WORTH_RETRYING:
            return _PassingError(reason, name=self.url, wait=_wait(error.response.headers))
        if error.status_code in (400, 422):
            return RequestRefused(reason, name=self.url)
        return ModelError(reason, name=self.url)


class _PassingError(ModelError):
    """A fault that may be gone soon; `wait` is the pause that the service asks for, in seconds."""

    def __init__(self, reason: str, *, name: str = "", wait: float = 0.0) -> None:
        super().__init__(reason, name=name)
        self.wait = wait


def _said(body: object) -> str:
    """Return the message in an error body of any of the shapes in use."""
    if isinstance(body, dict):
        inner = body.get("error") or body.get("message") or body.get("detail") or ""
        return _said(inner) if isinstance(inner, dict) else str(inner)
    return str(body or "")


def _wait(headers: httpx2.Headers) -> float:
    """Return the seconds of a Retry-After; a date asks for longer than anyone waits here."""
    asked = headers.get("retry-after", "0").strip()
    return float(asked) if asked.replace(".", "", 1).isdecimal() else _LONGEST_PAUSE + 1
