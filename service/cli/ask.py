"""`askonto ask`: one question, its answer and where it comes from."""

from __future__ import annotations

import argparse
import json
import sys

from service.answering.contract import line_from, question_from
from service.answering.reply import Citation, Reply
from service.build import open_askonto
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, its language, date and place, and the form of the reply."""
    parser.add_argument("question")
    parser.add_argument("--lang", metavar="CODE", help="language of the answer, for example it")
    parser.add_argument("--as-of", metavar="DATE", help="the day to answer for (today)")
    parser.add_argument("--place", metavar="PLACE", help="answer for it: CH-TI, Ticino or an IRI")
    parser.add_argument("--json", action="store_true", help="print the whole reply as JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the answer and its citations, or one line of the batch contract."""
    record = {n: getattr(args, n) for n in ("question", "lang", "as_of", "place")}
    question = question_from(record, settings.question_characters)
    with open_askonto(settings) as askonto:
        askonto.answering.prepare()
        reply = askonto.answering.answer(question)
    if args.json:
        print(json.dumps(line_from(reply), ensure_ascii=False))
    else:
        print(_shown(question.text, reply))
        for warning in reply.warnings:
            print(warning, file=sys.stderr)
    return 0


def _shown(question: str, reply: Reply) -> str:
    parts = [question, reply.answer, *map(_citation, reply.citations)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _citation(citation: Citation) -> str:
    place = f", p. {citation.page}" if citation.page else ""
    lines = [f"[{citation.number}] {citation.title or citation.iri}{place}"]
    lines += [f"    {one}" for one in (f"“{citation.quote}”", citation.url) if one.strip("“”")]
    return "\n".join(lines)
