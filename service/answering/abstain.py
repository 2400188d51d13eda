"""What is said where graph and documents do not tell: that, and what is known instead."""

from __future__ import annotations

from service.answering.evidence import statement
from service.answering.question import Question
from service.answering.reply import FactAnswer, PassageAnswer

_MOST = 3
_WORDING = {
    "it": ("I dati caricati non lo dicono.", "Si sa però: "),
    "en": ("The loaded data do not tell.", "What is known: "),
    "de": ("Die geladenen Daten sagen es nicht.", "Bekannt ist: "),
    "fr": ("Les données chargées ne le disent pas.", "Ce que l'on sait : "),
    "es": ("Los datos cargados no lo dicen.", "Se sabe, en cambio: "),
}


def abstention(question: Question, facts: FactAnswer, passages: PassageAnswer) -> str:
    """The words, in the question's language (English where it is none of ours)."""
    untold, known = _WORDING.get(question.language, _WORDING["en"])
    statements = [statement(fact) for fact in facts.context[:_MOST]]
    if statements and facts.entities:
        return f"{untold} {known}{'; '.join(statements)}."
    if passages.passages:
        return f"{untold} {known}“{passages.passages[0].title}”."
    return untold
