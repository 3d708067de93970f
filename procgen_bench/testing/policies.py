"""Whether a policy plays the action that its learner likes best."""

import copy

import numpy as np
import torch

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import Learner
from procgen_bench.baselines.training.player import Player
from procgen_bench.testing.states import ConformanceError, copied

#: How often a learner is asked what it does.
_TIMES = 64
#: What weights are multiplied by, so that a learner that draws its actions has little doubt.
_LOUDER = 16.0


def check_policy(who: str, player: Player, rows: CurriculumVectorEnv) -> None:
    """Let learner and policy act on what the rows show, with the same weights, several times as large.

    The learner explores: of discrete actions its commonest one has to be the policy's, and of reals the policy's has
    to lie amid its own. A learner that explores at random yet shows nothing.

    Raises:
        ConformanceError: The policy does something else.
    """
    learner, policy = player.learner, player.policy
    assert learner is not None and isinstance(policy, WeightedPolicy)  # as the trainer asks
    weights = {name: _louder(array) for name, array in learner.policy_weights().items()}
    _make_louder(learner)
    greedy = copy.deepcopy(policy)
    greedy.stochastic, greedy.noise_width = False, 0
    greedy.load_weights(weights)
    chosen = np.asarray(greedy.act(rows.observations, np.ones(rows.num_rows, np.bool_)))
    drawn = _drawn(learner, rows.observations)
    discrete = np.issubdtype(chosen.dtype, np.integer)
    fits = _is_commonest(chosen, drawn) if discrete else _lies_amid(chosen, drawn)
    if not fits.all():
        row = int(np.flatnonzero(~fits.reshape(len(fits), -1).all(axis=1))[0])
        raise ConformanceError(
            f"{who}: with the same weights the policy chooses {chosen[row].tolist()} where the learner mostly chooses "
            f"{_middle(drawn[:, row], discrete)}; policy_weights() has to be what the learner acts by, and the policy "
            "has to read observations and scale actions as the learner does"
        )


def _make_louder(learner: Learner) -> None:
    """Multiply what the learner keeps under the names of the policy's weights, or of the same numbers."""
    arrays, values = copied(learner.state())
    weights = learner.policy_weights()
    for name, array in arrays.items():
        alike = [own for own, weight in weights.items() if array.size and array.shape == weight.shape]
        if any(name.endswith(own) or np.array_equal(array, weights[own]) for own in alike):
            arrays[name] = _louder(array)
    learner.restore(arrays, values)


def _louder(array: np.ndarray) -> np.ndarray:
    return (array * _LOUDER).astype(array.dtype) if array.dtype.kind == "f" else array


def _drawn(learner: Learner, observations: Arrays) -> np.ndarray:
    """The learner's actions (times, N, ...)."""
    seen = {name: torch.as_tensor(array.copy(), device=learner.device) for name, array in observations.items()}
    memory = torch.zeros(len(next(iter(seen.values()))), learner.memory_width, device=learner.device)
    return np.stack([learner.act(seen, memory)[0].cpu().numpy() for _ in range(_TIMES)])


def _is_commonest(chosen: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """bool (N, ...): whether hardly an action was drawn more often than the chosen one."""
    counts = np.stack([(drawn == action).sum(axis=0) for action in np.unique(drawn)])
    return (drawn == chosen).sum(axis=0) >= counts.max(axis=0) - 4 * np.sqrt(_TIMES)


def _lies_amid(chosen: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """bool (N, ...): whether many were drawn on either side of the chosen real, or about there."""
    low, high = np.quantile(drawn, (0.2, 0.8), axis=0)
    slack = 1e-4 * (1 + np.abs(chosen))
    return (low - slack <= chosen) & (chosen <= high + slack)


def _middle(drawn: np.ndarray, discrete: bool) -> list[float] | float:
    """Of actions (times, ...): the commonest, or the median."""
    if not discrete:
        return np.median(drawn, axis=0).round(3).tolist()
    actions, counts = np.unique(drawn, axis=0, return_counts=True)
    return actions[counts.argmax()].tolist()
