"""What the pages' templates need: the reader's language, marked citations, safe links."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from flask import Flask, request
from markupsafe import Markup, escape

from service.web.wording import WORDING

_MARKER = re.compile(r"\[(\d{1,3})\]")


def register(app: Flask) -> None:
    """Make the filters and the wording known to the templates."""
    app.add_template_filter(cited)
    app.add_template_filter(safe_link)
    app.context_processor(lambda: {"ui": reader_language(), "say": WORDING[reader_language()]})


def wants_page() -> bool:
    """Whether the client is a browser, which prefers HTML to JSON."""
    best = request.accept_mimetypes.best_match(
        ["application/problem+json", "application/json", "text/html"]
    )
    return best == "text/html"


def reader_language() -> str:
    """The page's own language: what the browser asks for, of those that there are."""
    return request.accept_languages.best_match(list(WORDING)) or "en"


def cited(text: str) -> Markup:
    """The escaped text, its [n] linked to the citations below it."""
    linked = _MARKER.sub(r'<a class="mark" href="#citation-\1">[\1]</a>', str(escape(text)))
    return Markup(linked)  # noqa: S704 - escaped in the line above


def safe_link(address: str) -> str:
    """The address where it is an http(s) URL, else nothing."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and parts.netloc else ""
