"""`askonto batch`: a file of questions, one JSON object a line, answered in order."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from ontology.errors import AskontoError, InputError
from service.answering.contract import line_from, parse, question_from
from service.build import Askonto, open_askonto
from service.cli.indexing import complete
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """The two files."""
    parser.add_argument("questions", type=Path, metavar="IN.jsonl")
    parser.add_argument("answers", type=Path, metavar="OUT.jsonl")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Answer every line once the index is complete; a question that fails gives an `error`."""
    console = Console(stderr=True)
    try:
        if args.answers.exists() and args.answers.samefile(args.questions):
            raise InputError(
                "holds the questions", name=str(args.answers), mend="Name another file for answers"
            )
        lines = [line for line in args.questions.read_bytes().splitlines() if line.strip()]
        out = args.answers.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be opened: {error.strerror}", name=error.filename, mend="Name another file"
        ) from None
    with out, open_askonto(settings) as askonto:
        complete(askonto.index, console)
        askonto.answering.prepare()
        for line in track(lines, "asking", console=console):
            print(json.dumps(_answer(askonto, line), ensure_ascii=False), file=out, flush=True)
    return 0


def _answer(askonto: Askonto, line: bytes) -> Mapping[str, object]:
    record: Mapping[str, Any] = {}
    try:
        record = parse(line)
        question = question_from(record, askonto.settings.question_characters)
        return line_from(askonto.answering.answer(question), record.get("id"))
    except AskontoError as error:
        return {"id": record.get("id"), "error": str(error)}
