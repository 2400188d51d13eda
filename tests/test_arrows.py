"""Imports go one way: service → loaders → queries → ontology."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ["ontology", "queries", "loaders", "service"]
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def rooms_imported_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names = [node.module or ""]
        else:
            continue
        yield from (name.split(".")[0] for name in names if name.split(".")[0] in ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_its_own_room_and_those_below(path: Path) -> None:
    room = ROOMS.index(path.relative_to(ROOT).parts[0])
    assert {name for name in rooms_imported_by(path) if ROOMS.index(name) > room} == set()


def test_no_module_is_a_drawer_of_odds_and_ends() -> None:
    assert {path.stem for path in MODULES} & {
        "utils",
        "util",
        "helpers",
        "manager",
        "misc",
    } == set()


def test_only_the_settings_read_the_environment() -> None:
    hands_it_on = {"queries/store/process.py"}  # to the store that it starts
    readers = {
        str(path.relative_to(ROOT))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert readers - hands_it_on <= {"service/settings.py"}


def test_flask_is_known_to_the_web_alone() -> None:
    users = {
        str(path.relative_to(ROOT).parent)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "flask"
    }
    assert users == {"service/web"}
