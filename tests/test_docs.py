"""The documentation names what there is, and its examples hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.cli.main import COMMANDS
from service.settings import names, variable

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [variable(name) for name in names()])
def test_every_setting_is_in_the_docs(name: str) -> None:
    assert f"| `{name}` |" in text("docs/settings.md")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_docs(command: str) -> None:
    assert f"`askonto {command}" in text("docs/cli.md")


@pytest.mark.parametrize("path", sorted((ROOT / "queries").rglob("*.rq")), ids=lambda p: p.stem)
def test_every_query_is_in_the_docs_with_what_it_answers(path: Path) -> None:
    name = str(path.relative_to(ROOT / "queries").with_suffix(""))
    first = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    assert f"| `{name}` | {first} |" in text("docs/queries.md")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *map(str, DOCS.glob("*.md"))])
def test_links_between_files_lead_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text(page)):
        assert (folder / target).exists(), f"{page} links to {target}"


def test_the_commands_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"^make ([a-z-]+)", text("README.md"), re.MULTILINE)) <= targets
    assert set(re.findall(r"\.venv/bin/askonto ([a-z]+)", text("README.md"))) <= set(COMMANDS)


def test_pins_are_versions_only() -> None:
    for line in text("constraints.txt").splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line), line
