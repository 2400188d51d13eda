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
from collections.abc import Callable, Iterator, Mapping, Sequence
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
        with served(environment) as http:
            _wait(http, _complete)
            _at_once(http, questions)  # so that every process has its vectors
            cost = _alone(http, questions, folder)
            _together(http, questions, cost)


@contextlib.contextmanager
def served(environment: Mapping[str, str]) -> Iterator[httpx.Client]:
    """A client of a service with these settings."""
    port = free_port()
    command = [str(ASKONTO), "serve", "--port", str(port)]
    serving = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            _wait(http, lambda _: True)
            yield http
    finally:
        serving.terminate()
        serving.wait()


def _complete(index: Mapping[str, int]) -> bool:
    return index["embedded"] == index["wanted"]


def _wait(http: httpx.Client, enough: Callable[[Mapping[str, int]], bool]) -> None:
    until = time.monotonic() + 600
    while time.monotonic() < until:
        with contextlib.suppress(httpx.TransportError):
            if enough(http.get("/health").json()["index"]):
                return
        time.sleep(0.5)


def ask(http: httpx.Client, question: str) -> tuple[float, float]:
    """The seconds that a request took, and those of them that went into the embedding."""
    start = time.perf_counter()
    reply = http.post("/ask", json={"question": question}).raise_for_status().json()
    return time.perf_counter() - start, reply["seconds"].get("embedding", 0.0)


def _alone(http: httpx.Client, questions: Sequence[str], folder: str) -> float:
    """Print the latencies; the processor time of a question."""
    beside, before = [], processor_seconds(folder)
    for _ in range(ROUNDS):
        for question in questions:
            whole, embedding = ask(http, question)
            beside.append(whole - embedding)
    ranked = sorted(beside)
    p50, p95 = ranked[len(ranked) // 2], ranked[len(ranked) * 95 // 100]
    print(f"one asker: beside the embedding p50 {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms")
    return (processor_seconds(folder) - before) / len(beside)


def _together(http: httpx.Client, questions: Sequence[str], cost: float) -> None:
    todo = list(questions) * ROUNDS
    start = time.perf_counter()
    took = _at_once(http, todo)
    rate = len(todo) / (time.perf_counter() - start)
    allowed = (os.cpu_count() or 1) / cost
    mean = statistics.mean(took)
    print(
        f"{ASKERS} askers: {rate:.0f} questions a second, {rate / allowed:.2f} of what their"
        f" {1000 * cost:.0f} ms of processor time allow;"
        f" mean {1000 * mean:.0f} ms, the slowest {max(took) / mean:.1f} × that"
    )


def _at_once(http: httpx.Client, questions: Sequence[str]) -> list[float]:
    """The seconds of each request, eight being asked at once."""
    with ThreadPoolExecutor(ASKERS) as askers:
        return [whole for whole, _ in askers.map(lambda question: ask(http, question), questions)]


def processor_seconds(folder: str) -> float:
    """What the service and the store of a data folder, and the askers, have used until now."""
    total = time.process_time()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"ASKONTO_DATA={folder}/" in (process / "environ").read_text(errors="replace"):
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                total += (int(fields[11]) + int(fields[12])) / _TICKS
    return total


if __name__ == "__main__":
    main()
