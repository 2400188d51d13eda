"""The data folder: what lies in it, whether it can be used, and the socket of its supervisor."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from queries.store.errors import FolderError, StoreFull

VERSION = 1
_SOCKET_LENGTH = 100  # the kernel's limit is 108 bytes, 104 on macOS
_MEND = "Set ASKONTO_DATA to a folder that can be written."


@dataclass(frozen=True, slots=True)
class Folder:
    """A data folder, absolute; `store` holds the database, the rest belongs to the supervisor."""

    path: Path

    @classmethod
    def from_path(cls, path: Path) -> Folder:
        """The folder, made where it is missing; a FolderError where it cannot be used."""
        folder = cls(path.expanduser().absolute())
        try:
            folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.lock.touch()
            folder._check_version()
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno == errno.ENOSPC:
                raise StoreFull(reason, name=str(path), mend="Free some disk space.") from error
            raise FolderError(
                f"the data folder cannot be written ({reason})", name=str(path), mend=_MEND
            ) from error
        return folder

    @property
    def store(self) -> Path:
        """The database."""
        return self.path / "store"

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

    def free_bytes(self) -> int:
        """Disk space that is left for this user."""
        space = os.statvfs(self.path)
        return space.f_bavail * space.f_frsize

    def _check_version(self) -> None:
        file = self.path / "version"
        if not file.exists():
            file.write_text(f"{VERSION}\n", encoding="ascii")
        found = file.read_text(encoding="ascii", errors="replace").strip()
        if found and (not found.isdecimal() or int(found) > VERSION):
            raise FolderError(
                f"the data folder is of version {found}, this askonto knows {VERSION}",
                name=str(self.path),
                mend="Use the askonto that wrote it, or set ASKONTO_DATA to another folder.",
            )
