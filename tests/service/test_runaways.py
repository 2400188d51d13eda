"""Queries from outside that would run for ever, on each store: ended, and nobody beside waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from pyoxigraph import NamedNode

from queries.store import Store
from service.build import open_askonto
from service.settings import Settings
from service.web.app import create_app

_FREE = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i"
RUNAWAYS = {
    "sorted cross product": f"SELECT * {{ {_FREE} }} ORDER BY ?c ?i",
    "counted cross product": f"SELECT (COUNT(*) AS ?n) {{ {_FREE} }}",
    "cross product without doubles": f"SELECT DISTINCT * {{ {_FREE} }} OFFSET 99999999",
    "texts of a cross product": f"SELECT (GROUP_CONCAT(?c) AS ?n) {{ {_FREE} }}",
    "groups of a cross product": (
        f"SELECT ?a ?c ?d ?f ?g (COUNT(*) AS ?n) {{ {_FREE} }} GROUP BY ?a ?c ?d ?f ?g"
    ),
    "regular expression": f"SELECT * {{ FILTER REGEX('{'a' * 5000}b', '(.*a){{25}}$') }}",
    "paths": "SELECT (COUNT(*) AS ?n) { ?a (<x:p>|!<x:p>)* ?b . ?c (<x:p>|!<x:p>)* ?d }",
}
WAIT = 2.0  # seconds that others may wait


@pytest.fixture(scope="module")
def served(
    store_settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[FlaskClient, Store]]:
    data = tmp_path_factory.mktemp("data")
    settings = Settings(data=data, query_seconds=2, **store_settings)
    with open_askonto(settings) as askonto:
        lines = [f'<http://e.org/{n}> <http://e.org/says> "v {n}" .' for n in range(8000)]
        askonto.store.put_graph(NamedNode("http://e.org/g"), "\n".join(lines).encode())
        yield create_app(settings, askonto).test_client(), askonto.store


@pytest.mark.parametrize("kind", RUNAWAYS)
def test_a_runaway_is_ended_and_slows_nobody(served: tuple[FlaskClient, Store], kind: str) -> None:
    client, store = served
    statuses: list[int] = []

    def outside() -> None:
        statuses.append(client.post("/sparql", data={"query": RUNAWAYS[kind]}).status_code)

    thread = threading.Thread(target=outside)
    thread.start()
    waited = []
    end = time.monotonic() + 4  # so that what it leaves behind is met as well
    while time.monotonic() < end or thread.is_alive():
        start = time.monotonic()
        store.update(
            "INSERT DATA { GRAPH <http://e.org/h> { <http://e.org/a> <http://e.org/b> 1 } }"
        )
        assert store.select("SELECT * { ?s ?p ?o } LIMIT 5").rows
        waited.append(time.monotonic() - start)
        time.sleep(0.05)
    thread.join()
    assert statuses in ([200], [400], [503], [504])
    assert max(waited) < WAIT
    assert client.get("/sparql", query_string={"query": "ASK { ?s ?p 1 }"}).status_code == 200
