"""KGMistral's competency questions over the MSE knowledge graph, scored by the data's own script.

    python -m benchmarks.mse_kg DATA/mse-kg

Bars: answer F1 0.55, context recall 0.90 in 5,000 characters (KGMistral with Mistral 7B: 0.35 and
0.69). Needs `rouge` and `nltk`. No licence is stated.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

from benchmarks.graphs import asking
from service.answering.evidence import statement
from service.answering.reply import FactAnswer

CONTEXT = 5000


def scorer(folder: Path) -> ModuleType:
    """The data's own scoring script."""
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line(identifier: str, answer: FactAnswer) -> dict[str, object]:
    """The answer as the scorer reads it."""
    context = "\n".join(f"[{n}] {statement(fact)}" for n, fact in enumerate(answer.context, 1))
    values = [
        {key: text for key, text in zip(("label", "iri", "value"), parts, strict=True) if text}
        for parts in ((one.label, one.iri, one.value) for one in answer.values)
    ]
    return {
        "id": identifier,
        "answer": answer.text,
        "values": values,
        "abstained": answer.confidence < 0.5,
        "context": context[:CONTEXT],
    }


def main() -> int:
    """Measure with the folder named on the command line."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    if not (folder / "score.py").is_file():
        print(f"skipped: {folder} is not there")
        return 0
    score = scorer(folder)
    lines = (folder / "questions-dev.jsonl").read_text("utf-8").splitlines()
    gold = [json.loads(text) for text in lines]
    with asking([folder / "mse-kg.ttl"]) as asker:
        asker.ask(gold[0]["question"])
        asker.seconds.clear()
        answers = [line(q["id"], asker.ask(q["question"], q["lang"])) for q in gold]
        summary = score.summary(score.run(gold, answers, rouge=False))
        print({key: round(summary[key], 3) for key in ("R", "P", "F1", "context", "chars")})
        print(f"refused {summary['false_abst']:.3f} of {len(gold)}")
        print(asker.cost())
    return 0


if __name__ == "__main__":
    sys.exit(main())
