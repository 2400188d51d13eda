"""Clean text of any bytes."""

from __future__ import annotations

import pytest

from loaders.text.clean import clean, collapse, decode, spoiled


def test_unseen_characters_go_and_ligatures_come_apart() -> None:
    assert clean("o\ufb03ce sof\u00adt\u200b\x00\ue000 m²") == "office soft m²"
    assert clean("a\ud800b") == "ab"


def test_white_space_is_one_space() -> None:
    assert collapse("  a\u00a0b\n\tc\u2009d ") == "a b c d"


def test_lost_characters_are_noticed() -> None:
    assert spoiled("a\x00") and spoiled("\ufffd") and spoiled("\ue123")
    assert not spoiled("più m² €")


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_or_unicode_text_is_decoded(charset: str) -> None:
    assert decode("Zürich è cara".encode(charset)) == "Zürich è cara"


def test_a_declared_charset_is_used_and_an_unknown_one_is_not() -> None:
    assert decode('<meta charset="iso-8859-2">Łódź'.encode("iso-8859-2")).endswith("Łódź")
    assert decode("<meta charset=klingon>“più”".encode("cp1252")).endswith("“più”")
