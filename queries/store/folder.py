"""The folder of an embedded store: what lies in it, and the socket of its supervisor."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from queries.store.errors import FolderError, StoreFull

_SOCKET_LENGTH = 100  # the kernel's limit is 108 bytes, 104 on macOS
_MEND = "Set ASKONTO_DATA to a folder that can be written"


@dataclass(frozen=True, slots=True)
class Folder:
    """A store's folder, absolute; `database` is Oxigraph's, the rest belongs to the supervisor."""

    path: Path

    @classmethod
    def from_path(cls, path: Path) -> Folder:
        """The folder, made where it is missing; a FolderError where it cannot be used."""
        folder = cls(path.expanduser().absolute())
        try:
            folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.lock.touch()
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno == errno.ENOSPC:
                raise StoreFull(reason, name=str(path), mend="Free some disk space") from error
            raise FolderError(
                f"the data folder cannot be written ({reason})", name=str(path), mend=_MEND
            ) from error
        return folder

    @property
    def database(self) -> Path:
        """The database."""
        return self.path / "database"

    @property
    def successor(self) -> Path:
        """A whole database that is to be in the place of the present one."""
        return self.path / "database.new"

    def succeed(self) -> None:
        """Finish what was begun: the successor, where there is one, becomes the database."""
        predecessor = self.path / "database.old"
        if self.successor.exists():
            shutil.rmtree(predecessor, ignore_errors=True)
            if self.database.exists():
                self.database.rename(predecessor)
            self.successor.rename(self.database)
        shutil.rmtree(predecessor, ignore_errors=True)

    @property
    def lock(self) -> Path:
        """Held by the folder's one supervisor."""
        return self.path / "supervisor.lock"

    @property
    def log(self) -> Path:
        """What a supervisor says when it fails."""
        return self.path / "supervisor.log"

    @contextmanager
    def socket_path(self) -> Iterator[str]:
        """The supervisor's socket by a path that is short enough for one, however deep it lies."""
        path = self.path / "supervisor.sock"
        if len(os.fsencode(path)) < _SOCKET_LENGTH:
            yield str(path)
            return
        with tempfile.TemporaryDirectory(prefix="askonto") as short:
            link = Path(short, "data")
            link.symlink_to(self.path)
            yield str(link / path.name)

    def size(self) -> int:
        """Bytes that the database takes on the disk."""
        return sum(file.stat().st_size for file in self.database.iterdir())

    def free_bytes(self) -> int:
        """Disk space that is left for this user."""
        space = os.statvfs(self.path)
        return space.f_bavail * space.f_frsize
