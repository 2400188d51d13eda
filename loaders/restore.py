"""A file of N-Quads in the place of all graphs of a store: all of it or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Literal, Quad

from loaders import nquads
from loaders.iris import Iris
from loaders.ledger import Ledger
from loaders.nquads import Blocks, Contents, Progress
from loaders.publish import is_alive
from ontology.errors import InputError
from ontology.vocabulary import ONTO, XSD
from queries import library
from queries.store import whole
from queries.store.client import Store
from queries.store.errors import StoreError, StoreUnavailable

# Two of these may be one to a store that keeps values, not their spelling.
_SPELT = re.compile(rb'"\^\^<http://www\.w3\.org/2001/XMLSchema#(?!string>)|"@[A-Za-z0-9-]*[A-Z]')


@dataclass(frozen=True, slots=True)
class Restored:
    """What the store holds now, and what the file held."""

    statements: int
    contents: Contents


def restore(store: Store, iris: Iris, path: Path, progress: Progress) -> Restored:
    """Put the file's graphs in the place of the store's; the file is checked whole before.

    Readers, and whoever starts after a crash at any moment, see the old graphs or the new ones.
    """
    survey = _Survey(iris)
    contents = nquads.checked(path, progress, survey)
    _refuse_beside_loads(store, iris)
    number = max(_generation(store, iris), survey.generation) + 1
    added = 0 if survey.counted else 1

    def fits(held: int, given: int = contents.quads) -> None:
        lost = given + added - held
        if lost and (lost < 0 or (contents.sealed and lost > survey.spelt)):
            raise StoreError(f"it took {held:,} of {given + added:,} statements", name="store")

    def parts() -> Iterator[bytes]:
        yield from _read_again(path, contents, progress, survey.renumbered(number))
        if added:
            yield survey.line(number)

    whole.replace(store, parts(), fits)
    held = whole.count(store)
    fits(held, contents.named)
    return Restored(held, contents)


class _Survey:
    """What the blocks of a file tell about the ledger in it, and about the spelling of literals."""

    def __init__(self, iris: Iris) -> None:
        self._ledger = iris.ledger
        self._own = f"{iris.ledger} {ONTO.generation} ".encode()
        self._line = _counts(iris)
        self.generation = 0
        self.counted = False
        self.spelt = 0

    def __call__(self, block: bytes) -> None:
        self.spelt += len(_SPELT.findall(block))
        numbers = [int(found[1]) for found in self._line.findall(block)]
        self.generation = max(self.generation, *numbers, 0)
        self.counted = self.counted or (bool(numbers) and str(self._ledger).encode() in block)

    def renumbered(self, number: int) -> Callable[[bytes], bytes]:
        """Gives every source, and the ledger, a generation that no index has seen yet."""
        new = rb"\g<1>%d\g<3>" % number
        return lambda block: self._line.sub(new, block)

    def line(self, number: int) -> bytes:
        """The ledger's own, for a file without one."""
        value = Literal(str(number), datatype=XSD.integer)
        return f"{Quad(self._ledger, ONTO.generation, value, self._ledger)} .\n".encode()


def _counts(iris: Iris) -> re.Pattern[bytes]:
    """Lines of the ledger with a generation, but for how far mentions were looked for."""
    terms = (f"{iris.linked} ", ONTO.generation, iris.ledger)
    linked, count, graph = (re.escape(str(term)).encode() for term in terms)
    return re.compile(rb"((?<!" + linked + rb")" + count + rb' ")(\d+)("\S* ' + graph + rb" ?\.)")


def _read_again(
    path: Path, contents: Contents, progress: Progress, change: Callable[[bytes], bytes]
) -> Iterator[bytes]:
    """The blocks once more; an InputError at their end where the file is no longer what it was."""
    blocks = Blocks(path, lambda done, size: progress("writing", done, size))
    for block in blocks:
        yield change(block)
    if blocks.sha256 != contents.sha256:
        raise InputError("was changed while it was read", name=str(path))


def _refuse_beside_loads(store: Store, iris: Iris) -> None:
    writing = [one for one in Ledger.from_store(store, iris).pending if is_alive(one)]
    if writing:
        raise StoreUnavailable(
            f"{writing[0].address} is just being loaded", name="store", mend="Wait until it is in"
        )


def _generation(store: Store, iris: Iris) -> int:
    query = library.load("documents/generation").bind(ledger=[iris.ledger])
    numbers = [getattr(row[0], "value", "0") for row in store.select(query)]
    return max(map(int, numbers), default=0)
