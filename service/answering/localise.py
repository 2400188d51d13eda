"""An extract put into the asker's language as far as its words are known in both."""

from __future__ import annotations

from collections.abc import Iterable

from service.answering.glossary import Glossary
from service.answering.lexicon import Lexicon

_SURE = 0.55  # cosine from which a document's word is taken for the question's


def localised(
    text: str, source: str, target: str, pairs: Iterable[tuple[str, str, float]] = ()
) -> str:
    """The text with dates, measures and the question's own words in the target language.

    `pairs` are words of the document, of the question, and how alike they are.
    """
    if source == target:
        return text
    near = [(own, asked) for own, asked, likeness in pairs if _SURE <= likeness < 1.0]
    measured = Lexicon.between(source, target).translate(text)
    return Glossary.between(source, target).with_entries(near).translate(measured)
