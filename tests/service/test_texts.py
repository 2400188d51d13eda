"""What the longer texts of entities say."""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode

from ontology.vocabulary import ONTO
from service.index.texts import Texts

TOOL, BOOK, CHUNK = (NamedNode(f"http://example.org/{name}") for name in ("tool", "book", "chunk"))
KIND = NamedNode("http://example.org/Kind")
TEXTS = Texts.of(
    [
        (TOOL, Literal("Analysiert Strukturen: Phononen, Défauts"), KIND),
        (TOOL, Literal("A second text on PHONONS"), KIND),
        (BOOK, Literal("Of structures"), None),
        (CHUNK, Literal("Structures of our own"), ONTO.Chunk),
    ]
)


def test_a_stem_is_found_within_words_whatever_their_case_and_accents() -> None:
    assert TEXTS.saying(["phonon", "defaut", "struktur"]) == {
        TOOL: {"phonon", "defaut", "struktur"}
    }


def test_what_askonto_keeps_itself_says_nothing() -> None:
    assert set(TEXTS.saying(["structur"])) == {BOOK}


def test_classes_are_known_where_there_are_any() -> None:
    assert TEXTS.classes == {TOOL: {KIND.value}, BOOK: {""}}
