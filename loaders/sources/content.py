"""A file's bytes, unpacked, within the limits."""

from __future__ import annotations

import stat
import zlib
from pathlib import Path

from loaders.sources.limits import Limits
from ontology.errors import InputError

_GZIP = b"\x1f\x8b"
_RATIO = 200
_FREE = 50_000_000


class Unreadable(InputError):
    """A file whose bytes cannot be had."""


def read_file(path: Path, name: str, limits: Limits) -> bytes:
    """The file's content, unpacked where it is gzip."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("is no regular file", name=name, mend="Name a file")
        if about.st_size > limits.rdf_bytes:
            raise too_large(limits.rdf_bytes, name)
        return unpacked(path.read_bytes(), name, limits)
    except OSError as error:
        raise Unreadable(
            f"cannot be read: {error.strerror}", name=name, mend="Check its permissions"
        ) from None


def unpacked(data: bytes, name: str, limits: Limits) -> bytes:
    """The content of gzip data, and any other data as they are; Unreadable for a bomb."""
    if not data.startswith(_GZIP):
        return data
    limit = min(limits.rdf_bytes, max(_FREE, _RATIO * len(data)))
    parts = []
    try:
        while data.startswith(_GZIP):
            member = zlib.decompressobj(31)
            parts.append(member.decompress(data, limit + 1))
            limit -= len(parts[-1])
            if limit < 0:
                raise too_large(sum(map(len, parts)) - 1, name)
            if not member.eof:
                raise Unreadable("its gzip ends too early", name=name, mend="Copy it again")
            data = member.unused_data
    except zlib.error as error:
        raise Unreadable(f"its gzip is broken: {error}", name=name, mend="Copy it again") from None
    return b"".join(parts)


def too_large(limit: int, name: str) -> Unreadable:
    """The refusal of what holds more bytes than are read."""
    return Unreadable(
        f"holds more than {limit // 1_000_000:,} MB", name=name, mend="Split it, and load the parts"
    )
