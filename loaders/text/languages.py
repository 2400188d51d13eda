"""Which of the known languages a text is written in."""

from __future__ import annotations

import re
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

LANGUAGES = ("it", "en", "de", "fr", "es")
_WORDS = re.compile(r"[^\W\d_]+")
_ENOUGH = 4_000  # characters that tell the language of any text
_PER_WORD = 10.0  # what one function word of a single language adds to the log-probability
_FLOOR = -10_000.0  # of the log-probability, where a text has no feature of the model

FUNCTION_WORDS = {
    "it": frozenset(
        """
        il lo la i gli le un uno una di del dello della dei degli delle dell d a al allo
        alla ai agli alle all da dal dallo dalla dai dagli dalle dall in nel nello nella nei
        negli nelle nell con su sul sullo sulla sui sugli sulle sull per tra fra e ed o od
        ma se che chi cui non si ci è sono era erano ho ha hanno hai quale quali qual quanto
        quanta quanti quante quando dove come perché cosa cos questo questa questi queste
        quello quella quelli quelle più meno anche ogni quest viene essere stato stata può
        posso devo devono qualche suo sua suoi sue mi ti dov
        """.split()
    ),
    "en": frozenset(
        """
        the a an of to in on at by for with from and or but if that which who whom whose
        what when where why how is are was were be been being do does did has have had can
        could will would should must may might not no this these those it its there their
        they them he she his her we our you your my i me us many much more most than as into
        about between any all some
        """.split()
    ),
    "de": frozenset(
        """
        der die das den dem des ein eine einen einem einer eines und oder aber wenn dass ob
        wer wen wem wessen was wann wo warum wie welche welcher welches welchen welchem ist
        sind war waren wird werden wurde wurden hat haben hatte kann können muss müssen soll
        darf nicht kein keine mit von vom zu zum zur in im an am auf aus bei beim für über
        unter nach vor durch um bis ich du er sie es wir ihr sich mein sein seine viele viel
        mehr als auch noch alle man gibt
        """.split()
    ),
    "fr": frozenset(
        """
        le la les l un une des du de d au aux à en dans sur sous par pour avec sans et ou
        mais si que qu qui quoi quel quelle quels quelles quand où comment pourquoi combien
        est sont était été être a ont avait ai as peut peuvent doit doivent ne n pas plus
        moins ce cet cette ces c il elle ils elles on nous vous je j tu se s son sa ses leur
        leurs mon ma mes y entre chez donne
        """.split()
    ),
    "es": frozenset(
        """
        el la los las lo un una unos unas de del a al en con por para sin sobre entre y e o
        u pero si que qué quien quién quiénes cual cuál cuáles cuanto cuánto cuánta cuántos
        cuántas cuando cuándo donde dónde como cómo es son era fue fueron está están ser ha
        han hay puede pueden debe no se su sus mi mis tu este esta estos estas ese esa más
        menos muy también desde hasta porque
        """.split()
    ),
}


def detect(text: str) -> str:
    """The most likely of `LANGUAGES`, as its ISO 639-1 code; English where nothing tells."""
    sample = text[:_ENOUGH].lower()
    words = _WORDS.findall(sample)
    if not words:
        return "en"
    scores = {language: max(score, _FLOOR) for language, score in _identifier().rank(sample)}
    for word in words[:200]:
        speakers = [language for language in LANGUAGES if word in FUNCTION_WORDS[language]]
        for language in speakers:
            scores[language] += _PER_WORD / len(speakers)
    return max(LANGUAGES, key=scores.__getitem__)


@cache
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(LANGUAGES))
    return identifier
