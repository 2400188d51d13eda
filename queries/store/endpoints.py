"""Where a store listens: its three SPARQL 1.1 addresses and who may write."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses of the Query, Update and Graph Store protocols.

    `bulk` is an option of the data address under which a new graph loads faster, where the store
    has one; `compact` is where Fuseki is told to compact the dataset, and `tasks` tells how far it
    is; `limit` is the parameter that tells Fuseki after how many seconds to end a query; `start`
    counts the starts of a store that is started for us.
    """

    query: str
    update: str
    data: str
    user: str = ""
    password: str = field(default="", repr=False)
    bulk: str = ""
    compact: str = ""
    tasks: str = ""
    limit: str = ""
    start: int = 0

    @classmethod
    def from_base(cls, base: str, *, user: str = "", password: str = "") -> Endpoints:
        """Those under a dataset's base URL, as Fuseki names them: `sparql`, `update`, `data`."""
        base = base.rstrip("/")
        server, _, dataset = base.rpartition("/") if urlsplit(base).path else (base, "", "")
        return cls(
            f"{base}/sparql",
            f"{base}/update",
            f"{base}/data",
            user,
            password,
            compact=f"{server}/$/compact/{dataset}" if dataset else "",
            tasks=f"{server}/$/tasks" if dataset else "",
            limit="timeout",
        )

    @classmethod
    def from_oxigraph(cls, base: str, start: int) -> Endpoints:
        """Those of an `oxigraph serve` process."""
        return cls(
            f"{base}/query", f"{base}/update", f"{base}/store", bulk="no_transaction", start=start
        )

    def within(self, seconds: float) -> tuple[tuple[str, str], ...]:
        """The parameters that have the store itself end a query after so many seconds.

        Fuseki takes one number for the time of the whole result: where no row comes it waits on.
        """
        whole = math.ceil(seconds)
        return ((self.limit, f"{whole},{whole}"),) if self.limit else ()
