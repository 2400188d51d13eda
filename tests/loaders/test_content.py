"""A file's bytes, unpacked within limits."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from loaders.sources.content import Unreadable, read_file, unpacked
from loaders.sources.limits import Limits


def test_gzip_is_unpacked_member_by_member() -> None:
    data = gzip.compress(b"one ") + gzip.compress(b"two")
    assert unpacked(data, "x", Limits()) == b"one two"


def test_gzip_bomb_is_refused_before_it_fills_memory() -> None:
    with pytest.raises(Unreadable, match="more than"):
        unpacked(gzip.compress(bytes(300_000_000), 9), "x.gz", Limits())


@pytest.mark.parametrize("cut", [5, 30])
def test_cut_gzip_is_refused(cut: int) -> None:
    with pytest.raises(Unreadable, match="gzip"):
        unpacked(gzip.compress(os.urandom(100))[:cut], "x.gz", Limits())


def test_large_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "x.nt"
    with file.open("wb") as sparse:
        sparse.truncate(3_000_000_000)
    with pytest.raises(Unreadable, match=r"2,000 MB"):
        read_file(file, "x.nt", Limits())


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(Unreadable, match="regular"):
        read_file(pipe, "pipe", Limits())
    with pytest.raises(Unreadable, match="cannot be read"):
        read_file(tmp_path / "absent", "absent", Limits())
