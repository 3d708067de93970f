"""BlockLearner: DDPG with hindsight whose reward, exploration and networks follow the phases of a training."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.alphanpi_x.block_views import BlockActor, BlockNetwork
from procgen_bench.baselines.papers.alphanpi_x.episode_replay import EpisodeReplay
from procgen_bench.baselines.parts.deterministic import DDPG
from procgen_bench.baselines.parts.replay import Transitions
from procgen_bench.baselines.parts.replay_settings import LEAST_RATE, OffPolicySettings
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.tasks.programs import goal_reached
from procgen_bench.tasks.programs.hand import is_let_go
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD


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


def achieved_goals(states: np.ndarray) -> np.ndarray:
    """States (n, 15 N + 10) -> where the blocks are, (n, 3 N)."""
    return block_positions(states).reshape(len(states), -1)


def own_block_rewards(states: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """1 where the block to act on is in its place; see :data:`.Rewards`."""
    return own_block_reached(achieved_goals(states), goals)


def block_rewards(
    states: np.ndarray, goals: np.ndarray, within: float = DISTANCE_THRESHOLD, let_go: float = 0.0
) -> np.ndarray:
    """1 where all blocks are in their places, less ``let_go`` while the hand is at the one to act on, and else 0.

    Args:
        states: (n, 15 N + 10), the block to act on first.
        goals: (n, 3 N), the same.
        within: Metres from their places within which blocks are there.
        let_go: In [0, 1]. From 0 on, the paper's reward, the more is lost by a hand that does not let go.
    """
    return goal_reached(achieved_goals(states), goals, within) * np.where(is_let_go(states, 0), 1.0, 1.0 - let_go)


class BlockLearner(DDPG):
    """Learns with the set of other blocks from :attr:`Phase.ALL_BLOCKS` on.

    Args:
        action_space: Of one row.
        actor, critic: See :class:`.DDPG`.
        optimizers: Of the ``"actor"`` and the ``"critic"``.
        replay: What is learned from; what is rewarded in it is set by the phase.
        settings: The learner's.
        rng: Draws everything.
        phase: In which phase the training is.
        own_reward: Whether in the first phase the own block's place alone is rewarded.
        exploration: By phase.
        action_l2, actor_every, greedy_rows: See :class:`.DDPG`.
        tolerances: Metres within which blocks count as in place while programs are learned: at first, and at the end of
            the run, when the learning rate has declined.
        let_go: What is lost meanwhile while the hand is at a block that is in place; see :func:`block_rewards`.
        critic_first: Gradient steps in which the critic learns alone.
        stay_near: Weight, in the actor's loss, of the mean squared difference from the actions of the actor as it was
            when the learner was told to :meth:`begin`, where the own block is not in its place.
    """

    policy_parts = ("networks.actor", "targets.actor")
    parts_beside = ("networks.critic", "targets.critic")

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
        tolerances: tuple[float, float],
        let_go: float,
        critic_first: int,
        stay_near: float,
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
        self._tolerances, self._let_go = tolerances, let_go
        self._critic_first, self._stay_near = critic_first, stay_near
        self._begun: BlockActor | None = None
        self._follow(Phase.OWN_BLOCK)

    def after_beginning(self) -> None:
        """Let the actor's weights be what it is kept near, and other blocks count, from now on."""
        self._grow()
        begun = deepcopy(self.actor).requires_grad_(False)
        assert isinstance(begun, BlockActor)  # as it was made
        self._begun = begun

    def further_actor_loss(self, observations: Tensors, chosen: torch.Tensor) -> torch.Tensor | float:
        """What it costs to act otherwise than at first while the own block is not in its place."""
        if self._begun is None or not self._stay_near:
            return 0.0
        with torch.no_grad():
            at_first = self._begun(observations)
            way = observations["desired_goal"][:, :3] - observations["observation"][:, :3]
            is_away = way.norm(dim=1, keepdim=True) > self._tolerances[0]
        return self._stay_near * (is_away * (chosen - at_first).square()).mean()

    def _learn_to_act(self, batch: Transitions) -> dict[str, float]:
        return {} if self.gradient_steps < self._critic_first else super()._learn_to_act(batch)

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Keep the rollout, and learn as the phase has it."""
        self._follow(self._current())
        return super().update(rollout)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays of the networks by name, and the values with the phase, an int, as ``phase``."""
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
            self.replay.rewards = partial(block_rewards, within=self._tolerance(), let_go=self._let_go)
        else:
            only_own = self._own_reward and phase == Phase.OWN_BLOCK
            self.replay.rewards = own_block_rewards if only_own else block_rewards
        if phase > Phase.OWN_BLOCK:
            self._grow()

    def _tolerance(self) -> float:
        """Metres within which blocks count as in place now."""
        first, last = self._tolerances
        left = (self.settings.remaining_rate(self.steps) - LEAST_RATE) / (1 - LEAST_RATE)
        return last + (first - last) * left

    def _grow(self) -> None:
        for network in (*self.networks.values(), *self.target_networks.values()):
            assert isinstance(network, BlockNetwork)  # as both are
            network.grow()
