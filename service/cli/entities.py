"""`askonto entities`: entities that may be one, and statements kept apart from the graph."""

from __future__ import annotations

import argparse

from loaders.identity.merges import Merge, Merges, by_key
from loaders.iris import Iris
from ontology.errors import InputError
from service.build import embedder_from, open_replies, open_store
from service.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """`merges`, `accept KEY…`, `undo KEY…`, `apart`."""
    parser.add_argument(
        "action",
        choices=["merges", "accept", "undo", "apart"],
        help="list what may be merged and what was; accept; undo; list statements kept apart",
    )
    parser.add_argument("keys", nargs="*", metavar="KEY", help="as `merges` shows it")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print one merge or statement a line, its parts separated by tabs."""
    if (args.action in ("accept", "undo")) != bool(args.keys):
        raise InputError(f"takes {'no' if args.keys else 'the'} keys of merges", name=args.action)
    if args.action == "apart":
        return _apart(settings)
    with open_store(settings) as store:
        merges = Merges(store, Iris(settings.base_iri))
        if args.action == "merges":
            for one in (*merges.accepted(), *_proposed(merges, settings)):
                print(_line(one))
        elif args.action == "accept":
            proposed = _proposed(merges, settings)
            for merge in [by_key(proposed, key) for key in args.keys]:
                merges.accept(merge)
                print(f"{merge.names[0]} and {merge.names[1]} are one")
        else:
            accepted = merges.accepted()
            for merge in [by_key(accepted, key) for key in args.keys]:
                merges.undo(merge)
                print(f"{merge.names[0]} and {merge.names[1]} are two again")
    return 0


def _proposed(merges: Merges, settings: Settings) -> list[Merge]:
    return merges.proposed(embedder_from(settings))


def _line(merge: Merge) -> str:
    state = f"accepted {merge.made[:10]}" if merge.made else "proposed"
    ends = (merge.one.value, merge.other.value)
    return "\t".join((merge.key, state, f"{merge.score:.2f}", *merge.names, *ends))


def _apart(settings: Settings) -> int:
    with open_replies(settings) as replies:
        for address, left in replies.apart():
            print(address, left.position, left.reason, left.statement, sep="\t")
    return 0
