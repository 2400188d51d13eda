"""The one base of askonto's errors, and the leaf that every layer shares."""

from __future__ import annotations


class AskontoError(Exception):
    """A fault told in one line: the input's name, the place in it, the reason and the mend."""

    def __init__(self, reason: str, *, name: str = "", place: str = "", mend: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.name = name
        self.place = place
        self.mend = mend

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.name, self.place) if part)
        line = f"{where}: {self.reason}" if where else self.reason
        return f"{line}. {self.mend}" if self.mend else line


class InputError(AskontoError):
    """What the caller gave (a file, a question, a setting, a query) cannot be used as it is."""
