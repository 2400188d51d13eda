"""Who may write: whoever brings the token of the settings, as a bearer or as a password."""

from __future__ import annotations

import hmac

from flask import request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Forbidden, Unauthorized

from service.settings import Settings, variable


def check(settings: Settings) -> None:
    """Let the request go on if it may write; Forbidden where nobody may, else Unauthorized."""
    if settings.write_token is None:
        name = variable("write_token")
        raise Forbidden(f"Writing over HTTP is switched off; set {name} to switch it on.")
    given = request.authorization
    token = (given.token or given.password or "") if given else ""
    if not hmac.compare_digest(token.encode(), settings.write_token.encode()):
        # Jena's commands go on only where Basic is the one challenge
        challenge = WWWAuthenticate("basic", {"realm": "askonto"})
        detail = "Send the write token as Authorization: Bearer, or as the password of Basic."
        raise Unauthorized(detail, www_authenticate=challenge)
