"""A real Fuseki for the tests, started as `make fuseki` starts it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from queries.store import open_remote
from queries.store.endpoints import Endpoints
from queries.store.errors import StoreUnavailable
from queries.store.process import free_port

RUN = Path(__file__).parents[2] / "deploy" / "fuseki" / "run"
_START, _STOP = 120.0, 10.0  # seconds


@contextmanager
def running(folder: Path, port: int = 0) -> Iterator[Endpoints]:
    """One in a folder; skipped without Java and Maven, unless in CI."""
    missing = [program for program in ("java", "mvn") if not shutil.which(program)]
    if missing and "CI" not in os.environ:
        pytest.skip(f"Fuseki is not tested: {' and '.join(missing)} not installed")
    command = [str(RUN), str(port or free_port()), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            base, user, password = (
                process.stdout.readline().strip().partition("=")[2] for _ in range(3)
            )
            endpoints = Endpoints.from_base(base, user=user, password=password)
            _wait(process, endpoints)
            yield endpoints
        finally:
            _stop(process)


def _wait(process: subprocess.Popen[str], endpoints: Endpoints) -> None:
    end = time.monotonic() + _START
    with open_remote(endpoints, deadline=30) as store:
        while time.monotonic() < end and process.poll() is None:
            try:
                assert store.ask("ASK {}")
            except StoreUnavailable:
                time.sleep(0.2)
            else:
                return
    pytest.fail("Fuseki did not start")


def _stop(process: subprocess.Popen[str]) -> None:
    """After a write that was broken off Fuseki may wait for ever for its end."""
    process.terminate()
    try:
        process.wait(_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
