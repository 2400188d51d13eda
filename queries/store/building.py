"""A new database for an embedded store, made beside the present one, which it then replaces."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from queries.store.errors import StoreError, StoreUnavailable
from queries.store.folder import Folder
from queries.store.process import binary, dying_with_parent

_PREFIX = "building-"
_COUNT = "SELECT (COUNT(*) AS ?n) { { GRAPH ?g { ?s ?p ?o } } UNION { ?s ?p ?o } }"


@dataclass(frozen=True, slots=True)
class Building:
    """A database that nobody sees yet."""

    path: Path

    def fill(self, quads: Iterable[bytes]) -> None:
        """Load the N-Quads: all of them, or a StoreError."""
        with tempfile.TemporaryFile() as words, self._loader(words) as loader:
            try:
                _feed(loader.stdin, quads)
            except BaseException:
                loader.kill()
                raise
            if loader.wait():
                words.seek(0)
                raise StoreError(f"it did not load ({_last(words.read())})", name="store")

    def count(self) -> int:
        """How many statements it holds."""
        done = subprocess.run(  # noqa: S603 - our own program and folder
            [binary(), "query", "-l", str(self.path), "--query", _COUNT, "--results-format", "csv"],
            capture_output=True,
            check=False,
            preexec_fn=dying_with_parent(),
        )
        if done.returncode:
            raise StoreError(f"it cannot be counted ({_last(done.stderr)})", name="store")
        return int(done.stdout.split()[-1])

    def _loader(self, words: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own program and folder
            [binary(), "load", "-l", str(self.path), "--format", "nq"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=words,
            preexec_fn=dying_with_parent(),  # noqa: PLW1509 - it takes no lock
        )


@contextmanager
def open_building(folder: Folder) -> Iterator[Building]:
    """An empty database beside the store's; one at a time, and gone after unless it was taken."""
    with (folder.path / "building.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreUnavailable(
                "is being restored by another process", name="store", mend="Wait until it is done"
            ) from None
        for left in folder.path.glob(f"{_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder.path))
        try:
            yield Building(path)
        finally:
            shutil.rmtree(path, ignore_errors=True)


def _feed(pipe: IO[bytes] | None, parts: Iterable[bytes]) -> None:
    with suppress(BrokenPipeError):  # it says itself why it ended
        for part in parts:
            if pipe:
                pipe.write(part)
        if pipe:
            pipe.close()


def _last(words: bytes) -> str:
    lines = words.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it gave no reason"
