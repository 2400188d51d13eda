"""A question as it is asked: its words, language, date and place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Question:
    """The text, its language (ISO 639-1), the day it is asked for and the place (IRI) or None."""

    text: str
    language: str
    as_of: date
    place: str | None = None
