"""A file of N-Quads, packed or not: read in blocks of whole lines, checked, sealed.

The seal is a comment in the last line, so that every other program reads the file as it is:
`# askonto backup: 1200 quads, sha256 …`, the checksum being that of all bytes before it.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pyoxigraph import DefaultGraph, RdfFormat, parse

from ontology.errors import InputError

Progress = Callable[[str, int, int], None]

_BLOCK = 1 << 20
_LONGEST = 100_000_000  # bytes of a line
_SEAL = re.compile(rb"# askonto backup: (\d+) quads, sha256 ([0-9a-f]{64})\n?\Z")
_DAMAGED = "Take another copy of it"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds: statements, those of them in named graphs, and its bytes' checksum.

    `sealed` says that it ends with a seal, which is true.
    """

    quads: int
    named: int
    sha256: str
    sealed: bool


def seal(quads: int, sha256: str) -> bytes:
    """The last line of a file with that many statements and that checksum before it."""
    return f"# askonto backup: {quads} quads, sha256 {sha256}\n".encode()


def checked(path: Path, progress: Progress, each: Callable[[bytes], None]) -> Contents:
    """Parse a whole file and compare it with its seal; an InputError where anything is wrong.

    `each` is handed every block.
    """
    reader = _Reader(path, progress, each)
    quads = named = 0
    default = DefaultGraph()
    try:
        for quad in parse(reader, format=RdfFormat.N_QUADS):  # type: ignore[arg-type]
            quads += 1
            named += quad.graph_name != default
    except SyntaxError as error:
        line = f"line {error.lineno}" if error.lineno else ""
        raise InputError(f"is no N-Quads ({error.msg})", name=str(path), place=line) from None
    contents = Contents(quads, named, reader.blocks.sha256, reader.blocks.seal is not None)
    if contents.sealed and reader.blocks.seal != (quads, contents.sha256):
        raise InputError(
            "does not hold what was written: count or checksum differ from its last line",
            name=str(path),
            mend=_DAMAGED,
        )
    return contents


class Blocks:
    """The blocks of a file without its seal; the checksum and the seal when all are read."""

    def __init__(self, path: Path, progress: Callable[[int, int], None]) -> None:
        self._path = path
        self._progress = progress
        self._hash = hashlib.sha256()
        self.seal: tuple[int, str] | None = None

    @property
    def sha256(self) -> str:
        """Checksum of what was read until now."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        size = self._path.stat().st_size
        with self._path.open("rb") as file, _unpacked(file) as lines:
            for block in self._read(lines):
                self._progress(file.tell(), size)
                self._hash.update(block)
                yield block

    def _read(self, lines: IO[bytes]) -> Iterator[bytes]:
        try:
            while block := lines.read(_BLOCK) + (rest := lines.readline(_LONGEST)):
                if len(rest) == _LONGEST:
                    raise InputError(
                        f"has a line of more than {_LONGEST:,} bytes",
                        name=str(self._path),
                        mend="Is it N-Quads?",
                    )
                if self.seal:
                    raise InputError("goes on after its last line", name=str(self._path))
                if found := _SEAL.search(block):
                    self.seal = int(found[1]), found[2].decode()
                    block = block[: found.start()]
                yield block
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(
                f"is cut or damaged ({error})", name=str(self._path), mend=_DAMAGED
            ) from None


class _Reader:
    """Hands the blocks to the parser in the sizes that it wants."""

    def __init__(self, path: Path, progress: Progress, each: Callable[[bytes], None]) -> None:
        self.blocks = Blocks(path, lambda done, size: progress("checking", done, size))
        self._each = each
        self._left = iter(self.blocks)
        self._rest = memoryview(b"")

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            block = next(self._left, b"")
            self._each(block)
            self._rest = memoryview(block)
        taken, self._rest = self._rest[:size], self._rest[size:]
        return bytes(taken)


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return gzip.open(file) if packed else file  # type: ignore[return-value]
