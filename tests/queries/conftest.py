"""One embedded store for the tests that only need some store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from queries.store import Store, open_embedded


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An embedded store; tests write to graphs of their own in it."""
    with open_embedded(tmp_path_factory.mktemp("shared"), deadline=10) as store:
        yield store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for a store of the test's own."""
    return tmp_path / "store"
