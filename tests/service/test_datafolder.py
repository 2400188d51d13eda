"""The data folder: marked with its version, and refused where it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.datafolder import DataFolderError, open_folder


def test_a_missing_folder_is_made_and_opens_again(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert open_folder(folder) == folder
    assert open_folder(folder) == folder


def test_a_folder_of_a_newer_version_is_refused_with_the_mend(tmp_path: Path) -> None:
    (tmp_path / "askonto-version").write_text("99\n")
    with pytest.raises(DataFolderError, match=r"newer askonto.*Update askonto"):
        open_folder(tmp_path)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataFolderError, match="none of askonto's"):
        open_folder(tmp_path)


def test_a_mark_that_a_crash_left_empty_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "askonto-version").touch()
    open_folder(tmp_path)
    assert (tmp_path / "askonto-version").read_text() == "1\n"


def test_a_mark_that_is_no_number_is_refused(tmp_path: Path) -> None:
    (tmp_path / "askonto-version").write_text("one\n")
    with pytest.raises(DataFolderError, match="instead of a number"):
        open_folder(tmp_path)


@pytest.mark.parametrize("path", ["/proc/askonto", "/dev/null/askonto"])
def test_a_folder_that_cannot_be_written_is_refused_with_the_mend(path: str) -> None:
    with pytest.raises(DataFolderError, match="ASKONTO_DATA"):
        open_folder(Path(path))
