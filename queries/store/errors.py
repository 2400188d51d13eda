"""How a store can fail: the tree of its errors."""

from __future__ import annotations

from ontology.errors import AskontoError, InputError


class StoreError(AskontoError):
    """The store did not do what was asked."""


class StoreUnavailable(StoreError):
    """The store cannot be reached, started or used just now; the same call may work later."""


class StoreTimeout(StoreError):
    """The store did not answer within the deadline."""


class StoreFull(StoreUnavailable):
    """The store has no disk space left to write with."""


class FolderError(StoreError):
    """The data folder cannot be used as it is."""


class StoreRefused(StoreError):
    """The store understood the call and will not do it; `status` is its HTTP status."""

    def __init__(
        self, reason: str, *, status: int = 400, name: str = "", place: str = "", mend: str = ""
    ) -> None:
        super().__init__(reason, name=name, place=place, mend=mend)
        self.status = status


class QueryRefused(StoreRefused, InputError):
    """A query from outside that the store does not run: its writer can mend it."""
