"""What is said where graph and documents do not tell: that, and what is known instead."""

from __future__ import annotations

from dataclasses import dataclass

from ontology.vocabulary import RDFS, SKOS
from service.answering.question import Question
from service.answering.reply import Fact, FactAnswer, PassageAnswer
from service.answering.validity import Asked

_MOST = 3
_NAMED = 0.6  # surety from which a name is what the question speaks of
_SHORT = 90  # characters of a thing that is told
_NAMING = {RDFS.label.value, SKOS.prefLabel.value}


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's words: `known` has the slot {entity}, `nearest` the slot {title}."""

    untold: str
    known: str
    nearest: str


_WORDING = {
    "it": Wording(
        "I dati caricati non lo dicono.",
        "Su {entity} si sa però:",
        "Il documento più vicino è “{title}”.",
    ),
    "en": Wording(
        "The loaded data do not tell.",
        "What is known of {entity}:",
        "The nearest document is “{title}”.",
    ),
    "de": Wording(
        "Die geladenen Daten sagen es nicht.",
        "Bekannt ist über {entity}:",
        "Am nächsten kommt das Dokument „{title}“.",
    ),
    "fr": Wording(
        "Les données chargées ne le disent pas.",
        "Ce que l'on sait de {entity} :",
        "Le document le plus proche est « {title} ».",
    ),
    "es": Wording(
        "Los datos cargados no lo dicen.",
        "De {entity} se sabe:",
        "El documento más cercano es «{title}».",
    ),
}


def abstention(question: Question, facts: FactAnswer, passages: PassageAnswer) -> str:
    """The words, in the question's language (English where it is none of ours)."""
    wording = _WORDING.get(question.language, _WORDING["en"])
    entity, told = _known(question, facts)
    if told:
        return f"{wording.untold} {wording.known.format(entity=entity)} {'; '.join(told)}."
    if passages.passages and passages.passages[0].title:
        return f"{wording.untold} {wording.nearest.format(title=passages.passages[0].title)}"
    return wording.untold


def _known(question: Question, facts: FactAnswer) -> tuple[str, list[str]]:
    """The entity that the question surely names, and clauses about it, the nearest first."""
    for entity in facts.entities:
        if entity.score < _NAMED:
            break
        own = [fact for fact in facts.context if _tells_of(fact, entity.iri)]
        if own:
            return entity.label, list(dict.fromkeys(map(_clause, _nearest(own, question, facts))))
    return "", []


def _tells_of(fact: Fact, iri: str) -> bool:
    """Whether the fact says something short of the entity alone."""
    alone = fact.subject_iri == iri and "; " not in fact.subject
    if fact.predicate_iri in _NAMING:
        return False
    return alone and len(fact.object) <= _SHORT and "://" not in fact.object


def _nearest(own: list[Fact], question: Question, facts: FactAnswer) -> list[Fact]:
    """Those of the predicates that the question may mean; dated ones where it names a year."""
    order = {match.iri: place for place, match in enumerate(facts.predicates)}
    years = bool(Asked.from_question(question).years)

    def distance(fact: Fact) -> tuple[int, bool]:
        dated = bool(fact.valid_from or fact.valid_until)
        return order.get(fact.predicate_iri, len(order)), years and not dated

    return sorted(own, key=distance)[:_MOST]


def _clause(fact: Fact) -> str:
    words = f"{fact.predicate} {fact.object}"
    held = " – ".join((fact.valid_from, fact.valid_until)).strip()
    return words if held == "–" else f"{words} ({held})"
