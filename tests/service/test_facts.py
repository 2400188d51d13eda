"""Answers out of the graph's statements, without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from loaders import ontology
from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from queries.store import Store
from service.answering.abstain import abstention
from service.answering.facts import Facts
from service.answering.question import Question
from service.answering.reply import FactAnswer, PassageAnswer
from service.answering.trace import Trace
from service.answering.wanted import embedded
from service.index.index import Index
from service.models.embedding import open_embedder

BASE = "https://w3id.org/askonto/data/"
TODAY = date(2026, 11, 30)
WORLD = """
@prefix e: <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix x: <http://www.w3.org/2001/XMLSchema#> .
e:River rdfs:label "river"@en . e:Bridge rdfs:label "bridge"@en . e:Town rdfs:label "town"@en .
e:crosses rdfs:label "crosses"@en . e:architect rdfs:label "architect"@en .
e:lengthMetres rdfs:label "length in metres"@en . e:mayor rdfs:label "mayor"@en .
e:spouse rdfs:label "spouse"@en . e:stands rdfs:label "stands in"@en .
e:ona a e:River ; rdfs:label "Ona"@en . e:tel a e:River ; rdfs:label "Tel"@en .
e:b1 a e:Bridge ; rdfs:label "Miller Bridge"@en ; e:crosses e:ona ; e:architect e:vera ;
  e:lengthMetres 120 ; e:stands e:upton .
e:b2 a e:Bridge ; rdfs:label "Salt Bridge"@en ; e:crosses e:ona ; e:architect e:paul ;
  e:lengthMetres 80 ; e:stands e:upton .
e:b3 a e:Bridge ; rdfs:label "Gate Bridge"@en ; e:crosses e:tel ; e:architect e:vera ;
  e:lengthMetres 200 ; e:stands e:lowton .
