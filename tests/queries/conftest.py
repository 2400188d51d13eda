"""The stores that the tests run on: an embedded one that is shared, and a real Fuseki."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from queries.store import Store, open_embedded, open_remote
from queries.store.endpoints import Endpoints
from queries.store.errors import StoreUnavailable
from queries.store.process import free_port

RUN = Path(__file__).parents[2] / "deploy" / "fuseki" / "run"


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
    with _running(tmp_path_factory.mktemp("fuseki")) as endpoints:
        yield endpoints


@pytest.fixture
def fresh_fuseki(tmp_path: Path) -> Iterator[Endpoints]:
    """A Fuseki of the test's own, in which nothing was done before."""
    with _running(tmp_path / "fuseki") as endpoints:
        yield endpoints


@contextmanager
def _running(folder: Path) -> Iterator[Endpoints]:
    missing = [program for program in ("java", "mvn") if not shutil.which(program)]
    if missing and "CI" not in os.environ:
        pytest.skip(f"Fuseki is not tested: {' and '.join(missing)} not installed")
    command = [str(RUN), str(free_port()), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            lines = dict(process.stdout.readline().strip().split("=", 1) for _ in range(3))
            endpoints = Endpoints.from_base(
                lines["ASKONTO_STORE"],
                user=lines["ASKONTO_STORE_USER"],
                password=lines["ASKONTO_STORE_PASSWORD"],
            )
            _wait(process, endpoints)
            yield endpoints
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[str], endpoints: Endpoints) -> None:
    end = time.monotonic() + 120
    with open_remote(endpoints, deadline=30) as store:
        while time.monotonic() < end and process.poll() is None:
            try:
                assert store.ask("ASK {}")
            except StoreUnavailable:
                time.sleep(0.2)
            else:
                return
    pytest.fail("Fuseki did not start")


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
