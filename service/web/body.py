"""A request's body: whole or refused, though gunicorn ends a cut one as if it were whole."""

from __future__ import annotations

from typing import IO, cast

import flask
from werkzeug.utils import cached_property
from werkzeug.wsgi import LimitedStream


class Request(flask.Request):
    """A request of which no part of the body is taken for all of it."""

    @cached_property
    def stream(self) -> IO[bytes]:
        """The body; 413 where it is over the limit, 400 where the client left before its end."""
        checked = super().stream  # the length that the client told
        limit = self.max_content_length
        if limit is None or not isinstance(checked, LimitedStream):
            return checked
        if self.content_length is None:
            return cast(IO[bytes], _Unannounced(self.input_stream, limit + 1, is_max=True))
        return cast(IO[bytes], LimitedStream(self.input_stream, self.content_length))


class _Unannounced(LimitedStream):
    """A body whose length was not told: over the limit it is refused when read at once, too."""

    def readall(self) -> bytes:
        data = super().readall()
        if self.is_exhausted:
            self.on_exhausted()
        return data
