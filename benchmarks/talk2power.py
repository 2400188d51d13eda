"""Talk2Power: questions to a model of the Nordic power grid.

    python -m benchmarks.talk2power DATA/talk2power

Bar: F1 0.75. The set is under CC BY-NC-SA 4.0 and used to measure only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.graphs import asking, names, set_f1, shown


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "dev.json").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    scores, linked = [], []
    with asking([folder / "nordic44_telemark.nt.gz"]) as asker:
        for question in json.loads((folder / "dev.json").read_text("utf-8")):
            answer = asker.ask(question["question"])
            gold = {value for row in question["answers"] for value in row.values()}
            scores.append(set_f1(names(answer), gold))
            mentioned = {mention["iri"] for mention in question["mentions"]}
            if mentioned:
                linked.append(bool(answer.entities) and answer.entities[0].iri in mentioned)
        print(shown("F1", scores))
        print(shown("Hits@1 of the mention", linked))
        print(asker.cost())
    return 0


if __name__ == "__main__":
    sys.exit(main())
