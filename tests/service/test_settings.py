"""Settings: environment over file over default, and every fault told by name."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from service.settings import Settings, SettingsError, about, names


def test_without_any_variable_the_defaults_hold() -> None:
    settings = Settings.from_environment({"XDG_DATA_HOME": "/var/somewhere"})
    assert settings.data == Path("/var/somewhere/askonto")
    assert settings.store is None
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.base_iri == "https://w3id.org/askonto/data/"


def test_without_a_data_home_the_data_lies_under_the_home_folder() -> None:
    expected = Path.home() / ".local" / "share" / "askonto"
    assert Settings.from_environment({}).data == expected


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "askonto.toml"
    file.write_text('port = 9000\nstore = "http://127.0.0.1:3030/ds"\n')
    settings = Settings.from_environment({"ASKONTO_SETTINGS": str(file), "ASKONTO_PORT": "9001"})
    assert settings.port == 9001
    assert settings.store == "http://127.0.0.1:3030/ds"


def test_an_empty_variable_is_an_unset_one() -> None:
    assert Settings.from_environment({"ASKONTO_STORE": "", "ASKONTO_PORT": ""}).port == 8000


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings.from_environment({}).port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASKONTO_PORT", "eighty"),
        ("ASKONTO_PORT", "70000"),
        ("ASKONTO_STORE", "127.0.0.1:3030"),
        ("ASKONTO_STORE", "file:///etc"),
        ("ASKONTO_STORE", "http://127.0.0.1:abc/ds"),
        ("ASKONTO_STORE", "http://127.0.0.1:99999/ds"),
        ("ASKONTO_STORE", "http://a\tb/ds"),
        ("ASKONTO_STORE", "http://..../ds"),
        ("ASKONTO_STORE", "http://[::1/ds"),
        ("ASKONTO_CHAT_URL", f"http://{'a' * 70}.org/v1"),
        ("ASKONTO_EMBEDDING_URL", "http://\udcff/v1"),
        ("ASKONTO_BASE_IRI", "https://example.org/data"),
        ("ASKONTO_BASE_IRI", "https://example.org/my data/"),
        ("ASKONTO_DATA", "~nobody-here/data"),
        ("ASKONTO_DATA", "/tmp/\udcff"),
        ("ASKONTO_QUERY_SECONDS", "nan"),
        ("ASKONTO_QUERY_SECONDS", "0"),
        ("ASKONTO_LOG_LEVEL", "loud"),
    ],
)
def test_a_value_that_cannot_be_used_is_told_with_its_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as told:
        Settings.from_environment({name: value})
    assert told.value.name == name
    assert told.value.mend


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("prot = 1", "'prot' is no setting"),
        ("port = ", "is no TOML"),
        ("[store]\nurl = 'x'", "'store' is neither text nor a number"),
        ("port = true", "'port' is neither text nor a number"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "askonto.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=reason):
        Settings.from_environment({"ASKONTO_SETTINGS": str(file)})


def test_a_missing_file_is_told() -> None:
    with pytest.raises(SettingsError, match="No such file"):
        Settings.from_environment({"ASKONTO_SETTINGS": "/nowhere/askonto.toml"})
    with pytest.raises(SettingsError, match="home"):
        Settings.from_environment({"ASKONTO_SETTINGS": "~nobody-here/askonto.toml"})


@pytest.mark.parametrize("kind", ["CHAT", "EMBEDDING"])
def test_a_model_service_needs_a_model(kind: str) -> None:
    with pytest.raises(SettingsError, match="is missing") as told:
        Settings.from_environment({f"ASKONTO_{kind}_URL": "http://127.0.0.1:1/v1"})
    assert told.value.name == f"ASKONTO_{kind}_MODEL"


def test_keys_and_passwords_are_secrets() -> None:
    assert all(about(name)["secret"] for name in names() if name.endswith(("key", "password")))


def test_every_setting_is_explained() -> None:
    assert all(about(name)["explain"].rstrip(").").strip() for name in names())
