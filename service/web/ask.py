"""The question: JSON as one line of the batch contract, or a form and a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request
from werkzeug.exceptions import UnsupportedMediaType

from service.answering.contract import line_from, parse, question_from
from service.build import Askonto
from service.web import markup

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def blueprint(askonto: Askonto) -> Blueprint:
    """`/`, the page with the question box, and `POST /ask`."""
    area = Blueprint("ask", __name__)
    longest = askonto.settings.question_characters

    @area.get("/")
    def page() -> str:
        return render_template("ask.html", longest=longest, asked={})

    @area.post("/ask")
    def ask() -> Response:
        record = _record()
        reply = askonto.answering.answer(question_from(record, longest))
        if request.mimetype in _FORMS and markup.wants_page():
            shown = render_template("ask.html", longest=longest, asked=record, reply=reply)
            return Response(shown, mimetype="text/html")
        return jsonify(line_from(reply, record.get("id")))

    return area


def _record() -> Mapping[str, Any]:
    if request.mimetype in _FORMS:
        return request.form.to_dict()
    if request.mimetype != "application/json":
        raise UnsupportedMediaType("Send the question as application/json.")
    return parse(request.get_data(cache=False))
