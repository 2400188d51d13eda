"""What a caller wants loaded: files, folders, patterns, URLs and lists, as single items."""

from __future__ import annotations

import csv
import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from loaders.receipt import Refusal
from ontology.errors import InputError
from queries.terms import named

_COLUMNS = ("file", "url")


class AddressError(InputError):
    """A path, URL or list that leads to nothing loadable."""


@dataclass(frozen=True, slots=True)
class Item:
    """One source: its address, the path to read it from (None: fetch it), and what is known of it.

    `found` says that nobody named it: it was met in a folder, or matches a pattern.
    """

    address: str
    path: Path | None = None
    url: str = ""
    title: str = ""
    language: str = ""
    found: bool = False

    @property
    def name(self) -> str:
        """What people call it: the path where there is one, else the URL."""
        return shown(str(self.path)) if self.path else self.address


def items(text: str) -> Iterator[Item | Refusal]:
    """What a path, pattern or URL stands for; a folder's files one by one, without hidden ones."""
    if _is_pattern(text):
        yield from _matching(text)
        return
    try:
        if is_web(text):
            yield Item(address=named(text).value, url=text)
            return
        path = _real(text)
    except InputError as error:
        yield Refusal(shown(text), error)
        return
    if path.is_dir():
        yield from _folder(path)
    else:
        yield Item(address=path.as_uri(), path=path)


def listed(file: Path) -> Iterator[Item | Refusal]:
    """What a list names: an address a line, or rows of a TSV.

    Addresses are paths, patterns and URLs; empty lines and those that begin with # are none. A TSV
    has the columns file and url, and perhaps title and language. Paths start at the list's folder.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            lines = opened.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AddressError(f"cannot be read: {error}", name=str(file), mend="Mend it") from None
    if set(_COLUMNS) <= set(lines[0].split("\t") if lines else ()):
        yield from _rows(file, lines)
        return
    addresses = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not addresses or any("\t" in line or "\0" in line for line in addresses):
        raise AddressError(
            "is no list of sources",
            name=str(file),
            place="line 1",
            mend="Give it an address a line, or tab-separated columns, file and url, named in the "
            "first line",
        )
    for address in addresses:
        plain = is_web(address) or address.startswith(("file://", "~"))
        yield from items(address if plain else str(file.parent / address))


def _rows(file: Path, lines: Sequence[str]) -> Iterator[Item | Refusal]:
    try:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    except csv.Error as error:
        raise AddressError(f"cannot be read: {error}", name=str(file), mend="Mend it") from None
    for number, row in enumerate(rows, 2):
        try:
            yield _row(file, row)
        except AddressError as error:
            error.place = f"line {number}"
            yield Refusal(f"{file}, line {number}", error)


def address_of(text: str) -> str:
    """The address under which a path or URL is loaded."""
    return text if is_web(text) or text.startswith("file://") else _real(text).as_uri()


def is_web(text: str) -> bool:
    """Whether it is an absolute URL, of whatever scheme but file."""
    return "://" in text and not text.lower().startswith("file://")


def shown(text: str) -> str:
    """The text as it can be printed, whatever bytes a file's name has."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\0")


def _real(text: str) -> Path:
    try:
        path = Path(text.removeprefix("file://")).expanduser().resolve()
        if path.exists():
            return path
    except (OSError, ValueError, RuntimeError):
        pass
    raise AddressError("is not there", name=shown(text), mend="Check its name")


def _resolved(path: str | Path) -> Path:
    """The path without links; where they lead round in a circle, one that cannot be read."""
    return Path(os.path.realpath(path))


def _is_pattern(text: str) -> bool:
    """Whether it has wildcards and is not the very name of something."""
    wild = glob.has_magic(text) and not is_web(text) and "\0" not in text
    return wild and not os.path.lexists(text.removeprefix("file://"))


def _matching(pattern: str) -> Iterator[Item | Refusal]:
    """The files that match, and those of matching folders; with `**` only the files that match."""
    expanded = os.path.expanduser(pattern.removeprefix("file://"))  # noqa: PTH111
    found = sorted(glob.glob(expanded, recursive=True))  # noqa: PTH207
    paths = list(dict.fromkeys(map(_resolved, found)))
    if "**" in pattern:
        paths = [path for path in paths if not path.is_dir()]
    if not paths:
        error = AddressError("matches nothing", name=shown(pattern), mend="Check the pattern")
        yield Refusal(shown(pattern), error)
    for path in paths:
        if path.is_dir():
            yield from _folder(path)
        else:
            yield Item(address=path.as_uri(), path=path, found=True)


def _folder(folder: Path) -> Iterator[Item | Refusal]:
    empty = True
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in files if not name.startswith(".")):
            empty = False
            yield _found(folder, Path(parent) / name)
    if empty:
        error = AddressError("is an empty folder", name=str(folder), mend="Put files into it")
        yield Refusal(str(folder), error)


def _found(folder: Path, path: Path) -> Item | Refusal:
    real = _resolved(path)
    if not real.is_relative_to(folder):
        error = AddressError(
            "is a link that leads out of the folder",
            name=shown(str(path)),
            mend="Name what it leads to, if that is to be loaded",
        )
        return Refusal(shown(str(path)), error)
    return Item(address=real.as_uri(), path=real, found=True)


def _row(file: Path, row: Mapping[str, str | None]) -> Item:
    name, url = (str(row.get(column) or "").strip() for column in _COLUMNS)
    if not name:
        raise AddressError("names no file", name=str(file), mend="Fill the column file")
    if url and not _is_citable(url):
        raise AddressError(
            f"its url {url!r} is none of http or https", name=name, mend="Correct or empty it"
        )
    path = _real(str(file.parent / name))
    return Item(
        address=url or path.as_uri(),
        path=path,
        url=url,
        title=str(row.get("title") or "").strip(),
        language=str(row.get("language") or "").strip(),
    )


def _is_citable(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    plain = not set(url) & set('<>"{}|\\^` ') and url.isprintable()
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)
