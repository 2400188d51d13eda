"""An extract made readable for who asks in another language, as far as its words are known."""

from __future__ import annotations

from collections.abc import Iterable

from service.answering.glossary import Glossary
from service.answering.lexicon import Lexicon

_SURE = 0.55  # cosine from which a document's word is taken for the question's
_GLOSSES = 3
_SHORT = 5  # words of a text that is put into the other language word by word

Pairs = Iterable[tuple[str, str, float]]


def localised(text: str, source: str, target: str, pairs: Pairs = ()) -> str:
    """The text with dates and measures in the target language, and its main words explained.

    A few words are replaced; a sentence keeps its own, and what they mean follows in brackets.
    `pairs` are words of the document, of the question, and how alike they are.
    """
    if source == target:
        return text
    near = [(own, asked) for own, asked, likeness in pairs if _SURE <= likeness < 1.0]
    glossary = Glossary.between(source, target).with_entries(near)
    lexicon = Lexicon.between(source, target)
    if len(text.split()) <= _SHORT:
        return glossary.translate(lexicon.translate(text))
    measured = lexicon.translate_measures(text)
    told = {own.lower(): words[0] for own, words in glossary.found(text).items()}
    told = {own: word for own, word in told.items() if own != word.lower()}
    longest = sorted(told, key=lambda own: (-len(own.split()), -len(own)))[:_GLOSSES]
    glosses = "; ".join(f"{own}: {told[own]}" for own in told if own in longest)
    return f"{measured} ({glosses})" if glosses else measured
