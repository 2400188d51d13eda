"""QALD-9 over a small part of DBpedia, in English and Italian.

    python -m benchmarks.qald DATA/qald [LANGUAGE …]

Bars: F1 0.82 (en), 0.72 (it); linking Hits@1 0.91, 0.80. MIT, CC BY 4.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.graphs import asking, names, set_f1, shown

VERDICTS = {"yes": "true", "sì": "true", "ja": "true", "oui": "true", "sí": "true"} | {
    "no": "false",
    "nein": "false",
    "non": "false",
}


def gold_of(question: dict[str, Any]) -> list[str]:
    """The right values as texts; numbers in one form."""
    gold = question["gold"]
    return [plain(str(value)) for value in (gold if isinstance(gold, list) else [gold])]


def plain(text: str) -> str:
    """Numbers and verdicts in one form."""
    try:
        return str(float(text))
    except ValueError:
        return VERDICTS.get(text.lower(), text).lower()


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "dev.json").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    questions = json.loads((folder / "dev.json").read_text("utf-8"))
    with asking([folder / "qald-mini-kg.nt.gz"]) as asker:
        for language in sys.argv[2:] or ("en", "it"):
            scores, linked = [], []
            for question in questions:
                if language not in question["questions"]:
                    continue
                answer = asker.ask(question["questions"][language], language)
                found = [{plain(text) for text in value} for value in names(answer)]
                scores.append(set_f1(found, gold_of(question)))
                if question["entities"]:
                    first = answer.entities[:1]
                    linked.append(bool(first) and first[0].iri in question["entities"])
            print(shown(f"{language}: F1", scores))
            print(shown(f"{language}: linking Hits@1", linked))
        print(asker.cost())
    return 0


if __name__ == "__main__":
    sys.exit(main())
