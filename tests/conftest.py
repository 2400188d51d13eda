"""What tests of every room share: an embedded store, settings, the sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from queries.store import Store, open_embedded
from service.settings import Settings

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def sample() -> Path:
    """The folder of the sample graph and documents."""
    return ROOT / "sample"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An embedded store, empty when the module starts."""
    with open_embedded(tmp_path_factory.mktemp("store"), deadline=10) as opened:
        yield opened


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The default settings with a data folder of the test's own."""
    return Settings(data=tmp_path / "data")
