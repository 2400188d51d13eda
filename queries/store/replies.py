"""What a store's HTTP status means."""

from __future__ import annotations

import re

import httpx

from queries.store.errors import StoreError, StoreFull, StoreRefused, StoreTimeout, StoreUnavailable

_NO_SPACE = re.compile("no space left|disk full|quota exceeded", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
_REASON_LENGTH = 300


def check(response: httpx.Response) -> None:
    """Raise the error that a status outside 200–299 stands for, in the store's own words."""
    if response.is_success:
        return
    response.read()
    status = response.status_code
    reason = _reason(response)
    if _NO_SPACE.search(reason):
        raise StoreFull("no disk space is left to write with", name="store", mend="Free some")
    if status in {401, 403}:
        raise StoreRefused(
            f"it refuses this user ({status})",
            status=status,
            name="store",
            mend="Check the store's user and password in the settings",
        )
    if status == 504 or (status == 503 and "time" in reason.lower()):
        raise StoreTimeout(f"it stopped the call ({reason})", name="store")
    if status in {502, 503}:
        raise StoreUnavailable(f"it is not ready ({status}: {reason})", name="store")
    if status >= 500:
        raise StoreError(f"it failed ({status}: {reason})", name="store")
    raise StoreRefused(reason, status=status, name="store")


def _reason(response: httpx.Response) -> str:
    """The reply's text in one line, without markup."""
    text = response.content.decode("utf-8", "replace")
    if "html" in response.headers.get("content-type", ""):
        text = _MARKUP.sub(" ", text)
    line = " ".join(text.split())
    return line[:_REASON_LENGTH] or response.reason_phrase
