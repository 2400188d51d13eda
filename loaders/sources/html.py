"""HTML pages into blocks: content without menus, footers, link lists and repetitions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from datetime import date

import trafilatura
from lxml import etree, html
from lxml.html import HtmlElement

from loaders.sources.markup import LEVELS, UNSEEN, text_of
from loaders.sources.reading import Reading
from loaders.sources.walk import Walk
from loaders.text.blocks import Block, Kind
from loaders.text.clean import collapse, decode

_MENU_TAGS = frozenset("nav footer menu dialog form".split())
_MENU_ROLES = frozenset(
    "navigation banner contentinfo search dialog alertdialog menu menubar".split()
)
_MENU_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|megamenu|submenu|breadcrumbs?|cookies?|cookiebar|"
    r"consent|footer|sidebar|share|sharing|social|newsletter|skip|skiplinks?|pagination|pager|"
    r"related|recommended|comments|login|popup|modal|offcanvas)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MOST = 0.5  # of a page's text that an element taken for a menu may hold
_LINKED = 0.7  # of a list's text inside links: a list of links
_LARGE = 30_000  # elements of a page that is too large to ask trafilatura about
_TAIL = 0.15  # of a page's text that may follow its content
_KNOWN = 0.5  # of a page's text that trafilatura must find before its end is believed
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DATE = 40  # characters of an element that may be a date and no more
_SHORT = 80  # characters of a link that may be one of a menu


def read(data: bytes) -> Reading:
    """The content of a page; no blocks where it has none."""
    text = decode(data)
    tree = _tree(text)
    if tree is None:
        return Reading(())
    meta = trafilatura.extract_metadata(_about_itself(tree), extensive=False)
    language = tree.get("lang") or tree.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    small = sum(1 for _ in tree.iter()) < _LARGE
    content = trafilatura.extract(text, favor_recall=True, include_comments=False) if small else ""
    _drop_menus(tree)
    blocks = Walk(links=False).blocks(tree)
    return Reading(
        _without_repetitions(_trimmed(blocks, collapse(content or ""))),
        title=collapse((meta and meta.title) or ""),
        url=(meta and meta.url) or "",
        language=language.split("-")[0].lower(),
        publisher=collapse((meta and meta.sitename) or ""),
        issued=_date(meta.date if meta else None),
    )


def _tree(text: str) -> HtmlElement | None:
    # lxml refuses a str with an encoding declaration, and the text is decoded already.
    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", text).replace("\x00", "")
    if not source.strip():
        return None
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    return html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)


def _about_itself(tree: HtmlElement) -> HtmlElement:
    """What a page tells of itself: its head, data in scripts, main headings and dates.

    Asked about all of it, trafilatura looks longer for an author than for all the text.
    """
    page = html.Element("html")
    body = html.Element("body")
    for head in tree.iter("head"):
        page.append(deepcopy(head))
    for root in tree.iter("body"):
        body.extend(deepcopy(part) for part in root.iter(etree.Element) if _tells(part))
    page.append(body)
    return page


def _tells(element: HtmlElement) -> bool:
    text = element.text or ""
    dated = not len(element) and len(text) <= _DATE and _YEAR.search(text) is not None
    return dated or element.tag in ("script", "h1", "time")


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _drop_menus(tree: HtmlElement) -> None:
    """Takes unseen elements, menus, banners and lists of links out of the tree."""
    for element in list(tree.iter()):
        if element.tag in UNSEEN and element.getparent() is not None:
            element.drop_tree()
    most = _MOST * len(tree.text_content())
    for element in list(tree.iter(etree.Element)):
        if element.getparent() is None or element.tag in ("html", "body", "main"):
            continue
        if _is_menu(element) and len(element.text_content()) <= most:
            element.drop_tree()


def _is_menu(element: HtmlElement) -> bool:
    if element.tag in ("ul", "ol"):
        return _is_link_list(element)
    named = f"{element.get('class', '')} {element.get('id', '')}"
    menu = (
        element.tag in _MENU_TAGS
        or element.get("role", "").lower() in _MENU_ROLES
        or (element.tag == "header" and not element.xpath("ancestor::main | ancestor::article"))
        or (element.tag == "aside" and not element.xpath("ancestor::main"))
        or (element.tag not in LEVELS and _MENU_NAMES.search(named) is not None)
    )
    return menu and next(element.iter("h1"), None) is None


def _is_link_list(element: HtmlElement) -> bool:
    links = [len(text_of(link)) for link in element.iter("a")]
    if len(links) < 3:
        return False
    whole = len(text_of(element)) or 1
    if sum(links) / whole <= _LINKED or sum(links) / len(links) >= _SHORT:
        return False
    return not _words_before(element).endswith(":")


def _words_before(element: HtmlElement) -> str:
    """The last words that stand before an element."""
    node = element
    while (parent := node.getparent()) is not None:
        before = node.getprevious()
        if before is None:
            words, node = collapse(parent.text or ""), parent
        else:
            words, node = collapse(before.tail or "") or text_of(before), before
        if words:
            return words
    return ""


def _trimmed(blocks: Sequence[Block], content: str) -> Sequence[Block]:
    """The blocks from the page's title to the end of what trafilatura takes for its content.

    Long blocks before the title stay; so does the end where trafilatura found only a part.
    """
    title = next((at for at, block in enumerate(blocks) if block.level == 1), 0)
    kept = [b for at, b in enumerate(blocks) if at >= title or len(b.text) >= _SHORT]
    end = len(kept)
    while end and (kept[end - 1].level or kept[end - 1].text[:_SHORT] not in content):
        end -= 1
    whole = sum(len(b.text) for b in kept)
    tail = sum(len(b.text) for b in kept[end:])
    believed = len(content) > _KNOWN * whole and tail < _TAIL * whole
    return kept[:end] if believed else kept


def _without_repetitions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, without the second of two long equal ones and short ones said three times."""
    times = Counter(block.text for block in blocks if block.kind is not Kind.ROW)
    seen: set[str] = set()
    kept = []
    for block in blocks:
        again = block.text in seen and len(block.text) >= _SHORT
        if not again and not (times[block.text] > 2 and block.kind is Kind.PARAGRAPH):
            kept.append(block)
            seen.add(block.text)
    return tuple(kept)
