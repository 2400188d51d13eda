"""QA4FAQ (EVALITA 2016): which of a water utility's 406 FAQ answers a user's words.

    python -m benchmarks.qa4faq DATA/qa4faq

Bars: Hits@1 0.48, Hits@5 0.80 (BM25: 0.36, 0.72). Licence CC BY-NC-SA 3.0 IT.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.passages import hits, names, texts


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "faq.json").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    entries = json.loads((folder / "faq.json").read_text("utf-8"))
    queries = json.loads((folder / "dev.json").read_text("utf-8"))
    contents = {
        f"faq-{one['id']}": f"# {one['question']}\n\n{one['answer']}\n\n{one['tag']}\n"
        for one in entries
    }
    with texts(contents, ".md") as asker:
        found = [names(asker.ask(query["text"], "it")) for query in queries]
    right = [{f"faq-{number}" for number in query["relevant"]} for query in queries]
    print(hits(zip(found, right, strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
