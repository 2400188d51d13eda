"""`askonto serve`: the service on one address until Ctrl-C."""

from __future__ import annotations

import argparse
from dataclasses import replace

from queries.store.startup import check_reading, check_writing
from service.build import open_store
from service.settings import Settings
from service.web.server import Server, listen


def arguments(parser: argparse.ArgumentParser) -> None:
    """`--port`."""
    parser.add_argument("--port", type=int, metavar="N", help="port to serve on (0: a free one)")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve; the store is tried, and kept, before the workers start."""
    if args.port is not None:
        settings = replace(settings, port=args.port)
    with listen(settings.host, settings.port) as listener, open_store(settings) as store:
        check_reading(store)
        check_writing(store, settings.base_iri)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host

        def ready() -> None:
            print(f"askonto serves http://{shown}:{port}/ (Ctrl-C stops it)", flush=True)

        Server(settings, listener, ready).run()
    return 0
