"""The command line: every fault in one line with the mend, and nothing half-done."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.main import COMMANDS, main

TURTLE = """@prefix e: <http://e.org/> .
e:pump <http://www.w3.org/2000/01/rdf-schema#label> "heat pump"@en ; e:output "4 kW" .
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("ASKONTO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    folder = tmp_path / "data"
    monkeypatch.setenv("ASKONTO_DATA", str(folder))
    return folder


@pytest.fixture
def turtle(tmp_path: Path) -> Path:
    file = tmp_path / "pump.ttl"
    file.write_text(TURTLE)
    return file


def test_a_graph_is_loaded_listed_queried_and_removed(
    data: Path, turtle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["load", str(turtle)]) == 0
    assert "loaded" in capsys.readouterr().out
    assert main(["sources"]) == 0
    assert capsys.readouterr().out.split("\t")[:2] == [turtle.as_uri(), "2"]
    assert main(["sparql", "SELECT ?o { <http://e.org/pump> <http://e.org/output> ?o }"]) == 0
    assert capsys.readouterr().out.splitlines() == ["?o", '"4 kW"']
    assert main(["unload", str(turtle)]) == 0
    assert "2 triples removed" in capsys.readouterr().out
    assert main(["sources"]) == 0
    assert capsys.readouterr().out == ""


def test_a_bad_file_is_refused_and_the_others_load(
    data: Path, turtle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text(TURTLE + "e:pump e:output ")
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert main(["load", str(broken), str(empty), "/nowhere", str(turtle)]) == 1
    told = capsys.readouterr()
    assert told.err.count("refused: ") == 3
    assert "broken.ttl" in told.err
    assert main(["sources"]) == 0
    assert capsys.readouterr().out.count("\n") == 1


def test_a_query_is_read_from_a_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ask.rq"
    file.write_text("ASK { ?s ?p ?o }")
    assert main(["sparql", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["boolean"] is False


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["load"], "nothing to load"),
        (["unload", "/nowhere"], "is not"),
        (["sparql", "DROP ALL"], "query"),
        (["sparql", "SELECT * {"], ""),
        (["ask", ""], "question: is empty"),
        (["ask", "What?", "--as-of", "soon"], "as_of: is no date"),
        (["batch", "/nowhere.jsonl", "/tmp/out.jsonl"], "No such file"),
        (["load", "--list", "/nowhere.tsv"], "nowhere.tsv"),
        (["serve", "--port", "99999"], ""),
    ],
)
def test_a_fault_is_one_line_and_an_exit_code(
    data: Path, capsys: pytest.CaptureFixture[str], argv: list[str], words: str
) -> None:
    assert main(argv) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1, told
    assert told[0].startswith("askonto: ")
    assert words in told[0]


@pytest.mark.parametrize("argv", [["nonsense"], ["ask"], ["ask", "x", "--wrong"]])
def test_a_wrong_call_is_told_in_one_line(
    data: Path, capsys: pytest.CaptureFixture[str], argv: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_data_folder_of_a_newer_version_is_refused(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data.mkdir()
    (data / "askonto-version").write_text("99\n")
    assert main(["sources"]) == 1
    assert "Update askonto" in capsys.readouterr().err


def test_settings_are_explained_and_secrets_masked(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASKONTO_CHAT_KEY", "sk-secret")
    assert main(["settings"]) == 0
    out = capsys.readouterr().out
    assert f"ASKONTO_DATA = {data}" in out
    assert "ASKONTO_CHAT_KEY = ****" in out
    assert "sk-secret" not in out


def test_a_faulty_setting_is_told_by_every_command(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASKONTO_PORT", "eighty")
    assert main(["sources"]) == 1
    assert "ASKONTO_PORT" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(
    data: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert command in capsys.readouterr().out


def test_the_help_imports_no_command() -> None:
    script = "import sys, service.cli.main as m; m._parser(''); print(len(sys.modules))"
    modules = int(subprocess.check_output([sys.executable, "-c", script]))
    assert modules < 400


def test_a_reader_that_leaves_is_no_fault(data: Path, turtle: Path) -> None:
    askonto = f"{sys.executable} -m service.cli.main"
    shell = f"{askonto} settings | head -n 1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_question_is_answered_by_words_where_the_embedding_service_fails(
    data: Path, turtle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    monkeypatch.setenv("ASKONTO_EMBEDDING_URL", url)
    monkeypatch.setenv("ASKONTO_EMBEDDING_MODEL", "m")
    assert main(["load", str(turtle)]) == 1
    told = capsys.readouterr()
    assert "loaded" in told.out
    assert url in told.err
    assert main(["ask", "What is the output of the heat pump?"]) == 0
    told = capsys.readouterr()
    assert "4 kW" in told.out
    assert "searched by words alone" in told.err
    assert url in told.err


def test_a_batch_answers_in_order_and_goes_on_after_a_bad_line(
    data: Path, turtle: Path, tmp_path: Path
) -> None:
    questions, answers = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    questions.write_text(
        '{"id": "a", "question": "What is the output of the heat pump?"}\n'
        "not json\n"
        '\n{"id": "c", "question": ""}\n{"id": "d", "question": "Who is the king of Atlantis?"}\n'
    )
    assert main(["load", str(turtle)]) == 0
    assert main(["batch", str(questions), str(answers)]) == 0
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [line["id"] for line in lines] == ["a", None, "c", "d"]
    assert ["error" in line for line in lines] == [False, True, True, False]
    assert lines[0]["lang"] == "en"


def test_a_batch_does_not_write_over_its_questions(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, other = tmp_path / "in.jsonl", tmp_path / "other.jsonl"
    questions.write_text('{"question": "What?"}\n')
    other.symlink_to(questions)
    assert main(["batch", str(questions), str(other)]) == 1
    assert "other.jsonl: holds the questions" in capsys.readouterr().err
    assert questions.read_text() == '{"question": "What?"}\n'
