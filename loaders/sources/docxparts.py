"""The parts of a DOCX file, unpacked within limits and parsed without entities."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass

from lxml import etree

from loaders.sources.limits import Limits
from ontology.errors import InputError

MAIN = re.compile(r"word/document\d*\.xml")
_ENTRIES = 10_000  # of the archive; a directory alone may fill the memory
_LOCKED = 0x1  # the bit of an entry that needs a password
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_AGAIN = "Open it and save it anew"


@dataclass(slots=True)
class Parts:
    """The parts by name; together no more than `left` bytes are unpacked."""

    archive: zipfile.ZipFile
    name: str
    left: int

    @classmethod
    def from_bytes(cls, data: bytes, name: str, limits: Limits) -> Parts:
        """The archive; raises InputError where it is broken, or holds too many parts."""
        if data.count(b"PK\x01\x02") > _ENTRIES:
            raise InputError(f"holds more than {_ENTRIES:,} parts", name=name, mend=_AGAIN)
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
            raise _broken(f"its ZIP archive is broken ({error})", name) from None
        return cls(archive, name, limits.document_bytes)

    def main(self) -> etree._Element:
        """The text; raises InputError where there is none."""
        for name in self.archive.namelist():
            if MAIN.fullmatch(name) and (root := self.part(name)) is not None:
                return root
        raise _broken("its text is missing", self.name)

    def part(self, name: str) -> etree._Element | None:
        """The root of a part, None where there is no such part; raises InputError for a bad one."""
        try:
            entry = self.archive.getinfo(name)
        except KeyError:
            return None
        return _parsed(self._unpacked(entry), name, self.name)

    def _unpacked(self, entry: zipfile.ZipInfo) -> bytes:
        if entry.flag_bits & _LOCKED:
            raise InputError("password needed", name=self.name, mend="Save it without a password")
        if entry.compress_type not in _READABLE:
            raise _broken("it is packed in an unknown way", self.name)
        try:
            with self.archive.open(entry) as packed:
                data = packed.read(self.left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise _broken(f"its part {entry.filename} is broken ({error})", self.name) from None
        self.left -= len(data)
        if self.left < 0:
            raise InputError("unpacks to too many bytes", name=self.name, mend="Split it")
        return data


def _parsed(data: bytes, part: str, name: str) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _broken(f"its part {part} is no XML ({error})", name) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _broken(f"its part {part} declares a document type", name)
    return root


def _broken(reason: str, name: str) -> InputError:
    return InputError(reason, name=name, mend=_AGAIN)
