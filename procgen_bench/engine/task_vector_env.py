"""TaskVectorEnv: what the vector environments of all families share, however their rows are simulated."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Protocol

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import ClosedEnvironmentError, InvalidOptionError, ResetNeededError
from procgen_bench.core.success import count_rows
from procgen_bench.core.task import Task
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.flattening import Flattener
from procgen_bench.engine.known_arguments import KnownArguments
from procgen_bench.engine.plain_spec import PlainSpec
from procgen_bench.engine.rendering import warn_of_no_render_mode
from procgen_bench.engine.row_requests import (
    RowRequests,
    checked_autoreset_mode,
    checked_limit,
    checked_mask,
    checked_rows,
    further_options,
    row_seeds,
    seed_own_generator,
)
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_env import TaskEnv, check_begun, check_options


class RowSimulation(Protocol):
    """What simulates a vector environment's rows; see :class:`~procgen_bench.engine.simulation.NativeSimulation`."""

    observations: dict[str, np.ndarray] | np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    successes: np.ndarray

    def task(self, row: int) -> Task:
        """The task in ``row``."""

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by one action; the other rows' arrays stay as they are."""

    def copy_observations(self) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of ``observations``, (N, ...) in the same dtypes."""

    def copy_observation(self, row: int) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of one row of ``observations``, (...) in the same dtypes."""

    def close(self) -> None:
        """Release what is held outside this process's memory, worker processes say; again without effect."""


