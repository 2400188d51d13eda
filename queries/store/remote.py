"""A store that runs elsewhere: Fuseki, or any other SPARQL 1.1 server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from queries.store.building import Building
from queries.store.client import Store
from queries.store.endpoints import Endpoints
from queries.store.errors import StoreError, StoreFull, StoreRefused

_PAUSE_SECONDS = 0.5


def open_remote(endpoints: Endpoints, *, deadline: float) -> Store:
    """The store at these addresses; `deadline` in seconds for each query."""
    return Store(Remote(endpoints), deadline=deadline)


class Remote:
    """The engine of a store that is not ours to start: it stays where it is."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._endpoints = endpoints

    def endpoints(self) -> Endpoints:
        """Where it listens."""
        return self._endpoints

    def recover(self, seen: Endpoints, error: StoreError) -> None:
        """Give it a moment to come back."""
        if isinstance(error, StoreFull):
            raise error
        time.sleep(_PAUSE_SECONDS)

    def overdue(self, seen: Endpoints) -> None:
        """Nothing: its own limit ends the query."""

    @contextmanager
    def outside(self, seconds: float) -> Iterator[Endpoints]:
        """The store itself, whose server bounds what runs there."""
        yield self._endpoints

    @contextmanager
    def building(self) -> Iterator[Building | None]:
        """None: its files are not ours."""
        yield None

    def replace(self, building: Building) -> None:
        """Never asked, as there is no building."""
        raise NotImplementedError

    def compact(self) -> None:
        """Say that there is no way known."""
        raise StoreRefused("has no compaction that askonto knows", name="store")

    def close(self) -> None:
        """Nothing is held."""
