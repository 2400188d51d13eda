"""A disk that is full: writes fail by name, reads go on, and all is well once there is space."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from queries.store import open_embedded
from queries.store.errors import StoreFull


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 40 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40m", "askonto", str(disk)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small file system")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_writing_works_again_once_there_is_space(small_disk: Path) -> None:
    filler = small_disk / "filler"
    with open_embedded(small_disk / "store", deadline=10) as store:
        store.update("INSERT DATA { GRAPH <http://e/g> { <http://e/a> <http://e/b> 1 } }")
        filler.write_bytes(b"x" * (os.statvfs(small_disk).f_bavail * 4096 - 300_000))
        written = 0
        with pytest.raises(StoreFull, match="Free some"):
            for written in range(100):
                lines = (f'<http://e/{i}> <http://e/{written}> "{"x" * 100}" .' for i in range(200))
                store.put_graph(NamedNode(f"http://e/{written}"), "\n".join(lines).encode())
        assert store.ask("ASK { <http://e/a> <http://e/b> 1 }")
        with pytest.raises(StoreFull):
            store.put_graph(NamedNode("http://e/big"), "\n".join(lines_of(3000)).encode())
        filler.unlink()
        store.put_graph(NamedNode("http://e/after"), b"<http://e/c> <http://e/d> <http://e/e> .")
        assert store.ask("ASK { <http://e/c> <http://e/d> <http://e/e> }")
        graphs = store.select("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")
        assert len(graphs) == written + 2


def lines_of(count: int) -> Iterator[str]:
    return (f'<http://e/{i}> <http://e/big> "{"x" * 100}" .' for i in range(count))
