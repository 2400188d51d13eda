"""SQuAD-it: the words of a paragraph's best sentence that answer, by token F1.

    python -m benchmarks.squad_it DATA/squad-it

Bar: F1 0.32 (the whole sentence: 0.15). Licence CC BY-SA 4.0.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections import Counter
from pathlib import Path

from benchmarks.passages import texts

_ARTICLES = frozenset("il lo la i gli le l un uno una".split())


def words(text: str) -> list[str]:
    """The words that are compared."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in _ARTICLES]


def f1(told: str, gold: str) -> float:
    """The harmonic mean of precision and recall of words."""
    mine, right = words(told), words(gold)
    common = sum((Counter(mine) & Counter(right)).values())
    return 2 * common / (len(mine) + len(right)) if common else 0.0


def main() -> int:
    """Measure with the folder named on the command line."""
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "absent") / "dev.json"
    if not file.is_file():
        print(f"skipped: {file} is not there")
        return 0
    scores, found = [], 0
    entries = json.loads(file.read_text("utf-8"))
    contents = {one["context"]: f"text-{n}" for n, one in enumerate(entries)}
    with texts({name: text for text, name in contents.items()}) as asker:
        for one in entries:
            answer = asker.ask(one["question"], "it")
            told = answer.values[0].value if answer.values else ""
            scores.append(max(f1(told, gold) for gold in one["answers"]))
            source = answer.passages[0].source if answer.passages else ""
            found += Path(source).stem == contents[one["context"]]
    print(
        f"span F1 {statistics.mean(scores):.3f}, paragraph found first "
        f"{found / len(entries):.3f} of {len(entries)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
