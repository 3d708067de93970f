"""Proving: a whole task played by the scripted player, among the co-players that the environment seats."""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.simulation import EPISODE_STEPS
from procgen_bench.tasks.xland.task import XLandTask


class PlayedTask(NamedTuple):
    """An episode.

    Attributes:
        returns: float64 (P,), the sum of every player's rewards: steps in which its goal held.
        actions: int8 (T, 6), what player 1 did: ``XLandEnv`` repeats the episode with the same task and seed.
    """

    returns: np.ndarray
    actions: np.ndarray


def play_scripted(
    task: XLandTask, seed: int, first: Participant | None = None, steps: int = EPISODE_STEPS
) -> PlayedTask:
    """Play a task from its beginning to its end.

    Args:
        task: A valid task.
        seed: Of the environment's reset, and of player 1's own generator.
        first: Who plays player 1; the scripted player by default.
        steps: After which it ends.
    """
    env = XLandEnv(observation="state")
    env.reset(seed=seed, options={"task": task})
    participant = ScriptedParticipant() if first is None else first
    participant.begin(env.simulation, 0, np.random.default_rng(seed_from_parts("player 1", seed)))
    returns, actions = np.zeros(task.game.num_players), []
    while env.simulation.ended is None and env.elapsed < steps:
        actions.append(participant.act().astype(env.action_space.dtype))
        env.step(actions[-1])
        returns += env.simulation.rewards
    return PlayedTask(returns, np.array(actions))
