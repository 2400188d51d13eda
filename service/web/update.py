"""`/update`: SPARQL 1.1 Update by its protocol, for holders of the write token."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from loaders.graphs import Graphs
from loaders.iris import Iris
from queries import guard
from queries.store.errors import QueryRefused
from queries.updates import names_a_dataset, spelled_out, targets
from service.build import Askonto
from service.web import token
from service.web.slots import Slots

_FORM = "application/x-www-form-urlencoded"
_UPDATE = "application/sparql-update"
_TWO_DATASETS = (
    "WITH and USING do not go with the parameters using-graph-uri and using-named-graph-uri;"
    " keep one."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A protocol request: the update and the graphs that its patterns look at."""

    update: str
    using: tuple[str, ...] = ()
    using_named: tuple[str, ...] = ()


def blueprint(askonto: Askonto) -> Blueprint:
    """`POST /update`: 204 where it was done whole, a problem where nothing was changed."""
    area = Blueprint("update", __name__)
    settings = askonto.settings
    graphs = Graphs(askonto.store, Iris(settings.base_iri))
    slots = Slots(1, settings.query_seconds)

    @area.post("/update")
    def update() -> Response:
        token.check(settings)
        asked = _asked()
        for graph in (*asked.using, *asked.using_named):
            guard.check_graph(graph)
        written = targets(asked.update)
        if (asked.using or asked.using_named) and names_a_dataset(asked.update):
            raise BadRequest(_TWO_DATASETS)
        with slots.taken(), graphs.writing(written):
            _run(askonto, asked)
        return Response(status=204)

    return area


def _run(askonto: Askonto, asked: Asked) -> None:
    try:
        askonto.store.update_raw(
            spelled_out(asked.update),
            deadline=askonto.settings.query_seconds,
            using=asked.using,
            using_named=asked.using_named,
        )
    except QueryRefused as error:
        if "using-union-graph" in error.reason:  # Oxigraph's words for what its union rules out
            raise BadRequest(
                "The embedded store does not take USING; write GRAPH <…> { … } instead."
            ) from None
        raise


def _asked() -> Asked:
    """The request's update, by either of the protocol's two ways."""
    if request.mimetype == _FORM:
        return _from_parameters(request.form)
    if request.mimetype != _UPDATE:
        raise UnsupportedMediaType(f"Send a form, or the update as {_UPDATE}.")
    try:
        update = request.get_data(cache=False).decode("utf-8")
    except UnicodeDecodeError:
        raise BadRequest("The update is not UTF-8.") from None
    return _from_parameters(MultiDict([*request.args.items(multi=True), ("update", update)]))


def _from_parameters(given: MultiDict[str, str]) -> Asked:
    if "query" in given:
        raise BadRequest("Send queries to /sparql; this address takes updates.")
    updates = given.getlist("update")
    if len(updates) != 1:
        raise BadRequest(f"Send one update; {len(updates)} came.")
    return Asked(
        updates[0],
        tuple(given.getlist("using-graph-uri")),
        tuple(given.getlist("using-named-graph-uri")),
    )
