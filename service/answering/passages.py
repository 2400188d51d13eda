"""What the documents answer: the best sentences, in their own words, with their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.answering.asking import Asks, asks_for, phrases
from service.answering.centring import Centring, Of, Vector
from service.answering.confidence import Confidence
from service.answering.extract import Extractor, Piece, joined
from service.answering.glossary import Glossary
from service.answering.localise import localised
from service.answering.question import Question
from service.answering.ranking import Ranked, Search, rank
from service.answering.reply import Citation, PassageAnswer, RankedPassage, Value
from service.answering.span import span
from service.answering.trace import Trace
from service.answering.validity import Asked
from service.answering.wanted import Embedded, Wanted
from service.answering.widen import as_asked, content_words, widened
from service.index.index import Index
from service.index.passages import Group, Passage

_SHOWN = 12


class PassageAnswers:
    """Answers out of the passages of one index; thread-safe."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._centring = Centring(index)
        self._confidence = Confidence(index)

    def prepare(self) -> None:
        """Learn of the documents how sure answers are."""
        self._confidence.prepare()

    def close(self) -> None:
        """Read the index no more."""
        self._confidence.close()

    def wanted(self, question: Question) -> Wanted:
        """The texts whose vectors `find` uses: the question, and its words for other languages."""
        languages = self._index.passages.languages()
        if not languages:
            return Wanted()
        texts = [question.text, *self._centring.wanted(Of.QUESTIONS, question.language)]
        if set(languages) - {question.language}:
            texts += content_words(question.text, question.language)
            texts += self._centring.wanted(Of.WORDS, question.language)
        return Wanted(tuple(texts))

    def find(self, question: Question, vectors: Embedded, trace: Trace) -> PassageAnswer:
        """The short answer, its quotes and the ranked passages; an empty one without documents."""
        asked = Asked.from_question(question)

        def allowed(group: Group) -> bool:
            return asked.in_time(group.valid_from, group.valid_until) and asked.in_place(
                group.applies_in
            )

        asks = asks_for(question.text, question.language)
        with trace.step("rank"):
            searches = self._searches(question, vectors.asked)
            defining = asks is Asks.DEFINITION
            ranked = rank(searches, self._index.passages, allowed, defining=defining)
        with trace.step("extract"):
            letters = {one.language: one.widened.tokens for one in searches}
            pieces = Extractor(asks, question.language, letters, self._index.passages).extract(
                ranked
            )
        pairs = {one.language: one.widened.pairs for one in searches}
        return PassageAnswer(
            text=_told(pieces, asks, question, pairs),
            values=_values(pieces, question, pairs),
            quotes=tuple(_citation(n, piece) for n, piece in enumerate(pieces, 1)),
            confidence=self._confidence.of(question, asked, searches, ranked),
            passages=self._shown(ranked),
        )

    def _searches(self, question: Question, vectors: Mapping[str, Vector]) -> list[Search]:
        centred = self._centring.centred
        language = question.language
        vector = vectors.get(question.text)
        if vector is not None:
            vector = centred(vector, Of.QUESTIONS, language, vectors)
        languages = self._index.passages.languages()
        searches = []
        for other, groups in languages.items():
            search = as_asked(question.text, language)
            if other != language:
                words = {
                    word: centred(vectors[word], Of.WORDS, language, vectors)
                    for word in content_words(question.text, language)
                    if word in vectors
                }
                search = widened(
                    question.text,
                    words,
                    self._index.passages,
                    glossary=Glossary.between(language, other),
                    asked_in=language,
                    language=other,
                )
            searches.append(Search(other, search, vector, groups / sum(languages.values())))
        return searches

    def _shown(self, ranked: Sequence[Ranked]) -> tuple[RankedPassage, ...]:
        """The best sentences' passages, each chunk once."""
        shown: dict[str, RankedPassage] = {}
        for one in ranked:
            position = one.sentence.position
            passage = self._index.passages.passages(one.group.document, position, position)[0]
            shown.setdefault(passage.chunk, _ranked_passage(passage, one.score))
            if len(shown) == _SHOWN:
                break
        return tuple(shown.values())


def _told(
    pieces: Sequence[Piece],
    asks: Asks,
    question: Question,
    pairs: Mapping[str, Sequence[tuple[str, str, float]]],
) -> str:
    if not pieces:
        return ""
    source = pieces[0].passage.language
    text = localised(joined(pieces), source, question.language, pairs.get(source, ()))
    verdict = _verdict(pieces[0].text, source, question.language) if asks is Asks.YES_NO else ""
    return f"{verdict}: {text}" if verdict else text


def _values(
    pieces: Sequence[Piece],
    question: Question,
    pairs: Mapping[str, Sequence[tuple[str, str, float]]],
) -> tuple[Value, ...]:
    """The items of a list, or the words of the best sentence that answer."""
    if not pieces:
        return ()
    best = max(pieces, key=lambda piece: piece.ranked.score)
    source = best.passage.language

    def told(text: str) -> str:
        return localised(text, source, question.language, pairs.get(source, ()))

    if best.items:
        return tuple(Value(value=told(item)) for item in best.items)
    return (Value(value=span(told(best.quote), question.text, question.language)),)


def _verdict(text: str, source: str, target: str) -> str:
    """The yes or no that a text begins with, in another language."""
    if source == target:
        return ""
    first = text.lower().replace(",", " ").replace(".", " ").split()[:1]
    told, own = phrases(source), phrases(target)
    if first and first[0] in told.affirms:
        return own.yes
    return own.no if first and first[0] in told.denies else ""


def _citation(number: int, piece: Piece) -> Citation:
    passage = piece.passage
    return Citation(number, passage.chunk, passage.title, passage.source, passage.page, piece.quote)


def _ranked_passage(passage: Passage, score: float) -> RankedPassage:
    return RankedPassage(
        iri=passage.chunk,
        source=passage.source,
        title=passage.title,
        page=passage.page,
        score=score,
        text=" ".join(passage.text.split()),
        context=passage.context,
    )
