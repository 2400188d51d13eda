"""Parsers that a hostile file can crash or stall, each run in a process of its own."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import pyoxigraph as ox

from loaders.sources.recognise import Kind
from ontology.errors import InputError

_DEPTH = 500
_TRIPLE_TERMS = 50
_MEMORY = 4_000_000_000
_REFUSED = 3
_MEND = "Mend that place; nothing of the file was loaded"
_SYNTAX = {
    Kind.JSON_LD: ox.RdfFormat.JSON_LD,
    Kind.TURTLE: ox.RdfFormat.TURTLE,
    Kind.TRIG: ox.RdfFormat.TRIG,
    Kind.N_TRIPLES: ox.RdfFormat.N_QUADS,
    Kind.N_QUADS: ox.RdfFormat.N_QUADS,
    Kind.RDF_XML: ox.RdfFormat.RDF_XML,
}


class ParserDied(InputError):
    """The parser's process crashed, or took too long."""


def to_n_quads(data: bytes, kind: Kind, *, name: str, base: str, seconds: float) -> bytes:
    """The file as N-Quads; raises ParserDied, or InputError with the place and the reason."""
    command = [sys.executable, "-m", __name__, kind.name, base, str(int(seconds) + 1)]
    try:
        done = subprocess.run(  # noqa: S603 - our own module, told a kind, an IRI and a number
            command, input=data, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise ParserDied(
            f"{kind}: was not read within {seconds:g} s", name=name, mend="Save it as N-Triples"
        ) from None
    if done.returncode == _REFUSED:
        told = json.loads(done.stderr)
        raise InputError(f"{kind}: {told['reason']}", name=name, place=told["place"], mend=_MEND)
    if done.returncode:
        raise ParserDied(
            f"{kind}: the parser crashed on it",
            name=name,
            mend="It nests too deeply or needs too much memory: save it as N-Triples",
        )
    return done.stdout


def _child(kind: Kind, base: str, seconds: int) -> None:
    """The process's own part: standard input to N-Quads on standard output."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    data = sys.stdin.buffer.read()
    if kind is Kind.JSON_LD:
        _check_json(data)
    try:
        quads = list(ox.parse(data, format=_SYNTAX[kind], base_iri=base))
    except SyntaxError as error:
        _refuse(error.msg, f"line {error.lineno}" if error.lineno else _place(data, error.msg))
    written = ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b""
    if any(line.count(b"<<(") > _TRIPLE_TERMS for line in written.splitlines()):
        _refuse(f"it nests triples in triples deeper than {_TRIPLE_TERMS} levels")
    sys.stdout.buffer.write(written)


def _place(data: bytes, complaint: str) -> str:
    """The line of what the complaint quotes, for a parser that tells no place."""
    quoted = re.search("'(.+?)'", complaint)
    found = data.find(quoted[1].encode() if quoted else b'""')
    line = data.count(b"\n", 0, found) + 1
    return f"line {line}" if found >= 0 else ""


def _check_json(data: bytes) -> None:
    """JSON-LD's parser nests without limit, and takes time by the square of the depth."""
    try:
        value = json.loads(data)
    except json.JSONDecodeError as error:
        _refuse(error.msg, f"line {error.lineno}, column {error.colno}")
    except RecursionError:
        _refuse(f"it nests deeper than {_DEPTH} levels")
    for depth, context in _contexts(value):
        if depth > _DEPTH:
            _refuse(f"it nests deeper than {_DEPTH} levels")
        if isinstance(context, str):
            line = data.count(b"\n", 0, data.find(context.encode())) + 1
            _refuse(f"its context <{context}> is elsewhere and is not fetched", f"line {line}")


def _contexts(value: Any) -> Iterator[tuple[int, Any]]:
    """The depth of every object and array, and each @context found in it."""
    waiting = [(1, value)]
    while waiting:
        depth, one = waiting.pop()
        inner = list(one.values()) if isinstance(one, dict) else one
        if isinstance(one, dict) and "@context" in one:
            context = one["@context"]
            yield from (
                (depth, part) for part in (context if isinstance(context, list) else [context])
            )
            inner.append(context.get("@import") if isinstance(context, dict) else None)
        yield depth, None
        waiting += ((depth + 1, part) for part in inner if isinstance(part, dict | list))


def _refuse(reason: str, place: str = "") -> NoReturn:
    json.dump({"reason": reason, "place": place}, sys.stderr)
    sys.exit(_REFUSED)


if __name__ == "__main__":
    _child(Kind[sys.argv[1]], sys.argv[2], int(sys.argv[3]))
