"""The Flask app: one blueprint an area, one shape for every error."""

from __future__ import annotations

from flask import Flask, Response

from service.build import Askonto, open_askonto
from service.settings import Settings
from service.web import ask, graphs, health, markup, problems, sparql, update
from service.web.body import Request

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


def create_app(settings: Settings, askonto: Askonto | None = None) -> Flask:
    """The service as a WSGI app; builds its parts from the settings unless they are given."""
    app = Flask(__name__)
    app.request_class = Request
    app.config["MAX_CONTENT_LENGTH"] = settings.body_bytes
    app.config["MAX_FORM_MEMORY_SIZE"] = settings.body_bytes
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    parts = askonto or open_askonto(settings)
    app.extensions["askonto"] = parts
    problems.register(app)
    markup.register(app)
    app.register_blueprint(ask.blueprint(parts))
    app.register_blueprint(sparql.blueprint(parts))
    app.register_blueprint(update.blueprint(parts))
    app.register_blueprint(graphs.blueprint(parts))
    app.register_blueprint(health.blueprint(parts))
    app.after_request(_harden)
    return app


def _harden(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", _POLICY)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    return response
