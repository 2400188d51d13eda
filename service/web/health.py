"""Whether the service can answer, and how far its index is."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from queries.store.errors import StoreError
from service.build import Askonto


def blueprint(askonto: Askonto) -> Blueprint:
    """`GET /health`: 200, or 503 where the store does not answer."""
    area = Blueprint("health", __name__)

    @area.get("/health")
    def health() -> Response:
        try:
            askonto.store.ask("ASK {}", deadline=2.0)
        except StoreError as error:
            response = jsonify(status="down", reason=str(error))
            response.status_code = 503
            return response
        progress = askonto.index.progress()
        return jsonify(
            status="ok", index={"wanted": progress.wanted, "embedded": progress.embedded}
        )

    return area
