"""`askonto`: finds the command's module, runs it, and tells every error in one line."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sqlite3
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from types import TracebackType
from typing import NoReturn, Protocol

from ontology.errors import AskontoError
from service.datafolder import disk_error
from service.settings import Settings, spare_threads

COMMANDS = {
    "serve": "answer questions over HTTP, with a page at /",
    "load": "put files, folders and URLs into the graph",
    "sources": "list what is loaded",
    "unload": "take sources out of the graph",
    "entities": "list, accept and undo merges of entities",
    "ask": "ask one question",
    "batch": "ask a file of questions",
    "sparql": "run a SPARQL query",
    "ontology": "publish the ontology",
    "status": "tell what is loaded, indexed and configured",
    "backup": "write all graphs of the store into a file",
    "restore": "put a file's graphs in the place of all graphs of the store",
    "copy": "copy all graphs from one store to another that is empty",
    "compact": "give back the disk space of what was removed",
    "settings": "print and explain every setting",
}

# These look at their stores themselves, or need none.
_UNCHECKED = {"serve", "copy", "settings"}


class Command(Protocol):
    """What each module of this folder named in COMMANDS has."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace, settings: Settings) -> int:
        """Do it; returns the exit code."""


class _Parser(argparse.ArgumentParser):
    """Tells a wrong call in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code, and lets no traceback out."""
    sys.excepthook = _unforeseen
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except AskontoError as error:
        return _tell(error)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        return _tell(error)
    except sqlite3.OperationalError as error:
        return _tell(disk_error(error))
    return code


def _run(argv: list[str]) -> int:
    spare_threads()
    chosen = next((word for word in argv if not word.startswith("-")), "")
    parser = _parser(chosen)
    args = parser.parse_args(argv)
    if not args.command:
        parser.print_help()
        return 2
    settings = Settings.from_environment()
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("trafilatura").setLevel(logging.ERROR)  # what it warns of is refused anyway
    command = _command(args.command)
    if settings.store and args.command not in _UNCHECKED:
        _check_store(settings)
    return command.run(args, settings)


def _check_store(settings: Settings) -> None:
    """Say what is wrong with a store that runs elsewhere before anything is asked of it."""
    from queries.store.startup import check_reading  # noqa: PLC0415  --help needs none of it
    from service.build import open_store  # noqa: PLC0415

    with open_store(settings) as store:
        check_reading(store)


def _parser(chosen: str) -> argparse.ArgumentParser:
    """Only the chosen command's module is imported, so that --help is quick."""
    parser = _Parser(prog="askonto", description="Answers from a knowledge graph, with evidence.")
    parser.add_argument("--version", action="version", version=f"askonto {version('askonto')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        one = commands.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
        if name == chosen:
            _command(name).arguments(one)
    return parser


def _command(name: str) -> Command:
    module: Command = importlib.import_module(f"service.cli.{name}")
    return module


def _unforeseen(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A fault of askonto's own: one line too, and the trace for who asks for it."""
    if logging.getLogger(__name__).isEnabledFor(logging.DEBUG):
        traceback.print_exception(kind, error, trace)
    line = " ".join(f"{kind.__name__}: {error}".split())
    print(
        f"askonto: a fault of its own, {line}. ASKONTO_LOG_LEVEL=debug shows where", file=sys.stderr
    )


def _tell(error: Exception) -> int:
    logging.getLogger(__name__).debug("where it happened", exc_info=error)
    line = " ".join(str(error).split())
    print(f"askonto: {line}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
