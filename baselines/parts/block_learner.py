"""BlockLearner: DDPG with hindsight whose reward, exploration and networks follow the phases of a training."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.block_views import BlockActor, BlockNetwork
from procgen_bench.baselines.parts.deterministic import DDPG
from procgen_bench.baselines.parts.episode_replay import EpisodeReplay
from procgen_bench.baselines.parts.off_policy import OffPolicySettings
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.rollouts import Rollout
from procgen_bench.tasks.programs import goal_reached


class Phase(IntEnum):
    """What is being learned: to move a block, to leave the others where they are, or calls of programs in a row."""

    OWN_BLOCK = 0
    ALL_BLOCKS = 1
    PROGRAMS = 2


@dataclass(frozen=True)
class Exploration:
    """How actions are chosen while learning.

    Attributes:
        noise: Standard deviation of the Gaussian noise of scaled actions.
        epsilon: Probability of a uniformly random action.
    """

    noise: float
    epsilon: float


def own_block_reached(achieved: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """Whether the block to act on, which comes first, is in its desired place: goals (n, 3 N) -> bool (n,)."""
    return goal_reached(achieved[:, :3], desired[:, :3])


class BlockLearner(DDPG):
    """Learns with the set of other blocks from :attr:`Phase.ALL_BLOCKS` on.

    Args:
        action_space: Of one row.
        actor, critic: See :class:`.DDPG`.
        optimizers: Of the ``"actor"`` and the ``"critic"``.
        replay: What is learned from; what counts as reached in it is set by the phase.
        settings: The learner's.
        rng: Draws everything.
        phase: In which phase the training is.
        own_reward: Whether in the first phase the own block's place alone is rewarded.
        exploration: By phase.
        action_l2, actor_every, greedy_rows: See :class:`.DDPG`.
        tolerance: Metres within which blocks count as in place while programs are learned.
    """

    replay: EpisodeReplay  # type: ignore[assignment]  # of which the base asks no more

    def __init__(
        self,
        action_space: spaces.Box,
        actor: BlockActor,
        critic: BlockNetwork,
        optimizers: Mapping[str, torch.optim.Optimizer],
        replay: EpisodeReplay,
        settings: OffPolicySettings,
        rng: np.random.Generator,
        phase: Callable[[], Phase],
        own_reward: bool,
        exploration: Mapping[Phase, Exploration],
        action_l2: float,
        actor_every: int,
        greedy_rows: int,
        tolerance: float,
    ):
        first = exploration[Phase.OWN_BLOCK]
        super().__init__(
            action_space,
            actor,
            critic,
            optimizers,
            replay,  # type: ignore[arg-type]  # see above
            settings,
            rng,
            first.epsilon,
            first.noise,
            action_l2,
            actor_every,
            greedy_rows,
        )
        self._current, self._own_reward, self._exploration = phase, own_reward, exploration
        self._tolerance = tolerance
        self._follow(Phase.OWN_BLOCK)

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Keep the rollout, and learn as the phase has it."""
        self._follow(self._current())
        return super().update(rollout)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """And the phase."""
        arrays, values = super().state()
        return arrays, values | {"phase": int(self.phase)}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._follow(Phase(values["phase"]))

    def _follow(self, phase: Phase) -> None:
        self.phase = phase
        explored = self._exploration[phase]
        self.noise, self.epsilon = explored.noise, explored.epsilon
        if phase == Phase.PROGRAMS:
            self.replay.reached = partial(goal_reached, within=self._tolerance)
        else:
            only_own = self._own_reward and phase == Phase.OWN_BLOCK
            self.replay.reached = own_block_reached if only_own else goal_reached
        if phase > Phase.OWN_BLOCK:
            for network in (*self.networks.values(), *self.target_networks.values()):
                assert isinstance(network, BlockNetwork)  # as both are
                network.grow()
