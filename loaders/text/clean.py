"""Bytes to text, and text without what no reader sees."""

from __future__ import annotations

import codecs
import re
import unicodedata

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
# Letters that fonts draw as one: only these are taken apart, so that "m²" and "½" stay.
_LIGATURES = {ord(c): unicodedata.normalize("NFKC", c) for c in "ﬀﬁﬂﬃﬄﬅﬆ"}
_UNSEEN = {
    **dict.fromkeys([*range(0x00, 0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0)]),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffe\uffff")),
    **dict.fromkeys(range(0xD800, 0xE000)),
    ord("\x0b"): "\n",
    ord("\x0c"): "\n",
    ord("\x1c"): " ",
}
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")


def decode(data: bytes) -> str:
    """Text of bytes in the charset they show: byte order mark, UTF-8, declaration, windows-1252."""
    for mark, charset in _BOMS:
        if data.startswith(mark):
            return data.decode(charset, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_other(data)


def _decode_other(data: bytes) -> str:
    head = data[:4096]
    declared = _META.search(head) or _XML.search(head)
    if declared:
        name = declared.group(1).decode("ascii")
        try:
            charset = codecs.lookup(name).name
        except LookupError:
            charset = "cp1252"
        # As browsers do: what calls itself Latin-1 is windows-1252, and UTF-8 has been tried.
        wide = charset in ("iso8859-1", "ascii")
        return data.decode("cp1252" if wide else charset, "replace")
    return data.decode("cp1252", "replace")  # what most Western files without a declaration are


def clean(text: str) -> str:
    """The text without control, invisible and private-use characters; ligatures as letters."""
    if text.isascii() and text.isprintable():  # nearly all text, and nothing to do
        return text
    return _PRIVATE.sub("", text).translate(_UNSEEN).translate(_LIGATURES)


def collapse(text: str) -> str:
    """`clean(text)` on one line, single spaces."""
    return _SPACE.sub(" ", clean(text)).strip()


def spoiled(text: str) -> bool:
    """Whether the text holds characters that stand for others which are lost."""
    return "\x00" in text or "\ufffd" in text or _PRIVATE.search(text) is not None
