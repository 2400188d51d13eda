"""The chat model as the loaders know it: a question, and a reply of a known shape."""

from __future__ import annotations

from loaders.ports import NoReply, Shape, Spent
from service.models.chat import Chat, Message
from service.models.errors import ModelError


class ShapedChat:
    """Asks the chat model for JSON, in at most two calls a question."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def model(self) -> str:
        """The model's name."""
        return self._chat.model

    def ask(self, instruction: str, request: str, shape: type[Shape]) -> tuple[Shape, Spent]:
        """Return the reply and its cost; whatever goes wrong with the service is a NoReply."""
        messages = [Message("system", instruction), Message("user", request)]
        try:
            value, completion = self._chat.json(messages, shape)
        except ModelError as error:
            raise NoReply(error.reason, name=error.name) from None
        return value, Spent(completion.calls, completion.tokens)