class TaskVectorEnv(KnownArguments, PlainSpec, VectorEnv, ABC):
    """A vector environment whose reset takes tasks; row ``k`` equals the single environment with its task and seed.

    Here are the checks of all that a user hands over (before anything is changed), the rows' seeds and tasks, the
    automatic resets and the infos. :class:`NativeVectorEnv` and :class:`HostedVectorEnv` say how rows are simulated.
    A family sets ``single_env_type``, whose spaces, metadata and task space it shares, and whose own keyword arguments
    it takes.

    The time limit is inside: ``truncations`` are those that Gymnasium's ``TimeLimit`` would give.

    Args:
        num_envs: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``make_vec`` passes the registered limit, also in
            place of ``None``. -1, or ``None`` where there is no ``make_vec``: no limit.
        tasks: What rows that reset without a task draw from; see the single environment.
        autoreset_mode: ``NEXT_STEP`` (Gymnasium's default), ``SAME_STEP`` (the last observation and info are then in
            ``infos["final_obs"]`` and ``infos["final_info"]``), or ``DISABLED`` (the caller resets rows with
            ``reset(options={"reset_mask": ...})``, and may hand each a task).
        copy: Whether ``reset`` and ``step`` return copies. ``False`` returns the rows' arrays themselves, which the
            next call overwrites: nothing is then allocated for observations.
        render_mode: ``None``, or one of the single environment's except ``"human"``; ``render`` returns one frame per
            row.
        **family_options: The single environment's further keyword arguments.

    Attributes:
        single: An environment of one row with this one's options: what the rows share.
        task_space: The family's space of tasks.
        simulation: The rows.
        rows_per_task: How many neighbouring rows play one task together: players of one world, say.
        learner_infos: Infos, an entry a row, that learners may have beside what policies observe: truths of a goal,
            rewards of other players.
    """

    rows_per_task: int = 1
    learner_infos: tuple[str, ...] = ()
    single_env_type: Callable[..., TaskEnv]
    single: TaskEnv
    simulation: RowSimulation
    _flattener: Flattener | None = None

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        tasks=None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **family_options,
    ):
        autoreset_mode = checked_autoreset_mode(autoreset_mode)
        max_episode_steps = checked_limit(num_envs, max_episode_steps)
        self._share(self._made_single(tasks, family_options), num_envs, autoreset_mode, copy, render_mode)
        self._make_rows(tasks, family_options, max_episode_steps)

    def _row_rule(self) -> Any:
        """What ``step`` takes as actions: something that has :meth:`ActionRule.checked`."""
        return ActionRule(self.single_action_space, self.num_envs)

    def _made_single(self, tasks: Any, options: dict[str, Any]) -> TaskEnv:
        """What the rows share, with these further arguments."""
        return self.single_env_type(tasks=tasks, **options)

    def _make_rows(self, tasks: Any, options: dict[str, Any], max_episode_steps: int | None) -> None:
        """Make the simulation, whose rows draw from ``tasks`` under the single environment's further arguments."""
        raise NotImplementedError

    def _share(
        self, single: TaskEnv, num_envs: int, autoreset_mode: AutoresetMode, copy: bool, render_mode: str | None
    ) -> None:
        """Take over what the rows share, before there are any."""
        render_modes = [mode for mode in single.metadata["render_modes"] if mode != "human"]
        check_choice("render_mode", render_mode, (None, *render_modes))
        self.single = single
        self.autoreset_mode = autoreset_mode
        self.metadata = {**single.metadata, "render_modes": render_modes, "autoreset_mode": autoreset_mode}
        self.num_envs = int(num_envs)
        self.copy = copy
        self.render_mode = render_mode
        self.task_space = single.task_space
        # Spaces carry a random generator, which no two environments may share.
        self.single_observation_space = deepcopy(single.observation_space)
        self.single_action_space = deepcopy(single.action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._action_rule = self._row_rule()
        self._started = np.zeros(self.num_envs, np.bool_)
        self._all_started = False
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._any_ended = False
        self._every_row = np.ones(self.num_envs, np.bool_)

    @property
    def end_measures(self) -> tuple[str, ...]:
        """See :class:`TaskEnv`."""
        return self.single.end_measures

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The rows' current tasks."""
        return tuple(self.simulation.task(row) for row in range(self.num_envs))

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Begin an episode in every row, or in those of ``options["reset_mask"]``.

        Args:
            seed: One for the first row, the next for the second and so on; or a list with one per row, ``None`` where
                the row's random generator goes on. It also seeds this environment's own ``np_random``; after a list,
                which is no one seed, ``np_random_seed`` is -1. See :func:`~procgen_bench.core.seeding.checked_seed`.
            options: See the class.

        Raises:
            ClosedEnvironmentError: After :meth:`close`.
        """
        self._check_open()
        check_options(options, self.single.reset_options | {"reset_mask"})
        options = options or {}
        rows = checked_mask(options["reset_mask"], self.num_envs) if "reset_mask" in options else self._every_row
        further = self._further_options(options, rows)
        parts = {row: self.single.requested_parts(own) for row, own in further.items()}
        requested = {
            row: self.task_space.with_parts(task, parts.get(row, {}))
            for row, task in self._requested_tasks(options.get("task"), rows).items()
        }
        states = self._requested_states(further, requested)
        self._begin(RowRequests(rows, row_seeds(seed, self.num_envs), requested, further, states))
        seed_own_generator(self, seed)
        self._started |= rows
        self._all_started = bool(self._started.all())
        self._forget_ends(rows)
        for row, state in states.items():
            self._ended[row] = state.ended and not parts[row]
        self._any_ended = bool(self._ended.any())
        return self.observe(self.copy), self._counted_infos(rows)

    @abstractmethod
    def _begin(self, requests: RowRequests) -> None:
        """Begin an episode in every row of ``requests.rows``; when that fails, all rows are as they were."""

    def begin_batch(self, rows: np.ndarray, tasks: TaskBatch) -> None:
        """As :meth:`reset` of these rows (bool (N,)) with these tasks, one for each in order; nothing is returned."""
        by_row = np.full(self.num_envs, None, object)
        by_row[rows] = list(tasks)
        self.reset(options={"task": by_row.tolist(), "reset_mask": rows})

    def save_states(self, rows: Sequence[int] | None = None) -> list[SavedState]:
        """The episodes of these rows (all by default) as they are, for reset's option ``state``; see :class:`TaskEnv`.

        Single environments continue from them too, and rows from theirs.

        Raises:
            ResetNeededError: One of the rows has not been reset yet.
            InvalidOptionError: There is no such row.
        """
        rows = checked_rows(rows, self.num_envs)
        for row in rows:
            check_begun(self._started[row], f"save_states, of row {row},")
        return self._saved_states(rows)

    @abstractmethod
    def _saved_states(self, rows: list[int]) -> list[SavedState]:
        """The episodes of these rows as they are."""

    def step(self, actions: np.ndarray):
        """Advance every row by its action (N, ...); see :class:`NativeVectorEnv` for what is returned and raised."""
        self._check_open()
        actions = self._action_rule.checked(actions)
        if not self._all_started:
            raise ResetNeededError(f"step was called before reset in rows {_listed(~self._started)}; call reset first")
        if self._any_ended and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ResetNeededError(
                f"step was called after the end of the episode in rows {_listed(self._ended)}; "
                "reset them first with options={'reset_mask': ...}"
            )
        simulation = self.simulation
        if self._any_ended:  # only under NEXT_STEP
            ended = self._ended.copy()
            self._advance(actions, ~ended)
            self._restart_ended(ended)
        else:
            self._advance(actions, self._every_row)
        rewards = simulation.rewards.copy()
        terminations, truncations = simulation.terminations.copy(), simulation.truncations.copy()
        np.logical_or(terminations, truncations, out=self._ended)
        self._any_ended = bool(self._ended.any())
        infos: dict[str, Any] = {}
        if self._any_ended and self.autoreset_mode == AutoresetMode.SAME_STEP:
            ended = self._ended.copy()
            infos = self._final_infos(ended)
            self._restart_ended(ended)
        infos.update(self._counted_infos(self._every_row))
        return self.observe(self.copy), rewards, terminations, truncations, infos

    def _advance(self, actions: Any, rows: np.ndarray) -> None:
        """Have these rows (bool (N,)) take their actions, which the row rule has checked."""
        self.simulation.step(actions, rows)

    def render(self) -> tuple[np.ndarray, ...] | tuple[str, ...] | None:
        """One frame (``rgb_array``: uint8 (height, width, 3)) or text (``ansi``) per row, as of the single environment.

        Raises:
            ResetNeededError: A row has no state yet.
        """
        if self.render_mode is None:
            warn_of_no_render_mode(self)
            return None
        if not self._all_started:
            raise ResetNeededError(
                f"render was called before reset in rows {_listed(~self._started)}; call reset first"
            )
        return self._frames()

    @abstractmethod
    def _frames(self) -> tuple[np.ndarray, ...] | tuple[str, ...]:
        """Every row's state as ``render_mode`` asks."""

    def _registered(self, spec: EnvSpec) -> None:
        """Begin again with the registered time limit where ``make_vec`` was given none, as its other modes have it."""
        given = {name: value for name, value in spec.kwargs.items() if name != "vectorization_mode"}
        if spec.max_episode_steps is not None and given.get("max_episode_steps", -1) is None:
            self.close_extras()
            self.__init__(**given | {"max_episode_steps": spec.max_episode_steps})  # type: ignore[misc,call-arg]

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError

    def close_extras(self, **kwargs) -> None:
        """Release what the rows hold; called by :meth:`close`."""
        self.simulation.close()
        self.single.close()

    def _restart_ended(self, ended: np.ndarray) -> None:
        self._restart(ended)
        self._forget_ends(ended)

    @abstractmethod
    def _restart(self, rows: np.ndarray) -> None:
        """Begin an episode with a drawn task in every row of ``rows``."""

    def _forget_ends(self, rows: np.ndarray) -> None:
        self._ended[rows] = False
        self._any_ended = bool(self._ended.any())

    def _flatten_rows(self, flattener: Flattener | None) -> None:
        """Make vectors of what the simulation's rows observe, where they do not do so by themselves."""
        self._flattener = flattener
        if flattener is not None:
            self._vectors = np.empty((self.num_envs, *flattener.space.shape), np.float32)

    def observe(self, copy: bool = True) -> Any:
        """What all rows observe now, in ``observation_space``; without ``copy``, the next call overwrites it."""
        if self._flattener is not None:
            return self._flattener.rows(self.simulation.observations, None if copy else self._vectors)
        return self.simulation.copy_observations() if copy else self.simulation.observations

    def observe_row(self, row: int) -> Any:
        """A copy of what a row observes now."""
        observation = self.simulation.copy_observation(row)
        return observation if self._flattener is None else self._flattener.one(observation)

    def _observe_each(self, rows: list[int]) -> list[Any]:
        """Copies of what these rows observe now."""
        return [self.observe_row(row) for row in rows]

    def _counted_infos(self, rows: np.ndarray) -> dict[str, Any]:
        infos = self._infos(rows)
        count_rows(infos)
        return infos

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        return {"success": self.simulation.successes.copy(), "_success": rows.copy()}

    def _final_infos(self, ended: np.ndarray) -> dict[str, Any]:
        final_observations = np.full(self.num_envs, None, dtype=object)
        rows = np.flatnonzero(ended).tolist()
        for row, observation in zip(rows, self._observe_each(rows), strict=True):
            final_observations[row] = observation
        return {
            "final_obs": final_observations,
            "_final_obs": ended,
            "final_info": self._counted_infos(ended),
            "_final_info": ended,
        }

    def _further_options(self, options: dict[str, Any], rows: np.ndarray) -> dict[int, dict[str, Any]]:
        """By row: what ``options`` ask beside ``task``; a family may take forms of its own."""
        return further_options(options, rows)

    def _requested_tasks(self, tasks: Any, rows: np.ndarray) -> dict[int, Task]:
        if tasks is None:
            return {}
        if isinstance(tasks, list | tuple):
            if len(tasks) != self.num_envs:
                raise InvalidOptionError(f"task lists {len(tasks)} tasks, expected one per row ({self.num_envs})")
            asked = {row: tasks[row] for row in np.flatnonzero(rows).tolist() if tasks[row] is not None}
            return {row: self._resolved(task) for row, task in asked.items()}
        return dict.fromkeys(np.flatnonzero(rows).tolist(), self._resolved(tasks))

    def _requested_states(
        self, further: dict[int, dict[str, Any]], requested: dict[int, Task]
    ) -> dict[int, SavedState]:
        asked = {row: self.single.requested_state(own | {"task": requested.get(row)}) for row, own in further.items()}
        return {row: state for row, state in asked.items() if state is not None}

    def _resolved(self, task: Any) -> Task:
        requested = self.single.requested_task({"task": task})
        assert requested is not None  # since a task was asked for
        return requested


def _listed(rows: np.ndarray) -> list[int]:
    return np.flatnonzero(rows)[:8].tolist()
