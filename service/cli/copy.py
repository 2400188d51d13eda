"""`askonto copy`: all graphs from one store to another."""

from __future__ import annotations

import argparse

from loaders.copying import copy
from loaders.iris import Iris
from ontology.errors import InputError
from queries.store import Store
from queries.store.startup import check_reading, check_writing
from service.build import open_other, open_store
from service.cli.steps import steps
from service.settings import Settings, http_url


def arguments(parser: argparse.ArgumentParser) -> None:
    """Two stores."""
    for way in ("from", "to"):
        parser.add_argument(
            f"--{way}",
            dest=way + "_url",
            metavar="URL",
            type=http_url,
            help=f"base URL, as ASKONTO_STORE; its user in ASKONTO_COPY_{way.upper()}_USER and "
            f"ASKONTO_COPY_{way.upper()}_PASSWORD; left out: the store of the settings",
        )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Copy, and say how much."""
    if args.from_url == args.to_url:
        raise InputError("is one store with itself", name="copy", mend="Name --from, --to or both")
    with (
        _from(args.from_url, settings) as source,
        _to(args.to_url, settings) as target,
        steps("the target holds nothing") as progress,
    ):
        check_reading(source)
        check_reading(target)
        check_writing(target, settings.base_iri)
        held = copy(source, target, Iris(settings.base_iri), progress)
    print(f"{held:,} statements copied")
    return 0


def _from(url: str | None, settings: Settings) -> Store:
    if url is None:
        return open_store(settings)
    user, password = settings.copy_from_user, settings.copy_from_password
    return open_other(url, settings, user=user, password=password)


def _to(url: str | None, settings: Settings) -> Store:
    if url is None:
        return open_store(settings)
    user, password = settings.copy_to_user, settings.copy_to_password
    return open_other(url, settings, user=user, password=password)
