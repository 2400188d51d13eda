"""`askonto sparql`: one query, its rows as TSV or its triples as N-Triples."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ontology.errors import InputError
from queries import guard
from service.build import open_store
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """The query."""
    parser.add_argument("query", metavar="QUERY|FILE", help="SPARQL, or the file that holds it")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the result whole, as it comes."""
    query = _query(args.query)
    kind = guard.check(query).line_format
    with open_store(settings) as store:
        reply = store.query_raw(query, kind, deadline=settings.store_seconds)
        for chunk in reply.chunks:
            sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
    return 0


def _query(text: str) -> str:
    """The text, or what is in the file of that name."""
    try:
        return Path(text).read_text(encoding="utf-8") if Path(text).is_file() else text
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", name=text, mend="Save it as UTF-8") from error
    except (OSError, ValueError):
        return text
