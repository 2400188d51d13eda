"""`askonto ontology reload`: check the ontology, and put it in the place of the live one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from loaders.ontology import Report, reload
from service.build import open_store
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """`reload [FILE]`."""
    parser.add_argument("action", choices=["reload"])
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        help="Turtle, RDF/XML or OWL/XML as Protégé saves it; without it, the ontology folder",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print what was published, and on stderr what is worth a look."""
    with open_store(settings) as store:
        report = reload(store, args.file or settings.ontology, settings.base_iri)
    _print(report)
    return 0


def _print(report: Report) -> None:
    for note in (*report.warnings, *report.findings, *report.gone):
        print(f"note: {note}", file=sys.stderr)
    print(
        f"{', '.join(report.files)}: {report.classes:,} classes, {report.properties:,} properties, "
        f"{report.triples:,} triples published"
    )
