"""Read-only servers for queries from outside: each query has one of its own while it runs.

A query that runs away takes only its own process along, which has a memory limit and a low
priority. A reading server sees the store as it was when it was started, so it is used again only
while the files of the store are as they were then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from queries.store.process import Limits, ProcessError, Server, free_port

MEMORY_BYTES = 512 * 1024 * 1024
_AT_ONCE = 4
_WAIT_SECONDS = 2.0
_IDLE_SECONDS = 20.0
_OPENINGS = 5
_NICENESS = 5
_GRACE_SECONDS = 0.2

Stamp = frozenset[tuple[str, int]]


class Busy(Exception):
    """As many queries from outside are running as may run at once."""


@dataclass(slots=True)
class Loan:
    """A server lent to one query."""

    server: Server
    seconds: float
    returned: bool = False

    @property
    def url(self) -> str:
        """The server's base address."""
        return self.server.url

    async def outcome(self, line: Awaitable[bytes]) -> str:
        """How the loan ends: done, gone (the user), memory (the server died) or deadline."""
        user = asyncio.ensure_future(line)
        death = asyncio.ensure_future(self.server.process.wait())
        await asyncio.wait({user, death}, timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED)
        ended = "deadline"
        if user.done():
            self.returned = bool(user.result()) and not death.done()
            ended = "done" if user.result() else "gone"
        elif death.done():
            ended = "memory"
        for task in (user, death):
            task.cancel()
        return ended


class Readers:
    """The reading servers of one store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._idle: list[tuple[Stamp, Server]] = []

    @asynccontextmanager
    async def lent(self, seconds: float) -> AsyncIterator[Loan]:
        """A server that sees all that was written until now; Busy where none is to be had."""
        try:
            await asyncio.wait_for(self._places.acquire(), _WAIT_SECONDS)
        except TimeoutError:
            raise Busy("too many queries are running") from None
        try:
            stamp, server = await self._fresh()
            loan = Loan(server, seconds)
            try:
                yield loan
            finally:
                if loan.returned:
                    self._keep(stamp, server)
                else:
                    server.kill()
        finally:
            self._places.release()

    async def renew(self) -> None:
        """End the idle servers: the store may be another one when it starts again."""
        idle, self._idle = self._idle, []
        for _, server in idle:
            await server.stop()

    async def close(self) -> None:
        """End the idle servers; lent ones die with this process."""
        await self.renew()

    async def _fresh(self) -> tuple[Stamp, Server]:
        now = self._stamp()
        for stamp, server in self._idle:
            if stamp != now:
                server.kill()
        self._idle = [
            (stamp, server) for stamp, server in self._idle if server.running and stamp == now
        ]
        if self._idle:
            return self._idle.pop()
        return await self._opened()

    async def _opened(self) -> tuple[Stamp, Server]:
        """A new server, opened while the same logs were there: else it may have missed one."""
        limits = Limits(MEMORY_BYTES, _NICENESS)
        for _ in range(_OPENINGS):
            before = self._stamp()
            try:
                server = await Server.start("serve-read-only", self._store, free_port(), limits)
            except ProcessError:  # a file went while it was opening
                continue
            if _logs(before) == _logs(self._stamp()):
                return before, server
            server.kill()
        raise Busy("the store is being written; try again")

    def _keep(self, stamp: Stamp, server: Server) -> None:
        entry = (stamp, server)
        self._idle.append(entry)
        asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._drop, entry)

    def _drop(self, entry: tuple[Stamp, Server]) -> None:
        if entry in self._idle:
            self._idle.remove(entry)
            entry[1].kill()

    def _stamp(self) -> Stamp:
        """Names and sizes of the files that grow with every write, and which database it is."""
        stamp = {("", self._store.stat().st_ino)}
        for file in self._store.iterdir():
            if file.suffix == ".log" or file.name.startswith(("MANIFEST", "CURRENT")):
                with suppress(FileNotFoundError):  # it was just replaced
                    stamp.add((file.name, file.stat().st_size))
        return frozenset(stamp)


def _logs(stamp: Stamp) -> set[str]:
    return {name for name, _ in stamp if name.endswith(".log")}
