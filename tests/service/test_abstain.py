"""What is said where the sources do not tell: short, in the asker's language, to the point."""

from __future__ import annotations

from datetime import date

from service.answering.abstain import abstention
from service.answering.question import Question
from service.answering.reply import Fact, FactAnswer, Match, PassageAnswer, RankedPassage

BONUS = "https://example.org/bonus"
LIMIT, MANAGER = "https://example.org/limit", "https://example.org/manager"


def fact(predicate: str, iri: str, value: str, first: str = "", last: str = "") -> Fact:
    return Fact("bonus", predicate, value, BONUS, iri, valid_from=first, valid_until=last)


def told(text: str, language: str, facts: FactAnswer) -> str:
    return abstention(Question(text, language, date(2026, 11, 30)), facts, PassageAnswer())


def known(*facts: Fact, score: float = 1.0, predicates: tuple[str, ...] = ()) -> FactAnswer:
    return FactAnswer(
        entities=(Match(BONUS, "bonus", score),),
        predicates=tuple(Match(iri, "", 0.5) for iri in predicates),
        context=facts,
    )


def test_what_is_known_is_of_the_entity_and_nearest_to_the_question() -> None:
    facts = known(
        fact("gestito da", MANAGER, "agenzia"),
        fact("limite", LIMIT, "5000 €", "2025-01-01", "2025-12-31"),
        predicates=(LIMIT,),
    )
    assert told("Qual è il limite del bonus nel 2031?", "it", facts) == (
        "I dati caricati non lo dicono. Su bonus si sa però: "
        "limite 5000 € (2025-01-01 – 2025-12-31); gestito da agenzia."
    )


def test_three_clauses_are_enough() -> None:
    facts = known(*(fact("limit", LIMIT, str(value)) for value in range(9)))
    assert told("Who pays the bonus?", "en", facts).count(";") == 2


def test_what_is_told_of_many_things_at_once_or_at_length_is_left_out() -> None:
    many = Fact("oven; washer; fridge", "is a", "appliance", BONUS, LIMIT)
    long = fact("description", LIMIT, "word " * 40)
    link = fact("page", LIMIT, "https://example.org/page")
    assert told("Who pays it?", "en", known(many, long, link)) == "The loaded data do not tell."


def test_a_doubtful_name_brings_nothing() -> None:
    facts = known(fact("limit", LIMIT, "5"), score=0.4)
    assert told("Who pays the bones?", "en", facts) == "The loaded data do not tell."


def test_without_an_entity_the_nearest_document_is_named() -> None:
    passage = RankedPassage("https://example.org/c", "", "Guide", None, 1.0, "text")
    words = abstention(
        Question("Wer zahlt?", "de", date(2026, 11, 30)),
        FactAnswer(),
        PassageAnswer(passages=(passage,)),
    )
    assert words.endswith("Am nächsten kommt das Dokument „Guide“.")
