"""Loading, each template and a whole question on each store, as the graph grows.

    python -m benchmarks.stores [SIZE …] [--plot FILE.svg]

Sizes in triples (default: 10000 1000000); the graph is made here, seeded, with Zipf degrees. The
embedded store, Fuseki (where Java and Maven are) and rdflib (up to a million) take turns. Each
template is sent by the service's client and as the same text by a bare pooled one. Bars: Fuseki at
most 1.5 × the bare client, and less than 2 × from 1 to 10 million; loading into the embedded store
at most 4 × `oxigraph load`.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import rdflib
from pyoxigraph import NamedNode

from benchmarks.loading import load as load_file
from benchmarks.serving import ASKONTO, ask, served
from loaders.iris import Iris
from loaders.load import Loader
from queries.library import load
from queries.store import Store
from queries.store.process import free_port
from queries.store.results import ACCEPT_ROWS
from service.build import open_store
from service.settings import Settings

RUN = Path(__file__).parents[1] / "deploy" / "fuseki" / "run"
E = "http://example.org/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
RELATIONS = ("owner", "maker", "neighbour", "supplier", "teacher", "owner of land", "guide")
LABELLED = 300
ROUNDS = 60
WARM = 300
RDFLIB_MOST = 1_000_000
TEMPLATES = ("tail", "head", "other_head", "attributes", "neighbours_out", "path_out", "path_in")


@dataclass
class Figures:
    """Of one store and size: seconds to load, and milliseconds (median) of each template."""

    store: str
    size: int
    load: float
    ours: dict[str, float] = field(default_factory=dict)
    bare: dict[str, float] = field(default_factory=dict)
    question: float = math.nan


def main() -> None:
    """Print a table, and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int, nargs="*", default=[10_000, 1_000_000])
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    every = []
    for size in args.size:
        with tempfile.TemporaryDirectory() as name:
            for figures in measured(size, Path(name)):
                show(figures)
                every.append(figures)
    if args.plot:
        args.plot.write_text(plot(every), encoding="utf-8")


def measured(size: int, folder: Path) -> Iterator[Figures]:
    """The figures of each store, one after the other."""
    path = folder / "graph.nt"
    write_graph(path, size)
    command: list[Path | str] = [
        ASKONTO.with_name("oxigraph"),
        "load",
        "--location",
        folder / "bare",
        "--file",
        path,
    ]
    print(f"{size:,} triples: oxigraph load, stopped: {seconds(lambda: run(command)):.1f} s")
    environment = {**os.environ, "ASKONTO_DATA": str(folder / "embedded")}
    yield on_service("embedded", size, path, environment)
    missing = [program for program in ("java", "mvn") if not shutil.which(program)]
    if missing:
        print(f"Fuseki skipped: no {' and '.join(missing)}")
    else:
        with fuseki(folder / "fuseki") as lines:
            environment = {**os.environ, **lines, "ASKONTO_DATA": str(folder / "beside")}
            yield on_service("Fuseki", size, path, environment)
    if size <= RDFLIB_MOST:
        yield on_rdflib(size, path)


def write_graph(path: Path, size: int) -> None:
    """Statements between size / 5 things, most of them about few; some things have names."""
    draw = random.Random(size)
    things = size // 5
    with path.open("w", encoding="utf-8") as file:
        for number in range(min(LABELLED, things)):
            file.write(f'<{E}{number}> <{LABEL}> "{name(number)}"@en .\n')
        for number, relation in enumerate(RELATIONS):
            file.write(f'<{E}p{number}> <{LABEL}> "{relation}"@en .\n')
        for _ in range(size - min(LABELLED, things) - len(RELATIONS)):
            subject, target = draw.randrange(things), int(things ** draw.random()) - 1
            file.write(f"<{E}{subject}> <{E}p{draw.randrange(len(RELATIONS))}> <{E}{target}> .\n")


def name(number: int) -> str:
    """A name that no other number has."""
    syllables = ("Ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu")
    return "".join(syllables[int(digit)] for digit in f"{number:04}").capitalize()


def on_service(store_name: str, size: int, path: Path, environment: Mapping[str, str]) -> Figures:
    """Load, then the templates, then questions over HTTP; what is left embeds in the background."""
    settings = Settings.from_environment(environment)
    with open_store(settings) as store, httpx.Client(trust_env=False, timeout=60) as bare:
        loader = Loader(store, Iris("https://example.org/data/"))
        figures = Figures(store_name, size, seconds(partial(load_file, loader, path)))
        for template in TEMPLATES:
            ours, theirs = compared(store, bare, template, size)
            figures.ours[template], figures.bare[template] = ours, theirs
    with served(environment) as http:
        questions = [f"Who is the owner of {name(7 * n + 3)}?" for n in range(40)]
        took_each = [sum(x) for x in zip((ask(http, q)[0] for q in questions), strict=True)]
        figures.question = 1000 * statistics.median(took_each[10:])
    return figures


