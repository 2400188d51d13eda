"""The data folder: made on first use, and marked with the version of its layout."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ontology.errors import InputError

VERSION = 1
_FILE = "askonto-version"
# what the files of a folder raise that is full, read-only or gone
DISK_ERRORS = (OSError, sqlite3.OperationalError)


class DataFolderError(InputError):
    """A data folder that cannot be used."""


def disk_error(error: Exception) -> DataFolderError:
    """The line to tell one of DISK_ERRORS in, without the path, which is no client's business."""
    words = error.strerror if isinstance(error, OSError) else str(error)
    return DataFolderError(
        f"cannot be used: {words or 'a file of it cannot be written'}",
        name="the data folder",
        mend="Free some disk space, or mend its permissions",
    )


def open_folder(path: Path) -> Path:
    """The folder, made where it is missing; raises DataFolderError where it cannot be used."""
    mend = "Name another folder in ASKONTO_DATA, or mend its permissions"
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark = path / _FILE
        written = mark.read_text(encoding="utf-8").strip() if mark.exists() else ""
        if written:
            _check(path, written)
        elif any(other.name not in (_FILE, "lost+found") for other in path.iterdir()):
            raise DataFolderError(
                "holds files, but none of askonto's", name=str(path), mend="Name an empty folder"
            )
        else:
            mark.write_text(f"{VERSION}\n", encoding="utf-8")
        probe = path / ".writable"
        probe.touch()
        probe.unlink(missing_ok=True)
    except OSError as error:
        raise DataFolderError(
            f"cannot be written: {error.strerror}", name=str(path), mend=mend
        ) from None
    return path


def _check(path: Path, written: str) -> None:
    if not written.isdecimal():
        raise DataFolderError(
            f"its {_FILE} holds {written!r} instead of a number",
            name=str(path),
            mend="Restore the file, or name another folder in ASKONTO_DATA",
        )
    if int(written) > VERSION:
        raise DataFolderError(
            f"was written by a newer askonto (layout {written}, this one knows {VERSION})",
            name=str(path),
            mend="Update askonto, or name another folder in ASKONTO_DATA",
        )
