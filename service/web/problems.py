"""Every error in one shape: RFC 9457 problem details, or a page for a browser."""

from __future__ import annotations

import logging

from flask import Flask, Response, jsonify, render_template
from werkzeug.exceptions import HTTPException, MethodNotAllowed, Unauthorized
from werkzeug.http import HTTP_STATUS_CODES

from loaders.load import GraphTaken
from ontology.errors import AskontoError, InputError
from queries.store.errors import StoreError, StoreTimeout, StoreUnavailable
from service.datafolder import DISK_ERRORS, DataFolderError, disk_error
from service.models.errors import ModelError, ModelTimeout
from service.web import markup
from service.web.slots import BusyError

log = logging.getLogger(__name__)

_STATUS: tuple[tuple[type[AskontoError], int], ...] = (
    (GraphTaken, 409),
    (DataFolderError, 503),
    (InputError, 400),
    (BusyError, 503),
    (StoreUnavailable, 503),
    (StoreTimeout, 504),
    (StoreError, 502),
    (ModelTimeout, 504),
    (ModelError, 502),
)


def register(app: Flask) -> None:
    """Turn every error that a view lets rise into a problem."""
    app.register_error_handler(AskontoError, _askonto)
    app.register_error_handler(HTTPException, _http)
    for kind in DISK_ERRORS:
        app.register_error_handler(kind, lambda error: _askonto(disk_error(error)))
    app.register_error_handler(Exception, _unforeseen)


def status_of(error: AskontoError) -> int:
    """The HTTP status of an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem(status: int, detail: str, **more: str) -> Response:
    """A problem+json response; `more` are extension members, left out where empty."""
    title = HTTP_STATUS_CODES.get(status, "Error")
    if markup.wants_page():
        page = render_template("problem.html", status=status, title=title, detail=detail, **more)
        return Response(page, status, mimetype="text/html")
    members = {name: value for name, value in more.items() if value}
    response = jsonify(type="about:blank", title=title, status=status, detail=detail, **members)
    response.status_code = status
    response.mimetype = "application/problem+json"
    return response


def _askonto(error: AskontoError) -> Response:
    status = status_of(error)
    if status >= 500:
        log.warning("%s", error)
    response = problem(status, error.reason, name=error.name, place=error.place, mend=error.mend)
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response


def _http(error: HTTPException) -> Response:
    response = problem(error.code or 500, error.description or error.name)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(error.valid_methods)
    if isinstance(error, Unauthorized):
        for challenge in error.www_authenticate or ():
            response.headers.add("WWW-Authenticate", challenge.to_header())
    return response


def _unforeseen(error: Exception) -> Response:
    log.error("a fault of askonto's own", exc_info=error)
    return problem(500, "A fault of askonto's own; its log says more.")
