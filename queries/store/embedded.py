"""The embedded store: a client of the data folder's supervisor, which is started where needed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from queries.store.building import Building, open_building
from queries.store.client import WRITE_SECONDS, Store
from queries.store.endpoints import Endpoints
from queries.store.errors import (
    QueryRefused,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreTimeout,
    StoreUnavailable,
)
from queries.store.folder import Folder

_JOIN_SECONDS = 60.0
_START_AGAIN_SECONDS = 5.0
# Opening a reading server replays what was written last: 0.03 s a megabyte on a free machine.
_LOAN_SECONDS = 20.0
_NEEDED_BYTES = 4 * 1024 * 1024
# runs its arguments in the background and returns: the supervisor is nobody's child
_DETACHED = ["/bin/sh", "-c", '"$@" &', "sh"]


def open_embedded(folder: Path, *, deadline: float) -> Store:
    """The store of a data folder, shared with whoever else has it open; `deadline` in seconds."""
    return Store(Supervised(Folder.from_path(folder)), deadline=deadline)


class Supervised:
    """The engine of an embedded store: a member of the folder's users while it is open."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._closed = False
        self._endpoints, self._member = self._joined()

    def endpoints(self) -> Endpoints:
        """Where the store listens now; joins a new supervisor where the last one has gone."""
        with self._lock:
            self._follow()
            return self._endpoints

    def recover(self, seen: Endpoints, error: StoreError) -> None:
        """Wait for the store to be there again; on a full disk only once there is space."""
        full = isinstance(error, StoreFull)
        if full and self._folder.free_bytes() < _NEEDED_BYTES:
            raise error
        self.endpoints()
        try:
            with self._asked(_after(seen, kill=full)) as (lines, _):
                renewed = _endpoints(_received(lines))
        except OSError:  # the supervisor has gone too
            self._rejoin()
        else:
            with self._lock:
                self._endpoints = renewed

    def overdue(self, seen: Endpoints) -> None:
        """Have the store restarted, since nothing else stops some queries."""
        with suppress(OSError), self._asked(_after(seen, kill=True)):
            pass

    @contextmanager
    def outside(self, seconds: float) -> Iterator[Endpoints]:
        """A reading server of its own for one query."""
        self.endpoints()
        with ExitStack() as stack:
            try:
                loan = self._asked({"want": "reader", "seconds": seconds})
                lines, connection = stack.enter_context(loan)
                connection.settimeout(_LOAN_SECONDS)
                reply = _received(lines)
            except OSError as error:
                raise StoreUnavailable(
                    f"has no server for this query ({error})", name="store"
                ) from error
            if "error" in reply:
                raise StoreUnavailable(reply["error"], name="store")
            try:
                yield Endpoints.from_oxigraph(reply["url"], start=0)
            except StoreUnavailable as error:
                raise _ended(lines, seconds) from error
            except StoreRefused:
                connection.sendall(b"done\n")
                raise
            connection.sendall(b"done\n")

    @contextmanager
    def building(self) -> Iterator[Building | None]:
        """A new database beside the store's."""
        with open_building(self._folder) as building:
            yield building

    def replace(self, building: Building) -> None:
        """Put the new database in the place of the old one, in one step."""
        self._stopped({"want": "replace", "database": str(building.path)})

    def compact(self) -> None:
        """Compact the database; whoever asks something meanwhile waits."""
        self._stopped({"want": "compact"})

    def _stopped(self, message: dict[str, object]) -> None:
        """Have something done while the store is stopped."""
        self.endpoints()
        try:
            with self._asked(message) as (lines, connection):
                connection.settimeout(WRITE_SECONDS)
                renewed = _endpoints(_received(lines))
        except OSError as error:
            raise StoreUnavailable(
                f"has gone with its supervisor ({error})", name="store"
            ) from error
        with self._lock:
            self._endpoints = renewed

    def close(self) -> None:
        """Leave; the supervisor ends with its last user."""
        with self._lock:
            self._closed = True
            self._member.close()

    def _follow(self) -> None:
        """Read what the supervisor has announced since."""
        if self._closed:
            raise StoreUnavailable("is closed", name="store")
        try:
            news = self._member.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            news = b""
        if news:
            self._endpoints = _endpoints(json.loads(news.splitlines()[-1]))
        else:
            self._member.close()
            self._endpoints, self._member = self._joined()

    def _rejoin(self) -> None:
        with self._lock:
            self._member.close()
            self._endpoints, self._member = self._joined()

    @contextmanager
    def _asked(self, message: dict[str, object]) -> Iterator[tuple[Any, socket.socket]]:
        with _connected(self._folder) as connection, connection.makefile("rb") as lines:
            connection.sendall(json.dumps(message).encode() + b"\n")
            yield lines, connection

    def _joined(self) -> tuple[Endpoints, socket.socket]:
        """Where the store listens, and the connection that makes us one of its users."""
        until = time.monotonic() + _JOIN_SECONDS
        started = 0.0
        while time.monotonic() < until:
            try:
                member = _connected(self._folder)
            except OSError:
                if time.monotonic() - started > _START_AGAIN_SECONDS:
                    started = time.monotonic()
                    self._start()
                time.sleep(0.01)
                continue
            try:
                member.sendall(b'{"want": "member"}\n')
                with member.makefile("rb") as lines:
                    endpoints = _endpoints(_received(lines))
                member.setblocking(False)
                return endpoints, member
            except OSError:
                member.close()  # it was just ending
            except BaseException:
                member.close()
                raise
        raise StoreUnavailable(
            f"its supervisor does not start ({_last_line(self._folder.log)})",
            name=str(self._folder.path),
        )

    def _start(self) -> None:
        command = [sys.executable, "-P", "-m", "queries.store.supervisor", str(self._folder.path)]
        with self._folder.log.open("wb") as log:
            subprocess.run(  # noqa: S603 - our own program and folder
                [*_DETACHED, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                check=True,
            )


def _after(seen: Endpoints, *, kill: bool) -> dict[str, object]:
    return {"want": "state", "after": seen.start, "kill": kill}


def _connected(folder: Folder) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(_JOIN_SECONDS)
        with folder.socket_path() as path:
            connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _received(lines: Any) -> dict[str, Any]:
    line = lines.readline()
    if not line:
        raise ConnectionResetError("it hung up")
    message: dict[str, Any] = json.loads(line)
    return message


def _endpoints(state: dict[str, Any]) -> Endpoints:
    if "error" in state:
        raise StoreUnavailable(f"it does not start ({state['error']})", name="store")
    return Endpoints.from_oxigraph(state["url"], state["start"])


def _ended(lines: Any, seconds: float) -> StoreError:
    """Why the server of an outside query went away."""
    try:
        how = _received(lines)["ended"]
    except OSError:
        return StoreUnavailable("has gone with its supervisor", name="store")
    if how == "deadline":
        return StoreTimeout(f"was ended after {seconds:.0f} s", name="query")
    return QueryRefused(
        "needs more memory than one query may take", name="query", mend="Ask for less at once"
    )


def _last_line(file: Path) -> str:
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else "it gave no reason"
