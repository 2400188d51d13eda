"""What the elements of HTML do to the text in them."""

from __future__ import annotations

from lxml.html import HtmlElement

from loaders.text.clean import collapse

UNSEEN = frozenset(
    "script style noscript template svg math canvas iframe object embed audio video map head title "
    "select option datalist textarea input progress meter".split()
)
BREAKS = frozenset(
    "address article aside blockquote body button caption center dd details dialog div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
LEVELS = {f"h{level}": level for level in range(1, 7)} | {"summary": 7, "button": 7, "dt": 8}


def text_of(element: HtmlElement) -> str:
    """The text in an element on one line, a space where a reader sees a new line."""
    return collapse("".join(_pieces(element)))


def _pieces(element: HtmlElement) -> list[str]:
    pieces = [element.text or ""]
    for child in element:
        apart = child.tag in BREAKS or child.tag == "br"
        pieces += [" ", *_pieces(child), " "] if apart else _pieces(child)
        pieces.append(child.tail or "")
    return pieces
