"""All graphs of one store in another."""

from __future__ import annotations

import tempfile
from pathlib import Path

from loaders.backup import back_up
from loaders.iris import Iris
from loaders.nquads import Progress
from loaders.restore import restore
from ontology.errors import InputError
from queries.store import whole
from queries.store.client import Store


def copy(source: Store, target: Store, iris: Iris, progress: Progress) -> int:
    """Copy by way of a checked file: all or nothing; returns the statements that arrived.

    The target must be empty, since what it holds would be replaced.
    """
    if whole.count(target):
        raise InputError(
            "holds statements already",
            name="target",
            mend="Empty it first, or use `askonto backup` and `askonto restore`",
        )
    with tempfile.TemporaryDirectory(prefix="askonto-copy-") as folder:
        file = Path(folder, "copy.nq.gz")
        back_up(source, file, progress)
        return restore(target, iris, file, progress).statements
