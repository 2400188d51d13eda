"""What answering costs over HTTP: with one asker, and with eight at once.

    python -m benchmarks.serving GRAPH QUESTIONS.jsonl

serves the graph from a data folder of its own. Bars: beside the embedding p50 30 ms and p95 80 ms
with one asker; with eight at least 0.8 of the throughput that the processor time of one question
allows on the machine's cores, and no request over three times the mean.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from queries.store.process import free_port

ASKONTO = Path(sys.executable).with_name("askonto")
ASKERS = 8
ROUNDS = 10
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", type=Path)
    parser.add_argument("questions", type=Path)
    args = parser.parse_args()
    lines = args.questions.read_text("utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ASKONTO_DATA": f"{folder}/data"}
        load = [ASKONTO, "load", args.graph]
        subprocess.run(load, env=environment, check=True, capture_output=True)
        with served(environment) as (http, process):
            for question in questions:
                ask(http, question)
            _alone(http, questions)
            _together(http, questions, process)


@contextlib.contextmanager
def served(environment: Mapping[str, str]) -> Iterator[tuple[httpx.Client, int]]:
    """A client of a service with these settings, its index complete, and the service's process."""
    port = free_port()
    command = [str(ASKONTO), "serve", "--port", str(port)]
    serving = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            _wait(http)
            yield http, serving.pid
    finally:
        serving.terminate()
        serving.wait()


def _wait(http: httpx.Client) -> None:
    until = time.monotonic() + 600
    while time.monotonic() < until:
        with contextlib.suppress(httpx.TransportError):
            index = http.get("/health").json()["index"]
            if index["embedded"] == index["wanted"]:
                return
        time.sleep(0.5)


def ask(http: httpx.Client, question: str) -> tuple[float, float]:
    """The seconds that a request took, and those of them that went into the embedding."""
    start = time.perf_counter()
    reply = http.post("/ask", json={"question": question}).raise_for_status().json()
    return time.perf_counter() - start, reply["seconds"].get("embedding", 0.0)


def _alone(http: httpx.Client, questions: Sequence[str]) -> None:
    beside = []
    for _ in range(ROUNDS):
        for question in questions:
            whole, embedding = ask(http, question)
            beside.append(whole - embedding)
    ranked = sorted(beside)
    p50, p95 = ranked[len(ranked) // 2], ranked[len(ranked) * 95 // 100]
    print(f"one asker: beside the embedding p50 {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms")


def _together(http: httpx.Client, questions: Sequence[str], process: int) -> None:
    todo = list(questions) * ROUNDS
    before, start = processor_seconds(process), time.perf_counter()
    with ThreadPoolExecutor(ASKERS) as askers:
        took = [whole for whole, _ in askers.map(lambda question: ask(http, question), todo)]
    seconds, spent = time.perf_counter() - start, processor_seconds(process) - before
    rate, allowed = len(todo) / seconds, (os.cpu_count() or 1) * len(todo) / spent
    mean = statistics.mean(took)
    print(
        f"{ASKERS} askers: {rate:.0f} questions a second, {rate / allowed:.2f} of what their"
        f" {1000 * spent / len(todo):.0f} ms of processor time allow;"
        f" mean {1000 * mean:.0f} ms, the slowest {max(took) / mean:.1f} × that"
    )


def processor_seconds(process: int) -> float:
    """What a process and all its descendants have used of the processor until now."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            number = int(stat.parent.name)
            children.setdefault(int(fields[1]), []).append(number)
            used[number] = (int(fields[11]) + int(fields[12])) / _TICKS
    total, todo = 0.0, [process]
    while todo:
        number = todo.pop()
        total += used.get(number, 0.0)
        todo += children.get(number, [])
    return total


if __name__ == "__main__":
    main()