def compared(store: Store, bare: httpx.Client, template: str, size: int) -> tuple[float, float]:
    """Milliseconds of the service's client and of a bare one, the same queries in turns."""
    draw = random.Random(template)
    endpoints = store.engine.endpoints()
    auth = httpx.BasicAuth(endpoints.user, endpoints.password)
    headers = {"Content-Type": "application/sparql-query", "Accept": ACCEPT_ROWS}

    def plainly(query: str) -> None:
        reply = bare.post(endpoints.query, content=query, headers=headers, auth=auth)
        _ = reply.raise_for_status().content

    ours: list[float] = []
    theirs: list[float] = []
    for number in range(WARM // len(TEMPLATES) + ROUNDS):
        query = bound(template, draw, size)
        works: list[tuple[list[float], Callable[[], object]]] = [
            (ours, partial(store.select, query)),
            (theirs, partial(plainly, query)),
        ]
        for kept, work in works if number % 2 else reversed(works):
            took = seconds(work)
            if number >= WARM // len(TEMPLATES):
                kept.append(1000 * took)
    return statistics.median(ours), statistics.median(theirs)


def bound(template: str, draw: random.Random, size: int) -> str:
    """The template about things drawn at random."""
    query = load(f"retrieve/{template}")
    entity = NamedNode(f"{E}{draw.randrange(size // 5)}")
    predicate = NamedNode(f"{E}p{draw.randrange(len(RELATIONS))}")
    values: dict[str, object] = {
        "limit": 100,
        "entity_predicate": [(entity, predicate)],
        "entity": [entity],
        "predicate": [predicate],
        "plan_seed_first": [(NamedNode(f"{E}plan"), entity, predicate)],
    }
    return query.bind(**{slot: values[slot] for slot in query.parameters})


def on_rdflib(size: int, path: Path) -> Figures:
    """The templates that are SPARQL 1.1, in process."""
    graph = rdflib.Graph()
    figures = Figures("rdflib", size, seconds(lambda: graph.parse(path, format="nt")))
    for template in TEMPLATES:
        if template != "neighbours_out":  # LATERAL is not SPARQL 1.1
            draw = random.Random(template)
            queries = [bound(template, draw, size) for _ in range(5)]
            took = [seconds(partial(answered, graph, query)) for query in queries]
            figures.ours[template] = 1000 * statistics.median(took)
    return figures


def answered(graph: rdflib.Graph, query: str) -> list[object]:
    """All rows that rdflib has."""
    return list(graph.query(query))


@contextlib.contextmanager
def fuseki(folder: Path) -> Iterator[dict[str, str]]:
    """Settings of a Fuseki as `make fuseki` starts it."""
    command = [str(RUN), str(free_port()), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            lines = dict(process.stdout.readline().strip().split("=", 1) for _ in range(3))
            await_port(lines["ASKONTO_STORE"])
            yield lines
        finally:
            process.terminate()


def await_port(address: str) -> None:
    """Return when something answers there."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(address)
            return
        time.sleep(0.2)


def run(command: Sequence[Path | str], environment: Mapping[str, str] | None = None) -> None:
    """Run a program; what it says is shown where it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command} failed: {done.stdout}{done.stderr}")


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def show(figures: Figures) -> None:
    """One block of the table; the last column is the service's client against the bare one."""
    print(
        f"\n{figures.store}, {figures.size:,} triples: load {figures.load:.1f} s"
        + ("" if math.isnan(figures.question) else f", question {figures.question:.0f} ms")
    )
    for template, ours in figures.ours.items():
        bare = figures.bare.get(template)
        beside = f"{bare:8.2f} ms bare {ours / bare:6.2f} ×" if bare else ""
        print(f"  {template:<16}{ours:8.2f} ms {beside}")
    if figures.bare:
        ratio = sum(figures.ours.values()) / sum(figures.bare.values())
        print(f"  all together {ratio:.2f} ×", flush=True)


def plot(every: list[Figures]) -> str:
    """An SVG: the mean of the templates' medians by size, both on logarithmic axes."""
    lines = []
    for place, store in enumerate(dict.fromkeys(figures.store for figures in every)):
        colour = ("#1b6ca8", "#c1440e", "#4a7c2c")[place]
        points = [
            (
                100 * math.log10(f.size) - 340,
                260 - 80 * math.log10(statistics.mean(f.ours.values())),
            )
            for f in every
            if f.store == store
        ]
        path = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = points[-1]
        lines.append(f'<text x="{x + 6:.0f}" y="{y:.0f}" fill="{colour}">{store}</text>')
    for power in range(4, 8):
        lines.append(f'<text x="{100 * power - 340}" y="310">10^{power}</text>')
    for power in range(4):
        lines.append(f'<text x="4" y="{260 - 80 * power}">{10**power} ms</text>')
    body = "\n".join(lines)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="330" font-family="sans-serif"'
        f' font-size="12">\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    main()
