"""Playing a list of tasks with a policy: the one loop behind evaluation during training and on the leaderboards."""

from collections.abc import Sequence
from contextlib import closing

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from tqdm import tqdm

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.episode import Episode
from procgen_bench.errors import ProcgenBenchError
from procgen_bench.policy import OraclePolicy, Policy
from procgen_bench.task import Task


class PolicyCrashedError(ProcgenBenchError):
    """The policy raised an error while playing.

    Attributes:
        episodes: Every episode in order; those that it left behind have ``finished`` false.
    """

    def __init__(self, error: Exception, episodes: list[Episode]):
        self.episodes = episodes
        left = sum(not episode.finished for episode in episodes)
        super().__init__(
            f"the policy raised {type(error).__name__}: {error}; {left} of {len(episodes)} episodes are unfinished"
        )


def play_episodes(
    policy: Policy,
    environment_id: str,
    tasks: Sequence[Task],
    seeds: Sequence[int],
    num_envs: int = 256,
    progress: str | None = None,
) -> list[Episode]:
    """Play one episode of every task, each with its own seed, many at a time.

    Args:
        policy: What plays; told the tasks if it is an :class:`OraclePolicy`.
        environment_id: A registered environment.
        tasks: One task per episode.
        seeds: One seed per episode.
        num_envs: How many episodes are played at a time.
        progress: Title of a progress bar; ``None`` for none.

    Returns:
        The episodes, in the order of the tasks.

    Raises:
        PolicyCrashedError: ``policy.act`` raised an error; holds the episodes up to then.
    """
    episodes: list[Episode] = []
    env = make_task_vector_env(environment_id, min(num_envs, len(tasks)))
    bar = tqdm(total=len(tasks), desc=progress, disable=progress is None, unit="episode", delay=1)
    with closing(env), bar:
        for start in range(0, len(tasks), env.num_envs):
            batch = slice(start, start + env.num_envs)
            try:
                episodes += _play_batch(policy, env, tasks[batch], seeds[batch])
            except PolicyCrashedError as crash:
                unplayed = [
                    Episode(0.0, False, 0, finished=False, seed=seed, actions=_no_actions(env))
                    for seed in seeds[start + len(crash.episodes) :]
                ]
                raise PolicyCrashedError(crash.__cause__, episodes + crash.episodes + unplayed) from crash.__cause__
            bar.update(len(tasks[batch]))
    return episodes


def make_task_vector_env(environment_id: str, num_envs: int) -> VectorEnv:
    """The environment's vector form, with rows that are reset by hand and can each be given a task."""
    return gymnasium.make_vec(
        environment_id,
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
    )


def _play_batch(policy: Policy, env: VectorEnv, tasks: Sequence[Task], seeds: Sequence[int]) -> list[Episode]:
    """Play one episode per row. Rows that have ended, or have no task, replay the first one unseen."""
    count = len(tasks)
    row_tasks = list(tasks) + [tasks[0]] * (env.num_envs - count)
    row_seeds = [int(seed) for seed in seeds] + [int(seeds[0])] * (env.num_envs - count)
    observations, _ = env.reset(seed=row_seeds, options={"task": row_tasks})
    if isinstance(policy, OraclePolicy):
        for row, task in enumerate(row_tasks):
            policy.begin(row, task)
    starts = np.ones(env.num_envs, np.bool_)
    playing = np.arange(env.num_envs) < count
    returns, successes = np.zeros(env.num_envs), np.zeros(env.num_envs, np.bool_)
    taken: list[list[np.ndarray]] = [[] for _ in range(count)]

    def episodes() -> list[Episode]:
        return [
            Episode(
                return_=float(returns[row]),
                success=bool(successes[row]),
                length=len(taken[row]),
                finished=not playing[row],
                seed=row_seeds[row],
                actions=np.array(taken[row], env.single_action_space.dtype) if taken[row] else _no_actions(env),
            )
            for row in range(count)
        ]

    while playing.any():
        try:
            actions = np.asarray(policy.act(observations, starts))
        except Exception as error:
            raise PolicyCrashedError(error, episodes()) from error
        observations, rewards, terminations, truncations, infos = env.step(actions)
        ended = terminations | truncations
        for row in np.flatnonzero(playing):
            taken[row].append(actions[row])
            returns[row] += rewards[row]
            successes[row] = infos["success"][row]
        playing &= ~ended
        starts = ended
        if playing.any() and ended.any():
            observations, _ = env.reset(seed=row_seeds, options={"task": row_tasks, "reset_mask": ended})
            if isinstance(policy, OraclePolicy):
                for row in np.flatnonzero(ended):
                    policy.begin(row, row_tasks[row])
    return episodes()


def _no_actions(env: VectorEnv) -> np.ndarray:
    space = env.single_action_space
    return np.empty((0, *space.shape), space.dtype)
