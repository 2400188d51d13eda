"""RDF files that break parsers: each is read with the right count, or refused with its place.

    python benchmarks/rdf_breakers.py DATA/rdf-breakers

The folder's MANIFEST.tsv says what rdflib makes of each file (`ok COUNT` or its error). Prints one
line a file that is wrong, and a summary; the exit code is 1 when any is.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

from loaders.sources import rdf
from loaders.sources.recognise import recognise
from ontology.errors import AskontoError

LONGEST = 20.0


def outcome(path: Path) -> int | AskontoError:
    """The number of triples, or the refusal."""
    try:
        data = path.read_bytes()
        kind = recognise(data, path.name)
        if not kind.is_rdf:
            return AskontoError(f"is taken for {kind}", name=path.name)
        return rdf.read(data, kind, name=path.name, base=path.as_uri(), skolem="http://e/").triples
    except AskontoError as error:
        return error


def fault(found: int | AskontoError, rdflib: str, seconds: float) -> str:
    """What is wrong with an outcome; "" when nothing is."""
    if seconds > LONGEST:
        return f"took {seconds:.0f} s"
    if isinstance(found, AskontoError):
        told = found.name and found.reason and found.mend
        return "" if told and (found.place or "empty" in found.reason) else f"untold: {found}"
    if rdflib.startswith("ok ") and found != int(rdflib.removeprefix("ok ")):
        return f"{found} triples, rdflib finds {rdflib.removeprefix('ok ')}"
    return ""


def main() -> int:
    """Measure the folder named on the command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("absent")
    if not (folder / "MANIFEST.tsv").is_file():
        print(f"skipped: {folder} holds no MANIFEST.tsv")
        return 0
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as lines:
        rows = {row["file"]: row["rdflib"] for row in csv.DictReader(lines, delimiter="\t")}
    read = refused = wrong = 0
    for name, rdflib in rows.items():
        start = time.perf_counter()
        found = outcome(folder / name)
        read, refused = read + isinstance(found, int), refused + isinstance(found, AskontoError)
        if said := fault(found, rdflib, time.perf_counter() - start):
            wrong += 1
            print(f"{name}: {said}")
    print(f"{len(rows)} files: {read} read, {refused} refused with place and reason, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
