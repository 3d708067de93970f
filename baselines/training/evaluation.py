"""Episode: what is kept of an episode that a policy or a student played."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import load_env_creator
from gymnasium.vector import AutoresetMode, VectorEnv

from procgen_bench.baselines.policies.episode import Episode, PolicyCrashedError
from procgen_bench.core.errors import InvalidActionError
from procgen_bench.core.own_code import exits_are_errors
from procgen_bench.core.policy import NoisyPolicy, Observations, OraclePolicy, Policy
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import find_spec
from procgen_bench.core.success import counted_success
from procgen_bench.core.task import Task
from procgen_bench.engine.environment_options import check_environment_options
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from procgen_bench.engine.serial_vector_env import SerialVectorEnv
from procgen_bench.engine.task_vector_env import TaskVectorEnv


def play_episodes(
    policy: Policy,
    environment_id: str,
    tasks: Sequence[Task],
    seeds: Sequence[int],
    num_envs: int = 256,
    progress: str | None = None,
    serial: bool = False,
    wrapper: Callable[[gymnasium.Env], gymnasium.Env] | None = None,
) -> list[Episode]:
    """Play one episode of every task, each with its own seed, many at a time.

    Args:
        policy: What plays, under its ``environment_options``; given the tasks, and shown single environments, if it is
            an :class:`OraclePolicy`, and given the seeds, which decide its draws, if it is a :class:`NoisyPolicy`.
        environment_id: A registered environment.
        tasks: One task per episode.
        seeds: One seed per episode.
        num_envs: How many episodes are played at a time.
        progress: Title of a progress bar; ``None`` for none.
        serial: Whether single environments are stepped in turn, even where there is a vector form.
        wrapper: Wraps single environments; every row is one, in its place.

    Returns:
        The episodes, in the order of the tasks.

    Raises:
        InvalidOptionError: The environment does not take the policy's options.
        PolicyCrashedError: The policy raised an error or chose an action outside the space; the error holds the
            episodes up to then.
    """
    episodes: list[Episode] = []
    if not tasks:
        return episodes
    starts = range(0, len(tasks), num_envs)
    batches = starts if progress is None else Progress(starts, desc=progress, unit="batch", delay=2)
    rows, options = min(num_envs, len(tasks)), policy.environment_options
    serial = serial or (rows == 1 and _has_rows_in_processes(environment_id))  # one would start for a single episode
    with closing(make_task_vector_env(environment_id, rows, options, serial, wrapper)) as env:
        for start in batches:
            batch = _Batch(policy, env, tasks[start : start + num_envs], seeds[start : start + num_envs])
            try:
                batch.play()
            except PolicyCrashedError as crash:
                played = episodes + crash.episodes
                unplayed = [_unplayed_episode(env, seed) for seed in seeds[len(played) :]]
                cause = crash.__cause__
                assert isinstance(cause, Exception)  # the policy's
                raise PolicyCrashedError(cause, played + unplayed) from cause
            episodes += batch.episodes()
    return episodes


def make_task_vector_env(
    environment_id: str,
    num_envs: int,
    options: Mapping[str, Any] | None = None,
    serial: bool = False,
    wrapper: Callable[[gymnasium.Env], gymnasium.Env] | None = None,
) -> TaskVectorEnv | SerialVectorEnv:
    """Rows that are reset by hand and can each be given a task: the environment's vector form, if it has one.

    Args:
        environment_id: A registered environment.
        num_envs: Number of rows.
        options: Arguments of the environment's constructor, by name.
        serial: Whether single environments are stepped in turn, even where there is a vector form.
        wrapper: Wraps single environments, of which there are then none but those.

    Raises:
        InvalidOptionError: The environment does not take these options.
    """
    if serial or wrapper is not None or find_spec(environment_id).vector_entry_point is None:
        return SerialVectorEnv(environment_id, num_envs, options, wrapper)
    check_environment_options(environment_id, options or {})
    env = gymnasium.make_vec(
        environment_id,
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
        **(options or {}),
    )
    assert isinstance(env, TaskVectorEnv)  # as every vector environment that is registered here
    return env


def _has_rows_in_processes(environment_id: str) -> bool:
    entry_point = find_spec(environment_id).vector_entry_point
    if entry_point is None:
        return False
    vector_type = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
    return isinstance(vector_type, type) and issubclass(vector_type, ProcessVectorEnv)


class _Batch:
    """One episode per row. Rows whose episode is over, and rows without one, play on unseen: all rows step together."""

    def __init__(
        self, policy: Policy, env: TaskVectorEnv | SerialVectorEnv, tasks: Sequence[Task], seeds: Sequence[int]
    ):
        self._policy, self._env, self._count = policy, env, len(tasks)
        spare = env.num_envs - len(tasks)
        self._tasks = [*tasks, *[tasks[0]] * spare]
        self._seeds = [int(seed) for seed in [*seeds, *[seeds[0]] * spare]]
        self._playing = np.arange(env.num_envs) < len(tasks)
        self._returns = np.zeros(env.num_envs)
        self._successes = np.zeros(env.num_envs, np.bool_)
        self._actions: list[list[np.ndarray]] = [[] for _ in tasks]
        self._measures: list[dict[str, float]] = [{} for _ in tasks]

    def play(self) -> None:
        """Play until every episode is over."""
        starts = np.ones(self._env.num_envs, np.bool_)
        observations = self._start(starts)
        while True:
            actions = self._asked(lambda: np.asarray(self._policy.act(observations, starts)))  # noqa: B023 - called at once
            observations, rewards, terminations, truncations, infos = self._step(actions)
            for row in np.flatnonzero(self._playing):
                self._actions[row].append(actions[row])
                self._returns[row] += rewards[row]
                self._successes[row] = counted_success(infos)[row]
                self._measures[row] = {name: float(infos[name][row]) for name in self._env.end_measures}
            starts = terminations | truncations
            self._playing &= ~starts
            if not self._playing.any():
                return
            if starts.any():
                observations = self._start(starts)

    def episodes(self) -> list[Episode]:
        """The episodes as far as they have been played."""
        return [
            Episode(
                return_=float(self._returns[row]),
                success=bool(self._successes[row]),
                length=len(actions),
                finished=not self._playing[row],
                seed=self._seeds[row],
                actions=np.array(actions, self._env.single_action_space.dtype) if actions else _no_actions(self._env),
                measures=self._measures[row],
            )
            for row, actions in enumerate(self._actions)
        ]

    def _start(self, rows: np.ndarray) -> Observations:
        seeds: Any = self._seeds  # of every row, which Gymnasium's annotation leaves out
        observations, _ = self._env.reset(seed=seeds, options={"task": self._tasks, "reset_mask": rows})
        policy = self._policy
        if isinstance(policy, OraclePolicy):
            for row in np.flatnonzero(rows).tolist():
                self._asked(lambda: self._tell(policy, row))  # noqa: B023 - called at once
        if isinstance(policy, NoisyPolicy):
            for row in np.flatnonzero(rows).tolist():
                policy.begin_noise(row, self._seeds[row])
        return observations

    def _tell(self, policy: OraclePolicy, row: int) -> None:
        episode = row, self._tasks[row], self._seeds[row]
        if isinstance(self._env, SerialVectorEnv):
            policy.begin_in(self._env.envs[row], *episode)
        else:
            policy.begin(*episode)

    def _step(self, actions: np.ndarray):
        try:
            return self._env.step(actions)
        except InvalidActionError as error:
            raise PolicyCrashedError(error, self.episodes()) from error

    def _asked(self, question: Callable[[], Any]) -> Any:
        """The policy's answer; whatever it raises is its crash."""
        try:
            return exits_are_errors(question)()
        except Exception as error:
            raise PolicyCrashedError(error, self.episodes()) from error


def _unplayed_episode(env: VectorEnv, seed: int) -> Episode:
    return Episode(0.0, False, 0, finished=False, seed=int(seed), actions=_no_actions(env))


def _no_actions(env: VectorEnv) -> np.ndarray:
    space = env.single_action_space
    return np.empty((0, *(space.shape or ())), space.dtype)
