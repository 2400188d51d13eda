"""Questions as words."""

from __future__ import annotations

import pytest

from service.answering.plan.words import LANGUAGES, alike, find, grammar, keys, read


def test_words_keep_their_place_and_writing() -> None:
    words = read("Who designed the Rialto Bridge?", "en")
    assert [word.text for word in words] == ["Who", "designed", "the", "Rialto", "Bridge"]
    assert [word.key for word in words if word.capital] == ["rialto", "bridge"]
    assert [word.key for word in words if word.content] == ["designed", "rialto", "bridge"]


def test_quoted_words_are_marked() -> None:
    words = read('Who wrote "The Lost Valley" first?', "en")
    assert [word.key for word in words if word.quoted] == ["the", "lost", "valley"]


def test_a_genitive_s_is_no_word_of_content() -> None:
    words = read("anna's brother", "en")
    assert [(word.key, word.genitive) for word in words] == [
        ("anna", False),
        ("s", True),
        ("brother", False),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_lists(language: str) -> None:
    ours, english = grammar(language), grammar("en")
    assert ours.phrases.keys() == english.phrases.keys()
    assert ours.kinds.keys() == english.kinds.keys()
    assert ours.say.keys() == english.say.keys()


def test_a_language_without_a_grammar_has_the_english_one() -> None:
    assert grammar("fi") is not None
    assert grammar("fi").phrases == grammar("en").phrases


def test_phrases_are_found_as_words() -> None:
    words = read("Tell me how many bridges there are", "en")
    assert find(words, (keys("how many"),)) == (2, 4)
    assert find(words, (keys("how many men"),)) is None


@pytest.mark.parametrize(
    ("left", "right", "related"),
    [
        ("director", "directed", True),
        ("country", "countries", True),
        ("cat", "catalogue", False),
        ("river", "riverbank", True),
        ("bridge", "brick", False),
    ],
)
def test_forms_of_one_word_are_alike(left: str, right: str, related: bool) -> None:
    assert (alike(left, right) > 0) is related
