"""Prompts: text files with slots in double braces, checked when they are loaded."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files

from ontology.errors import AskontoError

_SLOT = re.compile(r"\{\{(\w+)\}\}")


class PromptError(AskontoError):
    """A prompt whose slots are not those that its code fills."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text; `{{question}}` is the slot `question`."""

    name: str
    text: str

    @classmethod
    def from_package(cls, package: str, name: str, slots: Collection[str]) -> Prompt:
        """Load `prompts/name.txt` of a package; a missing or unknown slot is a PromptError."""
        text = files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
        found = set(_SLOT.findall(text))
        if odd := found ^ set(slots):
            raise PromptError(f"slots that do not fit: {', '.join(sorted(odd))}", name=name)
        return cls(name, text.strip())

    def fill(self, **values: str) -> str:
        """Put the values into the slots, as they are: what looks like a slot in them stays."""
        return _SLOT.sub(lambda slot: values[slot[1]], self.text)
