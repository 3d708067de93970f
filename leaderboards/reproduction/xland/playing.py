"""Episodes in the small that a policy plays side by side, and what there is to see of them step by step."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import NoisyPolicy, OraclePolicy, Policy
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import find_registration
from procgen_bench.engine.processors import checked_helpers
from procgen_bench.envs.xland.observations import goal_arrays
from procgen_bench.envs.xland.small import XLandSmallEnv
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.task import XLandTask

#: What is played, and the steps of an episode.
ENVIRONMENT = "XLandSmall-v0"
STEPS = find_registration(ENVIRONMENT).max_episode_steps

#: From a step's number, the observations (N, ...) and which rows begin, bool (N,), what the policy is shown of these.
Show = Callable[[int, Arrays, np.ndarray], tuple[Arrays, np.ndarray]]


class Moment(NamedTuple):
    """A step of N episodes.

    Attributes:
        observations: (N, ...) by name, that the policy was shown before the step.
        actions: (N, 6), that it chose.
        rewards: float64 (N,), for the tasks' own goals.
        truths: bool (N, 212), which atoms of the tasks' goals hold after the step, as player 1 sees them.
        env: What is played, after the step.
    """

    observations: Arrays
    actions: np.ndarray
    rewards: np.ndarray
    truths: np.ndarray
    env: gymnasium.vector.VectorEnv


def load_player(source: str) -> Policy:
    """A policy that plays by what it observes, its goal among it; see :func:`load_policy`.

    Raises:
        InvalidPolicyError: It is given the task instead.
    """
    policy = load_policy(source, ENVIRONMENT)
    if isinstance(policy, OraclePolicy):
        raise InvalidPolicyError(f"{source} is given its task, expected a policy that observes its goal")
    return policy


def viewing(policy: Policy) -> dict[str, Any]:
    """Arguments of the environment with which a policy observes."""
    return {**XLandSmallEnv.viewing_options, **policy.environment_options}


def remembers(policy: Policy) -> bool:
    """Whether a policy may know anything of earlier steps: of a network without state it is known that it does not."""
    return not isinstance(policy, WeightedPolicy) or bool(policy.state_shapes)


def play(
    policy: Policy,
    tasks: Sequence[XLandTask],
    seeds: Sequence[int],
    show: Show | None = None,
    steps: int = STEPS,
    render_mode: str | None = None,
) -> Iterator[Moment]:
    """Play one episode of each task, all side by side, with the co-players that the tasks name, or ``noop``.

    Args:
        policy: Who plays, under its ``environment_options``.
        tasks: The tasks.
        seeds: A seed of each episode, which also decides what a :class:`NoisyPolicy` draws.
        show: What the policy is shown in place of what is observed.
        steps: Of every episode, 1 to ``STEPS``.
        render_mode: Of the environment.
    """
    co_players = [[*task.co_players] or ["noop"] * (task.game.num_players - 1) for task in tasks]
    env = gymnasium.make_vec(
        ENVIRONMENT,
        num_envs=len(tasks),
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
        num_threads=checked_helpers("num_threads", None, len(tasks)),
        atom_truths=True,
        render_mode=render_mode,
        **viewing(policy),
    )
    with closing(env), one_torch_thread():
        begun: Any = [int(seed) for seed in seeds]  # of every row, which Gymnasium's annotation leaves out
        observations, _ = env.reset(seed=begun, options={"task": [*tasks], "co_players": co_players})
        if isinstance(policy, NoisyPolicy):
            for row, seed in enumerate(begun):
                policy.begin_noise(row, seed)
        for number in Progress(range(steps), desc="episodes", unit="step", delay=2, leave=False):
            starts = np.full(len(tasks), number == 0)
            shown, starts = show(number, observations, starts) if show else (observations, starts)
            actions = policy.act(shown, starts)
            observations, rewards, _, _, infos = env.step(actions)
            yield Moment(shown, actions, rewards, infos["atom_truths"][:, 0], env)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Batches are small: further threads take more time than they save."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def with_goals(observations: Arrays, goals: Sequence[Goal]) -> Arrays:
    """Observations (N, ...) that show these goals, one for each row, in place of the tasks' own."""
    arrays = [goal_arrays(goal) for goal in goals]
    matrices, atoms = (np.stack([getattr(one, name) for one in arrays]) for name in ("matrix", "atoms"))
    return observations | {"goal_matrix": matrices, "goal_atoms": atoms}
