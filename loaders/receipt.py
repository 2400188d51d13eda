"""What became of a source: a receipt, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ontology.errors import AskontoError


class Outcome(StrEnum):
    """What was done with a source."""

    LOADED = "loaded"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    SKIPPED = "skipped"
    UNLOADED = "unloaded"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a load or unload did; `triples` is what the source holds now, `removed` what it held.

    `same_as` is the address under which a duplicate's content is already loaded; `ill_typed`
    counts literals whose words are not in their datatype; `graphs` are the source's graphs' IRIs;
    `merges` are those that went with the source's entities.
    """

    address: str
    outcome: Outcome
    title: str = ""
    kind: str = ""
    graphs: tuple[str, ...] = ()
    triples: int = 0
    removed: int = 0
    ill_typed: int = 0
    passages: int = 0
    merges: int = 0
    same_as: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A source of which nothing was loaded, and why; `error` is the fault itself."""

    address: str
    error: AskontoError

    @property
    def line(self) -> str:
        """The name, the place, the reason and the mend in one line."""
        return " ".join(str(self.error).split())
