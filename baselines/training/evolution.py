"""Evolution of a population: who copies whom, and how the copy's numbers change.

The source is "Open-Ended Learning Leads to Generally Capable Agents" (2021), appendix A.7, whose conditions our copy of
the text has lost: a member may become another's child if it has not been one for a while, and if that other is at least
as good in every percentile and better in one; of all such pairs the one that differs most is taken. What differs:

- The difference has to be beyond noise, by the same tasks and seeds; the source has many more episodes.
- The margin of dynamic tasks is moved up or down: the published factor never leaves the 0 at which it begins.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays

#: Arrays and values of a checkpoint; see :meth:`.RunFolder.read_checkpoint`.
Checkpoint = tuple[Arrays, dict[str, Any]]


@dataclass(frozen=True)
class Mutation:
    """How a number changes, up or down with the same chance.

    Attributes:
        factor: By what it is multiplied or divided.
        step: What is added or subtracted.
        low, high: Its range.
    """

    factor: float = 1.0
    step: float = 0.0
    low: float = 0.0
    high: float = np.inf

    def of(self, value: float, up: bool) -> float:
        """``value``, a rate, changed: made greater (``up``) or less, and kept between ``low`` and ``high``."""
        changed = value * self.factor + self.step if up else value / self.factor - self.step
        return float(np.clip(changed, self.low, self.high))


_RETURN = 7.5 / 900
#: Of learners' and teachers' rates, by name; others are copied as they are. Thresholds stop short of those that no
#: level passes: under them dynamic tasks keep none, and probe new ones at every update.
MUTATIONS: Mapping[str, Mutation] = {
    "learning_rate": Mutation(factor=1.2),
    "kl_bound": Mutation(factor=1.2),
    "most_control": Mutation(step=_RETURN, low=_RETURN, high=1.0),
    "too_easy": Mutation(factor=1.1, high=1.0),
    "margin": Mutation(step=_RETURN, high=1.0 - _RETURN),
    "least_above": Mutation(step=0.1, high=0.9),
    "most_too_easy": Mutation(step=0.1, low=0.1, high=1.0),
}


def parent_and_child(
    measures: np.ndarray, scores: np.ndarray, is_rested: np.ndarray, guard: float
) -> tuple[int, int] | None:
    """Who is copied by whom; ``None``: nobody.

    Args:
        measures: float64 (m, k), by what M members are compared, percentiles say.
        scores: float64 (m, n), of which these are: one score for each of the tasks, the same for all.
        is_rested: bool (m,), who may become a child.
        guard: Standard errors of the mean difference of two members' scores that it has to exceed.
    """
    found, greatest = None, 0.0
    for parent, child in permutations(range(len(measures)), 2):
        gains = measures[parent] - measures[child]
        if not is_rested[child] or (gains < 0).any() or gains.sum() <= greatest:
            continue
        if is_beyond_noise(scores[parent] - scores[child], guard):
            found, greatest = (parent, child), float(gains.sum())
    return found


def is_beyond_noise(differences: np.ndarray, guard: float) -> bool:
    """Whether the mean of paired differences, float64 (n,), exceeds ``guard`` (at least 0) of its standard errors."""
    error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else np.inf
    return bool(differences.mean() > guard * error)


def mutated(rates: Mapping[str, float], rng: np.random.Generator, chance: float) -> dict[str, float]:
    """Rates, each of which has changed with this chance."""
    return {
        name: MUTATIONS[name].of(value, up=rng.random() < 0.5) if name in MUTATIONS and rng.random() < chance else value
        for name, value in rates.items()
    }


def child_of(parent: Checkpoint, child: Checkpoint, rng: np.random.Generator, chance: float) -> Checkpoint:
    """What a child goes on from: all that the parent was, its levels too, with changed rates.

    Its curve goes on, and it draws by generators of its own.

    Args:
        parent, child: What both are now; neither is changed.
        rng: Draws the changes and the generators.
        chance: With which each rate changes.
    """
    arrays, values = parent[0], copy.deepcopy(parent[1])
    values["seconds"] = child[1]["seconds"]
    for name in sorted(name for name in values if name.startswith("player.") or name == "teacher"):
        if "curve" in values[name]:
            values[name]["curve"] = child[1][name]["curve"]
        for holder in _holders(values[name], "rates"):
            holder["rates"] = mutated(holder["rates"], rng, chance)
        for holder in _holders(values[name], "rng"):
            holder["rng"] = np.random.default_rng(rng.integers(2**63)).bit_generator.state
    return arrays, values


def _holders(values: Any, key: str) -> Iterator[dict[str, Any]]:
    """The dictionaries in nested values that have this key."""
    if isinstance(values, dict):
        if key in values:
            yield values
        for name in sorted(values):
            if name != key:
                yield from _holders(values[name], key)
