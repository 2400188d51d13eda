"""MetaQA: questions of one to three hops over a film graph of 130,279 facts.

    python -m benchmarks.metaqa DATA/metaqa [QUESTIONS_A_HOP]

Bars, Hits@1: 0.90, 0.83, 0.80 on 1, 2, 3 hops. MetaQA is under CC BY 3.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.graphs import asking, hit, names, set_f1, shown


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "dev.json").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    questions = [q for q in json.loads((folder / "dev.json").read_text("utf-8")) if q["verified"]]
    with asking([folder / "metaqa-kb.nt.gz"], whole=False) as asker:
        for hop in (1, 2, 3):
            chosen = [q for q in questions if q["hop"] == hop][:most]
            answers = [(asker.ask(q["question"]), q["gold"]) for q in chosen]
            print(shown(f"{hop} hops: Hits@1", (hit(one, gold) for one, gold in answers)))
            print(shown("        F1", (set_f1(names(one), gold) for one, gold in answers)))
        print(asker.cost())
    return 0


if __name__ == "__main__":
    sys.exit(main())
