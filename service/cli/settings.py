"""`askonto settings`: every setting, its value and what it is for."""

from __future__ import annotations

import argparse
import textwrap

from service.settings import FILE, Settings, about, names, variable


def arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print them; keys and passwords are masked."""
    print(f"Settings come from the environment, then from the TOML file that {FILE} names")
    print("(its keys are the names below without ASKONTO_, in small letters).\n")
    for name in names():
        print(f"{variable(name)} = {_shown(settings, name)}")
        print(
            textwrap.fill(
                about(name)["explain"],
                96,
                initial_indent="    ",
                subsequent_indent="    ",
                break_on_hyphens=False,
            )
        )
    return 0


def _shown(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if value is None:
        return "(unset)"
    return "****" if about(name)["secret"] else str(value)
