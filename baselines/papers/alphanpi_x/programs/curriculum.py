"""ProgramCurriculum: which programs the planner is trained on next."""

from typing import Any

import numpy as np

from procgen_bench.core.errors import InvalidOptionError

#: Programs at random, or those more whose success changes (AlphaNPI-X, section B.3).
CURRICULA = ("random", "progress")
#: Share of programs that are drawn uniformly under ``"progress"``: the epsilon of equation 3.
_EXPLORATION = 0.2


class ProgramCurriculum:
    """Draws programs: uniformly, or by learning progress.

    A program's learning progress is the change of its success between the last two measurements (equation 2); its
    probability is an equal share of :data:`_EXPLORATION`, and a share of the rest by its progress (equation 3). While
    nothing changes all are alike.

    Args:
        kind: One of ``CURRICULA``.
        composed: int64 (C,), the programs to be learned.
        rng: Draws them.

    Raises:
        InvalidOptionError: There is no such curriculum.
    """

    def __init__(self, kind: str, composed: np.ndarray, rng: np.random.Generator):
        if kind not in CURRICULA:
            raise InvalidOptionError(f"curriculum is {kind!r}, expected one of {', '.join(CURRICULA)}")
        self.measures, self._composed, self._rng = kind == "progress", composed, rng
        self._exploration = _EXPLORATION if self.measures else 1.0
        self._successes = np.zeros(len(composed))
        self._progress = np.zeros(len(composed))

    @property
    def probabilities(self) -> np.ndarray:
        """float64 (C,), of the programs."""
        equal = np.full(len(self._composed), 1 / len(self._composed))
        total = self._progress.sum()
        return equal if total == 0 else self._exploration * equal + (1 - self._exploration) * self._progress / total

    def draw(self, count: int) -> np.ndarray:
        """Numbers of programs: int64 (count,)."""
        return self._rng.choice(self._composed, count, p=self.probabilities)

    def observe(self, successes: np.ndarray) -> None:
        """The share of each program's searches that succeeded just now: (C,)."""
        self._progress, self._successes = np.abs(successes - self._successes), successes

    def state(self) -> dict[str, Any]:
        """Plain values from which :meth:`restore` goes on exactly."""
        measured = {"successes": self._successes.tolist(), "progress": self._progress.tolist()}
        return {"rng": self._rng.bit_generator.state, **measured}

    def restore(self, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self._rng.bit_generator.state = values["rng"]
        self._successes, self._progress = np.array(values["successes"]), np.array(values["progress"])
