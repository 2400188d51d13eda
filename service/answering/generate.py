"""An answer in the asker's language out of numbered evidence, by the chat model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loaders.prompt import Prompt
from service.answering.answer import Told
from service.answering.check import checked
from service.answering.evidence import Evidence
from service.answering.question import Question
from service.answering.trace import Trace
from service.models.chat import Chat, Message

_INSTRUCTION = Prompt.from_package("service.answering", "instruction", {"language"})
_REQUEST = Prompt.from_package("service.answering", "request", {"evidence", "question"})
_LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian"}
_MARKER = re.compile(r"(?<!^)\[(\d+)\]")


class ModelWriter:
    """Writes with one call of the model; what the evidence does not bear out is withheld."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def write(self, question: Question, evidence: Sequence[Evidence], trace: Trace) -> Told | None:
        """Return the answer with its checked citations, None where the evidence does not tell.

        A service that does not answer properly is a ModelError.
        """
        completion = self._chat.complete(messages(question, evidence))
        trace.model_calls += completion.calls
        trace.tokens += completion.tokens
        return checked(completion.text, question, evidence)


def messages(question: Question, evidence: Sequence[Evidence]) -> list[Message]:
    """Return the prompt; only the evidence's own numbers stand in square brackets."""
    lines = "\n".join(_MARKER.sub(r"(\1)", " ".join(one.line.split())) for one in evidence)
    language = _LANGUAGES.get(question.language, "the language of the question")
    return [
        Message("system", _INSTRUCTION.fill(language=language)),
        Message("user", _REQUEST.fill(evidence=lines, question=question.text)),
    ]
