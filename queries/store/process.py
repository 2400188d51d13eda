"""One `oxigraph` server process on loopback."""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import resource
import shutil
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
# Only for queries whose client was killed: a result that this limit cuts looks complete.
_LIMIT_SECONDS = 3600
_LISTENING = re.compile(rb"Listening for requests at")
_PR_SET_PDEATHSIG = 1


class ProcessError(Exception):
    """The server did not start; the text is its own last words."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server may take, where it serves strangers: memory, and a lower priority."""

    data_bytes: int | None = None
    niceness: int = 0


@dataclass(slots=True)
class Server:
    """A running server; `url` is its base address."""

    url: str
    process: asyncio.subprocess.Process
    _words: deque[str]
    _listener: asyncio.Task[None] = field(repr=False)

    @classmethod
    async def start(cls, command: str, store: Path, port: int, limits: Limits) -> Server:
        """Start `oxigraph serve` or `serve-read-only` and wait until it listens."""
        process = await asyncio.create_subprocess_exec(
            binary(),
            command,
            *("--location", str(store)),
            *("--bind", f"127.0.0.1:{port}"),
            *("--timeout-s", str(_LIMIT_SECONDS)),
            "--union-default-graph",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "RUST_BACKTRACE": "0"},
            preexec_fn=_before_exec(limits),
        )
        words: deque[str] = deque(maxlen=5)
        ready = asyncio.Event()
        listener = asyncio.create_task(_listen(process, words, ready))
        server = cls(f"http://127.0.0.1:{port}", process, words, listener)
        try:
            await asyncio.wait_for(ready.wait(), _START_SECONDS)
        except BaseException:
            server.kill()
            raise
        if process.returncode is not None or not words or not _LISTENING.match(words[-1].encode()):
            await server.stop()
            raise ProcessError(" ".join(words) or "it gave no reason")
        return server

    @property
    def running(self) -> bool:
        """Whether the process is known to live."""
        return self.process.returncode is None

    def kill(self) -> None:
        """End it at once; what was acknowledged is kept."""
        if self.running:
            self.process.kill()

    async def stop(self) -> None:
        """End it and wait until it has gone."""
        if self.running:
            self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), _STOP_SECONDS)
        except TimeoutError:
            self.kill()
            await self.process.wait()
        await self._listener


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def optimize(store: Path) -> None:
    """Compact a database that no server has open; a ProcessError where it does not work."""
    process = await asyncio.create_subprocess_exec(
        binary(),
        *("optimize", "--location", str(store)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=_before_exec(Limits()),
    )
    try:
        _, words = await process.communicate()
    except BaseException:
        process.kill()
        raise
    if process.returncode:
        raise ProcessError(words.decode("utf-8", "replace").strip() or "it gave no reason")


async def _listen(
    process: asyncio.subprocess.Process, words: deque[str], ready: asyncio.Event
) -> None:
    """Keep the server's last words; `ready` is set when it listens or has ended."""
    async for line in process.stderr or asyncio.StreamReader():
        words.append(line.decode("utf-8", "replace").strip())
        if _LISTENING.match(line):
            ready.set()
    await process.wait()
    ready.set()


def binary() -> str:
    """The program that the package `oxigraph` has installed beside this Python."""
    found = shutil.which("oxigraph", path=str(Path(sys.executable).parent))
    found = found or shutil.which("oxigraph")
    if not found:
        raise ProcessError("the program oxigraph is not installed")
    return found


def dying_with_parent() -> Callable[[], None]:
    """For `preexec_fn`: the process ends with the one that started it (Linux)."""
    return _before_exec(Limits())


def _before_exec(limits: Limits) -> Callable[[], None]:
    """What the new process does first: limit itself, and die with its parent (Linux)."""
    parent = os.getpid()
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    def prepare() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
        if limits.data_bytes is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (limits.data_bytes, limits.data_bytes))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limits.niceness:
            os.nice(limits.niceness)

    return prepare
