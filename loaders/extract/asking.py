"""The prompt for a chunk: what to write down, with which words, out of which text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from loaders.extract.document import Chunk, Document
from loaders.extract.reply import Extraction
from loaders.extract.schema import Schema
from loaders.prompt import Prompt

_HERE = "loaders.extract"
_INSTRUCTION = Prompt.from_package(_HERE, "instruction", {"vocabulary", "guidance"})
_BOUND = Prompt.from_package(_HERE, "bound", {"terms"})
_OPEN = Prompt.from_package(_HERE, "open", ())
_GUIDED = Prompt.from_package(_HERE, "guided", {"advice"})
_REQUEST = Prompt.from_package(
    _HERE, "request", {"title", "language", "issued", "heading", "passage"}
)
_SHAPE = str(Extraction.model_json_schema())


@dataclass(frozen=True, slots=True)
class Asking:
    """One prompt; equal ones have equal keys."""

    instruction: str
    request: str

    def key(self, model: str) -> str:
        """What a model's reply to it is kept under."""
        parts = (model, self.instruction, self.request, _SHAPE)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()

    @property
    def characters(self) -> int:
        """The length of the prompt with the schema that is sent along."""
        return len(self.instruction) + len(self.request) + len(_SHAPE)


def asking(document: Document, chunk: Chunk, schema: Schema | None, guidance: str) -> Asking:
    """The prompt for a chunk; without a schema any property and class will do."""
    heading = chunk.heading.partition("; ")[0]
    about = f"{document.title} {heading} {chunk.text}"
    terms = "\n".join(schema.about(about).lines()) if schema else ""
    return Asking(
        _INSTRUCTION.fill(
            vocabulary=_BOUND.fill(terms=terms) if schema else _OPEN.fill(),
            guidance=_GUIDED.fill(advice=guidance) if guidance else "",
        ).strip(),
        _REQUEST.fill(
            title=document.title,
            language=document.language,
            issued=document.issued,
            heading=heading,
            passage=chunk.text,
        ),
    )
