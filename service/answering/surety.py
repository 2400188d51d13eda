"""How sure an answer is: what tells of it, weighed as the loaded data's own trials teach."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from service.index.index import Index

log = logging.getLogger(__name__)

Numbers = npt.NDArray[np.float64]
Trial = tuple[Sequence[float], bool]  # what tells, and whether there is an answer

HOLD = 10.0  # how much the prior counts, against one for a trial
LOST = 0.3  # share of the made questions with an answer that may be refused
FEWEST = 15  # made questions of either kind below which the prior has to do
_ROUNDS = 25
_STEEPEST = 30.0
_FINEST = 1e-6  # what the index keeps for 0


@dataclass(frozen=True, slots=True)
class Prior:
    """Weights by the name of what they weigh, `constant` beside them; what they are kept under.

    `untold` is the share to be refused of the made questions that have no answer.
    """

    name: str
    weights: dict[str, float]
    constant: float
    untold: float

    @property
    def numbers(self) -> Numbers:
        """The weights in order, the constant last."""
        return np.array([*self.weights.values(), self.constant])


def probability(weights: Numbers, numbers: Sequence[float]) -> float:
    """The logistic function of the weighted sum, the last weight being the constant; 0 to 1."""
    total = float(weights[:-1] @ np.asarray(numbers)) + float(weights[-1])
    return 1 / (1 + math.exp(-max(-_STEEPEST, min(_STEEPEST, total))))


def fitted(trials: Sequence[Trial], prior: Prior) -> Numbers:
    """The weights near the prior that best tell the trials apart, both kinds counting alike.

    Made questions that have an answer are easier than people's, while those that have none are
    alike: so even is where a share of the latter lies below, and hardly any of the former.
    """
    rows = np.array([(*numbers, 1.0) for numbers, _ in trials])
    right = np.array([answerable for _, answerable in trials])
    weights = _apart(rows, right.astype(np.float64), prior.numbers)
    sums = rows @ weights
    weights[-1] -= min(np.quantile(sums[~right], prior.untold), np.quantile(sums[right], LOST))
    return weights


def _apart(rows: Numbers, right: Numbers, prior: Numbers) -> Numbers:
    """The weights of a logistic regression that the prior holds, both kinds counting alike."""
    share = np.where(right > 0, 1 / right.sum(), 1 / (1 - right).sum()) * len(right) / 2
    weights = prior.copy()
    for _ in range(_ROUNDS):
        sure = 1 / (1 + np.exp(-np.clip(rows @ weights, -_STEEPEST, _STEEPEST)))
        slope = rows.T @ (share * (sure - right)) + HOLD * (weights - prior)
        curve = (rows * (share * sure * (1 - sure))[:, None]).T @ rows
        weights = weights - np.linalg.solve(curve + HOLD * np.eye(len(weights)), slope)
    return np.asarray(weights, np.float64)


class Surety:
    """The weights of one half for the index as it is; thread-safe.

    They are fitted once a revision, beside the questions, and kept with the index; questions that
    come meanwhile, or before the index is complete, use those from before.
    """

    def __init__(self, index: Index, prior: Prior, trials: Callable[[], Iterable[Trial]]) -> None:
        self._index = index
        self._prior = prior
        self._trials = trials
        self._fitting = threading.Lock()
        self._closing = threading.Event()
        self._revision = -1
        self._weights = prior.numbers

    def of(self, numbers: Sequence[float]) -> float:
        """The probability, 0 to 1, that there is an answer and it is this."""
        if self._revision != self._index.revision and self._fitting.acquire(blocking=False):
            threading.Thread(target=self._fit_beside, daemon=True).start()
        return probability(self._weights, numbers)

    def prepare(self) -> None:
        """Fit them now, where the index is complete; raises StoreError."""
        with self._fitting:
            self._follow(self._index.revision)

    def close(self) -> None:
        """End the fitting after the trial it is at; the index is not read any more."""
        self._closing.set()
        with self._fitting:
            pass

    def _fit_beside(self) -> None:
        try:
            self._follow(self._index.revision)
        except Exception:
            log.debug("the weights were not fitted", exc_info=True)
        finally:
            self._fitting.release()

    def _follow(self, revision: int) -> None:
        if self._revision == revision or self._closing.is_set():
            return
        kept = [self._index.remembered(name) for name in self._names]
        if None not in kept:
            self._weights = np.array(kept, np.float64)
        elif self._index.complete:
            trials = list(takewhile(lambda _: not self._closing.is_set(), self._trials()))
            if self._closing.is_set():
                return
            told = sum(answerable for _, answerable in trials)
            enough = min(told, len(trials) - told) >= FEWEST
            self._weights = fitted(trials, self._prior) if enough else self._prior.numbers
            for name, weight in zip(self._names, self._weights.tolist(), strict=True):
                self._index.remember(name, weight if abs(weight) > _FINEST else _FINEST)
        else:
            return
        self._revision = revision

    @property
    def _names(self) -> list[str]:
        """What each weight is remembered as; another prior gives other names."""
        marked = f"{self._prior.name} {hash((*self._prior.numbers.tolist(), self._prior.untold))}"
        return [f"{marked} {name}" for name in (*self._prior.weights, "constant")]
