"""XML made safe to parse: Protégé's entities for namespaces pass, those that explode do not."""

from __future__ import annotations

import re
from xml.parsers import expat

_ENTITIES = 50
_VALUE = 1_000
_DEPTH = 200
_ENCODING = re.compile(r"\A(\s*<\?xml[^>]*?)\s+encoding\s*=\s*[\"']([\w.-]+)[\"']")
_SINGLE_QUOTED = re.compile(r"(<!ENTITY\s+[\w.-]+\s+)'([^'\"]*)'(\s*>)")


class UnsafeXmlError(ValueError):
    """XML that is broken, nested too deeply or made to explode; `line` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def checked(data: bytes) -> bytes:
    """The document in UTF-8, well formed, with plain entities only, its lines where they were."""
    text = _decoded(data)
    _Check(text)
    return _SINGLE_QUOTED.sub(r'\1"\2"\3', text).encode()


def _decoded(data: bytes) -> str:
    declared = _ENCODING.match(data[:200].decode("latin-1"))
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    encoding = "utf-16" if wide else declared[2] if declared else "utf-8"
    try:
        text = data.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding)
    except (LookupError, UnicodeError) as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise UnsafeXmlError(f"its bytes are not {encoding}", line) from None
    return _ENCODING.sub(r"\1", text)


class _Check:
    def __init__(self, text: str) -> None:
        self._depth = self._entities = 0
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.EntityDeclHandler = self._declared
        parser.StartElementHandler = self._opened
        parser.EndElementHandler = self._closed
        try:
            parser.Parse(text.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            reason = f"is not well-formed XML: {expat.ErrorString(error.code)}"
            raise UnsafeXmlError(reason, error.lineno) from None

    def _declared(self, _name: str, parameter: int, value: str | None, *_more: str | None) -> None:
        self._entities += 1
        plain = not parameter and value is not None and len(value) <= _VALUE
        if not plain or "&" in (value or "") or self._entities > _ENTITIES:
            reason = "declares entities that are nested, external, too long or too many"
            raise UnsafeXmlError(reason, self._parser.CurrentLineNumber)

    def _opened(self, _name: str, _attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEPTH:
            reason = f"nests deeper than {_DEPTH} elements"
            raise UnsafeXmlError(reason, self._parser.CurrentLineNumber)

    def _closed(self, _name: str) -> None:
        self._depth -= 1
