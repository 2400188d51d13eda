"""`askonto backup` and `restore` as processes: killed or stopped at any moment, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from queries.store import open_embedded, whole
from service.cli.main import main

COMMAND = [sys.executable, "-m", "service.cli.main"]
SIZE = 60_000


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("ASKONTO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("ASKONTO_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def big(tmp_path: Path) -> Path:
    file = tmp_path / "big.nq"
    line = '<http://e.org/%d> <http://e.org/p> "%d" <http://e.org/g> .\n'
    file.write_text("".join(line % (i, i) for i in range(SIZE)))
    return file


def count(data: Path) -> int:
    with open_embedded(data / "store", deadline=10) as store:
        return whole.count(store)


def test_a_pump_is_backed_up_lost_and_restored(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, file = tmp_path / "pump.ttl", tmp_path / "all.nq.gz"
    source.write_text('<http://e.org/pump> <http://e.org/output> "4 kW" .')
    assert main(["load", str(source)]) == 0
    assert main(["backup", str(file)]) == 0
    assert main(["unload", str(source)]) == 0
    assert main(["restore", str(file)]) == 0
    assert "count and checksum are right" in capsys.readouterr().out
    assert main(["sources"]) == 0
    assert source.as_uri() in capsys.readouterr().out
    assert main(["compact"]) == 0
    assert "MB now" in capsys.readouterr().out
    assert main(["sparql", "SELECT ?o { <http://e.org/pump> ?p ?o }"]) == 0
    assert capsys.readouterr().out.splitlines() == ["?o", '"4 kW"']


@pytest.mark.parametrize("after", [0.6, 1.0, 1.4, 1.8, 2.4])
def test_a_restore_that_is_killed_leaves_the_old_or_the_new(
    data: Path, big: Path, tmp_path: Path, after: float
) -> None:
    small = tmp_path / "small.nq"
    small.write_text('<http://e.org/a> <http://e.org/p> "x" <http://e.org/g> .\n')
    assert main(["restore", str(small)]) == 0
    with subprocess.Popen([*COMMAND, "restore", str(big)], stdout=subprocess.DEVNULL) as process:
        time.sleep(after)
        process.kill()
    assert count(data) in {2, SIZE + 1}
    assert main(["restore", str(small)]) == 0
    assert count(data) == 2


@pytest.mark.parametrize("after", [0.6, 1.0, 1.4])
def test_a_backup_that_is_killed_leaves_the_one_before(
    data: Path, big: Path, tmp_path: Path, after: float
) -> None:
    assert main(["restore", str(big)]) == 0
    file = tmp_path / "all.nq.gz"
    assert main(["backup", str(file)]) == 0
    before = file.read_bytes()
    with subprocess.Popen([*COMMAND, "backup", str(file)], stdout=subprocess.DEVNULL) as process:
        time.sleep(after)
        process.kill()
    assert len(file.read_bytes()) == len(before)
    assert main(["restore", str(file)]) == 0
    assert count(data) == SIZE + 1


def test_ctrl_c_is_told_in_one_line(data: Path, big: Path) -> None:
    command = [*COMMAND, "restore", str(big)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not list(data.glob("store/building-*")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    if process.returncode == 0:  # it was done, or past the point of return, before the signal
        assert count(data) >= SIZE
        return
    assert process.returncode == 130
    assert told.splitlines() == [
        "askonto: stopped; the store has its old graphs or the new ones, whole"
    ]
    assert count(data) == 0 or count(data) >= SIZE


def test_a_copy_from_what_is_no_url_is_a_wrong_call(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["copy", "--from", "http://a:b/"])
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_copy_needs_two_stores(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["copy"]) == 1
    assert "one store with itself" in capsys.readouterr().err