e:born rdfs:label "birth date"@en . e:vera e:born "1950-02-01"^^x:date .
e:paul e:born "1961-07-30"^^x:date . e:nils e:born "1944-05-05"^^x:date .
e:vera rdfs:label "Vera Lund"@en ; e:spouse e:nils . e:nils rdfs:label "Nils Lund"@en .
e:paul rdfs:label "Paul Rossi"@en . e:upton a e:Town ; rdfs:label "Upton"@en ; e:mayor e:nils .
e:lowton a e:Town ; rdfs:label "Lowton"@en .
@prefix onto: <https://w3id.org/askonto/onto#> .
e:clearance rdfs:label "clearance"@en , "altezza libera"@it ; onto:unit "m" , "metri"@it .
e:b2 e:clearance 9 .
"""


class Asker:
    """Asks one half of the answering as the pipeline does."""

    def __init__(self, facts: Facts, trace: Trace) -> None:
        self.facts = facts
        self.trace = trace
        self.embedder = open_embedder(None, None, None, seconds=60)

    def ask(self, text: str, language: str = "en", place: str | None = None) -> FactAnswer:
        question = Question(text, language, TODAY, place)
        vectors = embedded(self.facts.wanted(question), self.embedder)
        return self.facts.find(question, vectors, self.trace)

    def values(self, text: str, language: str = "en") -> set[str]:
        return {value.label or value.value for value in self.ask(text, language).values}


@pytest.fixture(scope="module")
def world(store: Store, tmp_path_factory: pytest.TempPathFactory, sample: Path) -> Iterator[Asker]:
    """The sample and a small world of bridges, names without vectors, words with."""
    folder = tmp_path_factory.mktemp("facts")
    (folder / "world.ttl").write_text(WORLD, "utf-8")
    for file in (folder / "world.ttl", sample / "graph.ttl"):
        list(Loader(store, Iris(BASE)).load(items(str(file))))
    ontology.ensure(store, None, BASE)
    index = Index(folder / "index", store, BASE)
    index.refresh()
    embedder = open_embedder(None, None, None, seconds=60)
    facts = Facts(store, index, folder / "index", embedder)
    facts.prepare()
    yield Asker(facts, Trace())
    index.close()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the architect of Miller Bridge?", {"Vera Lund"}),
        ("Which bridges cross the Ona?", {"Miller Bridge", "Salt Bridge"}),
        ("Who is the spouse of the architect of Gate Bridge?", {"Nils Lund"}),
        ("Which bridges have the same architect as Gate Bridge?", {"Miller Bridge"}),
        ("Which bridge over the Ona has Paul Rossi as architect?", {"Salt Bridge"}),
        ("How many bridges cross the Ona?", {"2"}),
        ("What is the longest bridge?", {"Gate Bridge"}),
        ("Which bridges have a length of 80 metres?", {"Salt Bridge"}),
        ("Does Miller Bridge cross the Ona?", {"Yes"}),
        ("Does Miller Bridge cross the Tel?", {"No"}),
        ("Is Ona a river?", {"Yes"}),
    ],
)
def test_each_form_of_question_is_answered(world: Asker, question: str, expected: set[str]) -> None:
    assert world.values(question) == expected


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Which is longer, Miller Bridge or Gate Bridge?", "en", "Gate Bridge"),
        ("Is Salt Bridge shorter than Gate Bridge?", "en", "Yes"),
        ("Is Salt Bridge longer than Gate Bridge?", "en", "No"),
        ("Is Vera Lund older than Paul Rossi?", "en", "Yes"),
        ("Who is younger, Vera Lund or Paul Rossi?", "en", "Paul Rossi"),
        ("Miller Bridge è più lungo di Salt Bridge?", "it", "Sì"),
        ("Chi è più giovane, Vera Lund o Paul Rossi?", "it", "Paul Rossi"),
        ("Was ist länger, Miller Bridge oder Salt Bridge?", "de", "Miller Bridge"),
        ("Ist Vera Lund älter als Nils Lund?", "de", "Nein"),
        ("Lequel est plus court, Miller Bridge ou Salt Bridge ?", "fr", "Salt Bridge"),
        ("¿Cuál es más largo, Miller Bridge o Gate Bridge?", "es", "Gate Bridge"),
    ],
)
def test_things_named_are_compared(
    world: Asker, question: str, language: str, expected: str
) -> None:
    assert world.values(question, language) == {expected}


def test_a_number_is_told_with_its_unit_or_what_it_is_of(world: Asker) -> None:
    length = world.ask("What is the length of Salt Bridge?")
    assert (length.text, length.values[0].value) == ("length in metres: 80", "80")
    assert world.ask("How high is the clearance of Salt Bridge?").text == "9 m"
    clearance = world.ask("Qual è l'altezza libera di Salt Bridge?", "it")
    assert clearance.text == "9 metri"
    assert clearance.facts[0].object == "9 metri"


def test_an_answer_carries_the_statements_it_follows_from(world: Asker) -> None:
    answer = world.ask("Who is the spouse of the architect of Gate Bridge?")
    told = {(fact.subject, fact.predicate, fact.object) for fact in answer.facts}
    assert told == {
        ("Gate Bridge", "architect", "Vera Lund"),
        ("Vera Lund", "spouse", "Nils Lund"),
    }
    assert all(fact.graph.startswith(BASE) for fact in answer.facts)


def test_the_context_holds_what_stands_around_what_is_named(world: Asker) -> None:
    context = world.ask("What about Miller Bridge?").context
    told = " ".join(f"{fact.subject} {fact.predicate} {fact.object}" for fact in context)
    assert "Miller Bridge architect Vera Lund" in told
    assert sum(len(f.subject) + len(f.predicate) + len(f.object) for f in context) <= 5000


def test_a_name_that_the_graph_has_not_is_not_answered(world: Asker) -> None:
    assert world.ask("Who is the architect of Brimlo Tower?").confidence < 0.5


def test_the_limit_of_the_year_asked_for_is_told(world: Asker) -> None:
    limit = "What was the spending limit of the furniture bonus in {}?"
    assert world.values(limit.format(2021)) == {"16000"}
    assert world.values(limit.format(2024)) == {"5000"}


def test_a_relation_that_the_entity_has_not_is_not_answered(world: Asker) -> None:
    assert world.ask("Chi è il presidente dell'ENEA?", "it").confidence < 0.5


def test_a_year_or_a_place_that_nothing_tells_of_is_not_answered(world: Asker) -> None:
    assert world.ask("Who is the architect of Miller Bridge?").confidence >= 0.5
    assert world.ask("Who was the architect of Miller Bridge in 1950?").confidence < 0.5
    assert world.ask("Who is the architect of Miller Bridge in Portugal?").confidence < 0.5


def test_the_statement_of_the_year_goes_before_a_likelier_plan(world: Asker) -> None:
    answer = world.ask("Qual era il tetto di spesa del bonus mobili nel 2023?", "it")
    assert "8000" in {value.value for value in answer.values} or answer.confidence < 0.5


def test_what_is_known_instead_is_of_the_entity_asked_about(world: Asker) -> None:
    text = "A quanto ammonta il bonus mobili del 2031?"
    question = Question(text, "it", TODAY)
    answer = world.ask(text, "it")
    assert answer.confidence < 0.5
    words = abstention(question, answer, PassageAnswer())
    assert words.startswith("I dati caricati non lo dicono. Su bonus mobili")
    assert words.count(";") <= 2


def test_questions_in_italian_are_answered_in_italian(world: Asker) -> None:
    answer = world.ask("Quali sono i componenti di una pompa di calore?", "it")
    assert "evaporatore" in {value.label for value in answer.values}
    assert answer.facts[0].predicate == "ha componente"


def test_words_of_a_question_never_become_sparql(world: Asker) -> None:
    answer = world.ask('Who built "Miller Bridge" } ; DROP ALL ; # > <x> ?')
    assert answer is not None
    assert world.values("Which bridges cross the Tel?") == {"Gate Bridge"}
    assert not any("DROP" in query for query in world.trace.queries)


@pytest.mark.parametrize("text", ["?", "the of and", "1", "\u0000 x", "ÆÐ Þ 漢字"])
def test_odd_questions_are_no_fault(world: Asker, text: str) -> None:
    assert world.ask(text).confidence <= 1
