"""The process that keeps a data folder's store: one a folder, there while it has users.

It listens on a Unix socket in the folder. A user sends one JSON line, and its connection says how
long it is there:

- `{"want": "member"}`: counted until it hangs up; gets a state line now and at every restart;
- `{"want": "state", "after": start, "kill": bool}`: gets the state line of a store that works,
  where the store started at `start` failed; `kill` ends that one first;
- `{"want": "reader", "seconds": n}`: gets `{"url": …}` of a read-only server of its own, for one
  query from outside; sends a line when it is done. After `n` seconds, when the user hangs up or
  when memory runs out, that server alone is killed.

A state line is `{"url": …, "start": n}`, or `{"error": …}` when the store does not start.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import json
import logging
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Any

from queries.store.folder import Folder
from queries.store.process import Limits, ProcessError, Server, free_port, optimize
from queries.store.readers import Busy, Readers

_FIRST_USER_SECONDS = 10.0
_START_ATTEMPTS = 10
_PAUSE_SECONDS = 0.2
_NOTICE_SECONDS = 0.1

Chore = Callable[[], Awaitable[None]]


class Supervisor:
    """Keeps the writing server up, lends reading ones, and ends with its last user."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._readers = Readers(folder.database)
        self._members: set[asyncio.StreamWriter] = set()
        self._users = 0
        self._ended = asyncio.Event()
        self._server: Server | None = None
        self._state: dict[str, object] | None = None
        self._changed = asyncio.Condition()
        self._asked = asyncio.Event()
        self._chores: list[tuple[Chore, asyncio.Future[None]]] = []

    async def run(self, listening: socket.socket) -> None:
        """Serve until the last user has gone or a signal comes."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._ended.set)
        loop.call_later(_FIRST_USER_SECONDS, self._end_if_unused)
        keeper = asyncio.create_task(self._keep())
        keeper.add_done_callback(lambda _: self._ended.set())
        listener = await asyncio.start_unix_server(self._serve, sock=listening)
        await self._ended.wait()
        listener.close()
        with self._folder.socket_path() as path:
            Path(path).unlink(missing_ok=True)
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper
        await self._readers.close()
        if self._server:
            await self._server.stop()

    async def _keep(self) -> None:
        """Start the writing server whenever there is none, after what is to be done without."""
        port = free_port()
        while True:
            await self._do_chores()
            try:
                self._server = await self._started(port)
            except ProcessError as error:
                await self._announce({"error": str(error)})
                self._asked.clear()
                await self._asked.wait()
                port = free_port()
                continue
            await self._announce({"url": self._server.url, "start": time.time_ns()})
            await self._server.process.wait()
            self._state = None

    async def _do_chores(self) -> None:
        await self._readers.renew()
        self._folder.succeed()
        while self._chores:
            chore, done = self._chores.pop(0)
            try:
                await chore()
            except (OSError, ProcessError) as error:
                done.set_exception(error)
            else:
                done.set_result(None)

    async def _between(self, chore: Chore) -> dict[str, object]:
        """Have something done while the store is stopped; the state after it has started."""
        await self._working()  # or it has failed to: then, too, it waits to be told
        done = asyncio.get_running_loop().create_future()
        self._chores.append((chore, done))
        self._state = None
        if self._server:
            await self._server.stop()
        self._asked.set()
        try:
            await done
        except (OSError, ProcessError) as error:
            return {"error": str(error)}
        return await self._working()

    async def _compact(self) -> None:
        await optimize(self._folder.database)

    async def _replace(self, database: Path) -> None:
        """From the first renaming on the new database holds, whatever happens after."""
        database.rename(self._folder.successor)
        self._folder.succeed()

    async def _started(self, port: int) -> Server:
        for _ in range(_START_ATTEMPTS - 1):
            try:
                return await Server.start("serve", self._folder.database, port, Limits())
            except ProcessError as error:
                if "in use" in str(error):
                    port = free_port()
                await asyncio.sleep(_PAUSE_SECONDS)
        return await Server.start("serve", self._folder.database, port, Limits())

    async def _announce(self, state: dict[str, object]) -> None:
        self._state = state
        for member in self._members:
            _send(member, state)
        async with self._changed:
            self._changed.notify_all()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._users += 1
        try:
            line = await reader.readline()
            if line and not self._ended.is_set():
                await self._answer(json.loads(line), reader, writer)
        except ConnectionError:
            pass
        finally:
            self._users -= 1
            self._end_if_unused()
            writer.close()

    async def _answer(
        self, message: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if message["want"] == "member":
            await self._membership(reader, writer)
        elif message["want"] == "state":
            await self._retire(message["after"], kill=message["kill"])
            _send(writer, await self._working())
        elif message["want"] == "compact":
            _send(writer, await self._between(self._compact))
        elif message["want"] == "replace":
            database = Path(message["database"])
            _send(writer, await self._between(lambda: self._replace(database)))
        else:
            await self._lend(message["seconds"], reader, writer)

    async def _membership(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _send(writer, await self._working())
        self._members.add(writer)
        try:
            await reader.read()
        finally:
            self._members.discard(writer)

    async def _retire(self, start: int, *, kill: bool) -> None:
        """Notice the death of the server started then; or see to it."""
        server = self._server
        if server is None or self._state is None or self._state.get("start") != start:
            return
        if kill:
            server.kill()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.process.wait(), None if kill else _NOTICE_SECONDS)
            self._state = None

    async def _working(self) -> dict[str, object]:
        """The state, tried again where the last start failed."""
        if self._state and "error" in self._state:
            self._state = None
            self._asked.set()
        async with self._changed:
            await self._changed.wait_for(lambda: self._state is not None)
        return self._state or {}

    async def _lend(
        self, seconds: float, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            async with self._readers.lent(seconds) as loan:
                _send(writer, {"url": loan.url})
                _send(writer, {"ended": await loan.outcome(reader.readline())})
        except (Busy, ProcessError) as error:
            _send(writer, {"error": str(error)})

    def _end_if_unused(self) -> None:
        if not self._users:
            self._ended.set()


def _send(writer: asyncio.StreamWriter, message: dict[str, object]) -> None:
    writer.write(json.dumps(message).encode() + b"\n")


def _locked(folder: Folder) -> IO[bytes] | None:
    """The folder's lock, or None where another supervisor serves it."""
    file = folder.lock.open("rb")
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _answers(folder):
                file.close()
                return None
            time.sleep(0.02)  # it is just starting, or ending
        else:
            return file


def _answers(folder: Folder) -> bool:
    with folder.socket_path() as path, socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def _listening(folder: Folder) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    with folder.socket_path() as path:
        Path(path).unlink(missing_ok=True)
        listening.bind(path)
    listening.listen(128)
    return listening


def main() -> None:
    """Supervise a folder; returns at once where it has a supervisor already."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    folder = Folder.from_path(arguments.folder)
    lock = _locked(folder)
    if lock is None:
        return
    os.chdir("/")
    with lock, _listening(folder) as listening:
        asyncio.run(Supervisor(folder).run(listening))


if __name__ == "__main__":
    main()
