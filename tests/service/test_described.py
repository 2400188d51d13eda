"""What a thing is, told by its description or its classes, where nothing more is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from queries.store import Store
from service.answering.facts import Facts
from service.answering.question import Question
from service.answering.reply import FactAnswer
from service.answering.trace import Trace
from service.answering.wanted import Embedded
from service.index.index import Index

BASE = "https://w3id.org/askonto/data/"
GRAPH = """
@prefix e: <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
e:Tool rdfs:label "tool"@en, "attrezzo"@it . e:madeIn rdfs:label "made in"@en .
e:lathe a e:Tool ; rdfs:label "lathe"@en, "tornio"@it, "Drehbank"@de ; e:madeIn e:upton ;
  dcterms:description "A machine that turns what it cuts."@en,
    "Macchina che fa ruotare il pezzo."@it .
e:awl a e:Tool ; rdfs:label "awl"@en, "lesina"@it ; e:madeIn e:upton .
e:upton rdfs:label "Upton"@en .
"""
NOTE = "The awl is a pointed tool that makes holes in leather.\n"


@pytest.fixture(scope="module")
def facts(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Facts, Path]]:
    folder = tmp_path_factory.mktemp("described")
    (folder / "tools.ttl").write_text(GRAPH, "utf-8")
    list(Loader(store, Iris(BASE)).load(items(str(folder / "tools.ttl"))))
    index = Index(folder / "index", store, BASE)
    index.refresh()
    facts = Facts(store, index, folder / "index")
    facts.prepare()
    yield facts, folder
    index.close()


def told(facts: Facts, text: str, language: str) -> FactAnswer:
    return facts.find(Question(text, language, date(2026, 11, 30)), Embedded(), Trace())


@pytest.mark.parametrize(
    ("text", "language", "answer"),
    [
        ("What is a lathe?", "en", "A machine that turns what it cuts."),
        ("What is the lathe?", "en", "A machine that turns what it cuts."),
        ("Che cos'è un tornio?", "it", "Macchina che fa ruotare il pezzo."),
        ("Cos'è il tornio?", "it", "Macchina che fa ruotare il pezzo."),
        ("Was ist eine Drehbank?", "de", "A machine that turns what it cuts."),
        ("What is an awl?", "en", "tool"),
        ("Cos'è una lesina?", "it", "attrezzo"),
    ],
)
def test_a_thing_is_told_by_its_description_or_class(
    facts: tuple[Facts, Path], text: str, language: str, answer: str
) -> None:
    assert told(facts[0], text, language).text == answer


def test_what_is_asked_of_a_thing_is_not_what_it_is(facts: tuple[Facts, Path]) -> None:
    assert told(facts[0], "Where is the lathe made?", "en").text != (
        "A machine that turns what it cuts."
    )


def test_a_class_alone_leaves_the_telling_to_the_documents(
    facts: tuple[Facts, Path], store: Store, tmp_path: Path
) -> None:
    half, folder = facts
    (folder / "note.txt").write_text(NOTE, "utf-8")
    list(Loader(store, Iris(BASE)).load(items(str(folder / "note.txt"))))
    index = Index(tmp_path / "index", store, BASE)
    index.refresh()
    assert told(Facts(store, index, tmp_path / "index"), "What is an awl?", "en").values == ()
    assert told(half, "What is an awl?", "en").text == "tool"
    index.close()
