"""The batch contract: what it lets in, and the exact keys of what it gives out."""

from __future__ import annotations

import json
from datetime import date

import pytest

from service.answering.contract import ContractError, line_from, parse, question_from
from service.answering.reply import Citation, Fact, Match, RankedPassage, Reply, Value

LONGEST = 2000


def test_a_question_takes_its_language_from_its_words_and_today_as_its_day() -> None:
    question = question_from({"question": "Quanto dura la detrazione per i mobili?"}, LONGEST)
    assert question.language == "it"
    assert question.as_of == date.today()
    assert question.place is None


def test_what_is_given_is_taken() -> None:
    record = {
        "question": "  What\tis\x00 it?\r\n",
        "lang": "it-CH",
        "as_of": "2024-02-29",
        "place": "https://example.org/place/ticino",
    }
    question = question_from(record, LONGEST)
    assert question.text == "What is it?"
    assert question.language == "it"
    assert question.as_of == date(2024, 2, 29)
    assert question.place == "https://example.org/place/ticino"


@pytest.mark.parametrize(
    ("record", "key"),
    [
        ({}, "question"),
        ({"question": ""}, "question"),
        ({"question": " \x00\u2028 "}, "question"),
        ({"question": 7}, "question"),
        ({"question": ["x"]}, "question"),
        ({"question": "x" * 100_000}, "question"),
        ({"question": "x\ud800y"}, "question"),
        ({"question": "x", "lang": "en> . ?s ?p ?o"}, "lang"),
        ({"question": "x", "lang": "english"}, "lang"),
        ({"question": "x", "as_of": "tomorrow"}, "as_of"),
        ({"question": "x", "as_of": "2025-02-30"}, "as_of"),
        ({"question": "x", "as_of": 2025}, "as_of"),
        ({"question": "x", "place": "Nowhereland"}, "place"),
        ({"question": "x", "place": "http://e.org/> . ?s ?p ?o"}, "place"),
        ({"question": "x", "place": "http://[::1"}, "place"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_key(record: dict[str, object], key: str) -> None:
    with pytest.raises(ContractError) as told:
        question_from(record, LONGEST)
    assert told.value.name == key


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "NaN", '{"question": NaN}', "[" * 100_000, '{"n": ' + "9" * 5000 + "}",
     b'{"question": "\xff"}'],
)  # fmt: skip
def test_what_is_no_json_object_is_refused(text: str | bytes) -> None:
    with pytest.raises(ContractError):
        parse(text)


@pytest.mark.parametrize(
    "identifier",
    [r'"\ud800"', r'{"\ud800": 1}', "1e999", "-1e999", "[" * 200 + "]" * 200,
     '{"a": ' * 200 + "1" + "}" * 200],
)  # fmt: skip
def test_an_id_that_cannot_come_back_as_json_is_refused(identifier: str) -> None:
    with pytest.raises(ContractError):
        parse(f'{{"question": "x", "id": {identifier}}}')


@pytest.mark.parametrize("identifier", [None, 7, 1.5, "x", "\U0001f600", [1, [2]], {"a": [None]}])
def test_any_other_id_comes_back(identifier: object) -> None:
    assert parse(json.dumps({"question": "x", "id": identifier})).get("id") == identifier


def test_a_reply_has_the_keys_of_the_contract_in_its_order() -> None:
    line = line_from(Reply("it", "Non risulta.", abstained=True), "q1")
    assert list(line) == [
        "id", "lang", "answer", "values", "abstained", "citations", "passages", "matches",
        "context", "facts", "queries", "seconds", "model_calls", "embedding_calls", "tokens",
    ]  # fmt: skip
    assert line["id"] == "q1"
    assert line["abstained"] is True


def test_values_citations_and_facts_are_written_by_name() -> None:
    reply = Reply(
        "en",
        "5000 euro [1]",
        values=(Value(label="Bonus", iri="http://e.org/b"), Value(value="5000")),
        citations=(Citation(1, "http://e.org/c", "Guide", "https://e.org/", 2, "5000 euro"),),
        passages=tuple(RankedPassage("i", "s", "t", None, 0.5, "x") for _ in range(20)),
        entities=(Match("http://e.org/b", "Bonus", 1.0),),
        facts=(Fact("Bonus", "limit", "5000", "http://e.org/b", "http://e.org/l"),),
    )
    line = json.loads(json.dumps(line_from(reply)))
    assert line["values"] == [{"label": "Bonus", "iri": "http://e.org/b"}, {"value": "5000"}]
    assert list(line["citations"][0]) == ["iri", "title", "url", "page", "quote"]
    assert len(line["passages"]) == 12
    assert line["passages"][0] == {"iri": "i", "source": "s", "page": None, "score": 0.5}
    assert line["matches"]["entities"] == [
        {"iri": "http://e.org/b", "label": "Bonus", "score": 1.0}
    ]
    assert line["facts"] == [{"subject": "Bonus", "predicate": "limit", "object": "5000"}]


@pytest.mark.parametrize("place", ["CH-TI", "Ticino", "https://w3id.org/askonto/places/CH-TI"])
def test_a_place_is_a_code_a_name_or_an_iri(place: str) -> None:
    question = question_from({"question": "x", "place": place}, 100)
    assert question.place == "https://w3id.org/askonto/places/CH-TI"
