"""Questions of the ENERGENIUS paper over its saved pages, without a language model.

    python -m benchmarks.energenius DATA/energenius

Bars: right source cited first 0.93 (it), 0.80 (en); valid and short 0.72 (it), 0.35 (en). The
questions are from the paper's repository (MIT); the pages belong to their publishers.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import sys
from pathlib import Path
from types import ModuleType

from benchmarks.passages import asking
from loaders.addresses import listed


def scorer(folder: Path) -> ModuleType:
    """The data's own scoring script."""
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("absent")
    if not (folder / "score.py").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    score = scorer(folder)
    pages = score.Pages(str(folder / "txt"))
    lines = (folder / "questions-dev.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    with asking(listed(folder / "pages" / "index.tsv")) as asker:
        for language in ("it", "en"):
            first, scores = 0, []
            for gold in questions:
                answer = asker.ask(gold[f"question_{language}"], language)
                cited = [{"url": one.url, "quote": one.quote} for one in answer.quotes]
                first += score.nurl(cited[0]["url"] if cited else "") == score.nurl(
                    gold["source_url"]
                )
                line = {
                    "lang": language,
                    "answer": answer.text,
                    "citations": cited,
                    "abstained": answer.confidence < 0.5,
                }
                scores.append(score.score_one(gold, line, pages))
            kept = statistics.mean(not one["abstained"] for one in scores)
            short = statistics.mean(one["valid_short"] for one in scores)
            print(
                f"{language}: source cited first {first / len(questions):.3f}, "
                f"valid (short) {short:.3f}, answered {kept:.3f} of {len(questions)}"
            )
        print(f"median beside the embedding: {statistics.median(asker.seconds) * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
