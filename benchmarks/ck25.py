"""The corporate graph of the Text2SPARQL challenge 2025 (CK25).

    python -m benchmarks.ck25 DATA/ck25

Bar: F1 0.50 (best of the public challenge, with language models: 0.444). CC BY 4.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.graphs import asking, names, set_f1, shown
from benchmarks.qald import plain


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "dev.json").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    scores = []
    with asking([folder / "prod-inst.ttl", folder / "prod-vocab.ttl"]) as asker:
        for question in json.loads((folder / "dev.json").read_text("utf-8")):
            answer = asker.ask(question["question"])
            found = [{plain(text) for text in value} for value in names(answer)]
            scores.append(set_f1(found, [plain(text) for text in question["gold"]]))
        print(shown("F1", scores))
        print(asker.cost())
    return 0


if __name__ == "__main__":
    sys.exit(main())
