"""XML's entities: those that Protégé writes for namespaces pass, those that explode do not."""

from __future__ import annotations

import re
from xml.parsers import expat

from ontology.errors import InputError

_ENTITIES = 256
_VALUE = 1_000
_GROWTH = 20_000_000
_START = re.compile(r"\A(?:\s|<\?.*?\?>|<!--.*?-->)*(?=<!DOCTYPE)", re.DOTALL)
_PIECE = re.compile(r"<!--.*?-->|\"[^\"]*\"|'[^']*'|[\[\]>]", re.DOTALL)
_DECLARATION = re.compile(
    r"<!ENTITY\s+(?P<name>[\w.-]+)\s+(?P<value>\"[^\"]*\"|'[^']*')\s*>", re.DOTALL
)
_ENCODING = re.compile(r"\A(<\?xml[^>]*?)\s+encoding\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


class BrokenXml(InputError):
    """XML that is not well formed, nested too deeply, or made to explode."""


def checked(data: bytes, *, name: str, depth: int) -> str:
    """The document as text, well formed, its entities plain and its lines where they were.

    Raises BrokenXml for entities that are nested, external, parameters or too many, for elements
    nested deeper than `depth`, and for whatever expat calls not well formed.
    """
    text = _plain(_decoded(data, name), name)
    _check_form(text, name, depth)
    return text


def _decoded(data: bytes, name: str) -> str:
    found = _ENCODING.match(data[:200].decode("latin-1"))
    encoding = (found and (found[2] or found[3])) or "utf-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif data.startswith(b"\xef\xbb\xbf"):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise BrokenXml(
            f"its bytes are not {encoding}",
            name=name,
            place=f"line {line}",
            mend="Save it as UTF-8",
        ) from None
    return _ENCODING.sub(r"\1", text, count=1)


def _plain(text: str, name: str) -> str:
    start = _START.match(text)
    if start is None:
        return text
    end = _end(text, start.end(), name)
    doctype = text[start.end() : end]
    entities = _entities(doctype, name, text.count("\n", 0, start.end()) + 1)
    growth = sum(text.count(f"&{key};") * len(value) for key, value in entities.items())
    if growth > _GROWTH + 10 * len(text):
        raise BrokenXml("its entities make it explode", name=name, mend="Save it without entities")
    declared = "".join(f"<!ENTITY {key} {_quoted(value)}>" for key, value in entities.items())
    root = doctype.split(None, 2)[1].split("[")[0].rstrip(">") or "root"
    lines = "\n" * doctype.count("\n")
    return f"{text[: start.end()]}<!DOCTYPE {root} [{declared}{lines}]>{text[end:]}"


def _end(text: str, start: int, name: str) -> int:
    depth = 0
    for piece in _PIECE.finditer(text, start):
        depth += {"[": 1, "]": -1}.get(piece[0], 0)
        if piece[0] == ">" and depth == 0:
            return piece.end()
    line = text.count("\n", 0, start) + 1
    raise BrokenXml(
        "its DOCTYPE does not end", name=name, place=f"line {line}", mend="Close it with ]>"
    )


def _entities(doctype: str, name: str, line: int) -> dict[str, str]:
    subset = re.sub(
        r"<!--.*?-->", "", doctype.partition("[")[2].rpartition("]")[0], flags=re.DOTALL
    )
    found = {one["name"]: one["value"][1:-1] for one in _DECLARATION.finditer(subset)}
    plain = all(not set(value) & set("&%<") and len(value) <= _VALUE for value in found.values())
    if _DECLARATION.sub("", subset).strip() or not plain or len(found) > _ENTITIES:
        raise BrokenXml(
            "its DOCTYPE holds more than short plain entities: nested, external or broken ones",
            name=name,
            place=f"line {line}",
            mend="Only entities for namespaces are read: save it without the others",
        )
    return found


def _quoted(value: str) -> str:
    return '"' + value.replace('"', "&#34;") + '"'


def _check_form(text: str, name: str, limit: int) -> None:
    parser = expat.ParserCreate("utf-8")
    depth = 0

    def start(_tag: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limit:
            raise BrokenXml(
                f"its elements are nested deeper than {limit} levels",
                name=name,
                place=f"line {parser.CurrentLineNumber}",
                mend="Save it as Turtle",
            )

    def end(_tag: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise BrokenXml(
            f"is not well-formed XML: {expat.ErrorString(error.code)}",
            name=name,
            place=f"line {error.lineno}, column {error.offset + 1}",
            mend="Mend that place, or save the file again",
        ) from None
