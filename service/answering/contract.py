"""The batch contract: a question and a reply as JSON objects, the same over HTTP and in files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from math import isfinite
from typing import Any, NoReturn

from loaders.text.languages import detect
from ontology.errors import InputError
from ontology.places import places
from queries.terms import TermError, named
from service.answering.question import Question
from service.answering.reply import Citation, Fact, Match, RankedPassage, Reply, Value

MOST = 12
NESTING = 100
_LANGUAGE = re.compile(r"([A-Za-z]{2})(-[A-Za-z0-9]{1,8})*")
_HALF = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class ContractError(InputError):
    """A request that the contract does not allow; `name` is the key at fault."""


def parse(text: str | bytes) -> Mapping[str, Any]:
    """One JSON object; raises ContractError for anything else, NaN and endless nesting included.

    Its `id` is one that can be written back.
    """
    try:
        record = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ContractError(
            f"is no JSON: {reason}", name="request", mend='Send {"question": "…"}'
        ) from None
    if not isinstance(record, dict):
        raise ContractError(
            "is no JSON object", name="request", mend='Send {"question": "…"}'
        ) from None
    _check_id(record.get("id"))
    return record


def question_from(record: Mapping[str, Any], longest: int) -> Question:
    """The question of a record (`question`, optional `lang`, `as_of`, `place`).

    Control characters become spaces; the language is detected where none is given.
    Raises ContractError, also for a question longer than `longest` characters.
    """
    text = " ".join(_CONTROL.sub(" ", _text(record, "question")).split())
    if not text:
        _refuse("question", "is empty", "Ask something")
    if len(text) > longest:
        _refuse("question", f"has {len(text):,} characters", f"Ask in at most {longest:,}")
    return Question(
        text=text,
        language=_language(record) or detect(text),
        as_of=_day(record) or date.today(),
        place=_place(record),
    )


def line_from(reply: Reply, identifier: object = None) -> dict[str, object]:
    """The reply as one object of the batch contract."""
    return {
        "id": identifier,
        "lang": reply.language,
        "answer": reply.answer,
        "values": [_value(value) for value in reply.values],
        "abstained": reply.abstained,
        "citations": [_citation(citation) for citation in reply.citations],
        "passages": [_passage(passage) for passage in reply.passages[:MOST]],
        "matches": {
            "entities": [_match(match) for match in reply.entities[:MOST]],
            "predicates": [_match(match) for match in reply.predicates[:MOST]],
        },
        "context": reply.context,
        "facts": [_fact(fact) for fact in reply.facts],
        "queries": list(reply.queries),
        "seconds": {step: round(seconds, 6) for step, seconds in reply.seconds.items()},
        "model_calls": reply.model_calls,
        "embedding_calls": reply.embedding_calls,
        "tokens": reply.tokens,
        **({"warnings": list(reply.warnings)} if reply.warnings else {}),
    }


def _check_id(identifier: object) -> None:
    levels, layer = 0, [identifier]
    while layer:
        levels += 1
        if levels > NESTING:
            _refuse("id", f"nests more than {NESTING} levels deep", "Send a shorter one")
        layer = [inner for outer in layer for inner in _inside(outer)]
    if _HALF.search(json.dumps(identifier, ensure_ascii=False)):
        _refuse_half("id")


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        _refuse(key, "is no text", f'Send "{key}" as a JSON string')
    if _HALF.search(value):
        _refuse_half(key)
    return value


def _language(record: Mapping[str, Any]) -> str:
    tag = _text(record, "lang").strip()
    found = _LANGUAGE.fullmatch(tag)
    if tag and not found:
        _refuse("lang", "is no language code", 'Send two letters, for example "it"')
    return found.group(1).lower() if found else ""


def _day(record: Mapping[str, Any]) -> date | None:
    text = _text(record, "as_of").strip()
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        _refuse("as_of", "is no date", "Send it as YYYY-MM-DD")


def _place(record: Mapping[str, Any]) -> str | None:
    text = _text(record, "place").strip()
    if known := places().named(text):
        return known.value
    if not text:
        return None
    try:
        return named(text).value
    except TermError:
        _refuse(
            "place",
            "is no place that is known",
            "Send its ISO 3166 code, as CH-TI, its name or its IRI",
        )


def _refuse(key: str, reason: str, mend: str) -> NoReturn:
    raise ContractError(reason, name=key, mend=mend)


def _refuse_half(key: str) -> NoReturn:
    _refuse(key, "holds half a character (a lone surrogate)", "Send whole characters")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _no_number(text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _value(value: Value) -> dict[str, object]:
    return {"label": value.label, "iri": value.iri} if value.iri else {"value": value.value}


def _citation(citation: Citation) -> dict[str, object]:
    return {
        "iri": citation.iri,
        "title": citation.title,
        "url": citation.url,
        "page": citation.page,
        "quote": citation.quote,
    }


def _passage(passage: RankedPassage) -> dict[str, object]:
    return {
        "iri": passage.iri,
        "source": passage.source,
        "page": passage.page,
        "score": round(passage.score, 6),
    }


def _match(match: Match) -> dict[str, object]:
    return {"iri": match.iri, "label": match.label, "score": round(match.score, 6)}


def _fact(fact: Fact) -> dict[str, object]:
    return {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
