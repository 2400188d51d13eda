"""The stores that the tests run on: an embedded one that is shared, and a real Fuseki."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from queries.store import Store, open_embedded, open_remote
from queries.store.endpoints import Endpoints
from tests.queries.fuseki import running


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An embedded store; tests write to graphs of their own in it."""
    with open_embedded(tmp_path_factory.mktemp("shared"), deadline=10) as store:
        yield store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for a store of the test's own."""
    return tmp_path / "store"


@pytest.fixture(scope="session")
def fuseki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    """A Fuseki as `make fuseki` starts it; skipped without Java and Maven, unless in CI."""
    with running(tmp_path_factory.mktemp("fuseki")) as endpoints:
        yield endpoints


@pytest.fixture
def fresh_fuseki(tmp_path: Path) -> Iterator[Endpoints]:
    """A Fuseki of the test's own, in which nothing was done before."""
    with running(tmp_path / "fuseki") as endpoints:
        yield endpoints


@pytest.fixture(params=["embedded", "fuseki"])
def any_store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Each store of the contract; it is empty before and after."""
    if request.param == "embedded":
        store: Store = request.getfixturevalue("shared_store")
        store.update("DROP ALL")
        yield store
        return
    endpoints: Endpoints = request.getfixturevalue("fuseki")
    with open_remote(endpoints, deadline=10) as store:
        store.update("DROP ALL")
        yield store
