"""TaskVectorEnv: what the vector environments of all families do alike, whoever simulates their rows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from procgen_bench.checks import check_choice
from procgen_bench.errors import InvalidActionError, InvalidOptionError, ResetNeededError
from procgen_bench.rendering import warn_of_no_render_mode
from procgen_bench.task import Task
from procgen_bench.task_env import TaskEnv, check_options


class RowSimulation(Protocol):
    """What a vector environment's rows are simulated by: see :class:`procgen_bench.simulation.NativeSimulation`."""

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
        """A copy of ``observations``."""

    def copy_observation(self, row: int) -> dict[str, np.ndarray] | np.ndarray:
        """A copy of one row of ``observations``."""


class TaskVectorEnv(VectorEnv, ABC):
    """A vector environment whose reset takes tasks; row ``k`` equals the single environment with its task and seed.

    Here are the checks of all that a user hands over (before anything is changed), the rows' seeds and tasks, the
    automatic resets and the infos. :class:`NativeVectorEnv` and :class:`ProcessVectorEnv` say how rows are simulated.

    Attributes:
        single: An environment of one row with this one's options: what the rows share.
        task_space: The family's space of tasks.
        simulation: The rows.
    """

    single_env_type: ClassVar[type[TaskEnv]]
    single: TaskEnv
    simulation: RowSimulation

    def __init__(
        self, single: TaskEnv, num_envs: int, autoreset_mode: AutoresetMode, copy: bool, render_mode: str | None
    ):
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
        self._started = np.zeros(self.num_envs, np.bool_)
        self._all_started = False
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._any_ended = False
        self._every_row = np.ones(self.num_envs, np.bool_)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The rows' current tasks."""
        return tuple(self.simulation.task(row) for row in range(self.num_envs))

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Begin an episode in every row, or in those of ``options["reset_mask"]``."""
        check_options(options, self.single.reset_options | {"reset_mask"})
        options = options or {}
        rows = self._checked_mask(options["reset_mask"]) if "reset_mask" in options else self._every_row
        further = self._further_options(options, rows)
        parts = {row: self.single.requested_parts(own) for row, own in further.items()}
        requested = {
            row: self.task_space.with_parts(task, parts.get(row, {}))
            for row, task in self._requested_tasks(options.get("task"), rows).items()
        }
        self._begin(rows, self._row_seeds(seed), requested, further)
        self._started |= rows
        self._all_started = bool(self._started.all())
        self._forget_ends(rows)
        return self._observations(), self._infos(rows)

    @abstractmethod
    def _begin(
        self,
        rows: np.ndarray,
        seeds: Sequence[int | None],
        requested: dict[int, Task],
        further: dict[int, dict[str, Any]],
    ) -> None:
        """Begin an episode in every row of ``rows``; when that fails, all rows are as they were.

        Args:
            rows: bool (N,), the rows that begin.
            seeds: One per row; ``None``: the row's chance goes on.
            requested: By row, the task that it was given, its parts replaced already; the others draw one.
            further: By row, reset's further options, checked.
        """

    def step(self, actions: np.ndarray):
        """Advance every row by its action (rows that ended in the last step begin anew under ``NEXT_STEP``)."""
        actions = self._checked_actions(actions)
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
            simulation.step(actions, ~ended)
            self._begin_anew(ended)
        else:
            simulation.step(actions, self._every_row)
        rewards = simulation.rewards.copy()
        terminations, truncations = simulation.terminations.copy(), simulation.truncations.copy()
        np.logical_or(terminations, truncations, out=self._ended)
        self._any_ended = bool(self._ended.any())
        infos: dict[str, Any] = {}
        if self._any_ended and self.autoreset_mode == AutoresetMode.SAME_STEP:
            ended = self._ended.copy()
            infos = self._final_infos(ended)
            self._begin_anew(ended)
        infos.update(self._infos(self._every_row))
        return self._observations(), rewards, terminations, truncations, infos

    def render(self) -> tuple[np.ndarray, ...] | tuple[str, ...] | None:
        """One frame (``rgb_array``) or text (``ansi``) per row, each as the single environment's ``render`` gives it.

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

    def _begin_anew(self, ended: np.ndarray) -> None:
        self._restart(ended)
        self._forget_ends(ended)

    @abstractmethod
    def _restart(self, rows: np.ndarray) -> None:
        """Begin an episode with a drawn task in every row of ``rows``."""

    def _forget_ends(self, rows: np.ndarray) -> None:
        self._ended[rows] = False
        self._any_ended = bool(self._ended.any())

    def _observations(self):
        return self.simulation.copy_observations() if self.copy else self.simulation.observations

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        return {"success": self.simulation.successes.copy(), "_success": rows.copy()}

    def _final_infos(self, ended: np.ndarray) -> dict[str, Any]:
        final_observations = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(ended):
            final_observations[row] = self.simulation.copy_observation(row)
        return {
            "final_obs": final_observations,
            "_final_obs": ended,
            "final_info": self._infos(ended),
            "_final_info": ended,
        }

    def _checked_mask(self, mask: np.ndarray) -> np.ndarray:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise InvalidOptionError(f"reset_mask is {mask!r}, expected a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise InvalidOptionError("reset_mask selects no row, expected at least one true entry")
        return mask

    def _requested_tasks(self, tasks: Any, rows: np.ndarray) -> dict[int, Task]:
        if tasks is None:
            return {}
        if isinstance(tasks, list | tuple):
            if len(tasks) != self.num_envs:
                raise InvalidOptionError(f"task lists {len(tasks)} tasks, expected one per row ({self.num_envs})")
            asked = {row: tasks[row] for row in np.flatnonzero(rows) if tasks[row] is not None}
            return {row: self._resolved(task) for row, task in asked.items()}
        return dict.fromkeys(np.flatnonzero(rows), self._resolved(tasks))

    def _resolved(self, task: Any) -> Task:
        return self.single.requested_task({"task": task})

    def _further_options(self, options: dict[str, Any], rows: np.ndarray) -> dict[int, dict[str, Any]]:
        """By row of ``rows``: what ``options`` ask beside ``task``; the single environment is yet to check it.

        A list holds an entry per row, ``None`` where there is nothing to ask; all else, a tuple too, is for every row.
        """
        asked = {name: value for name, value in options.items() if name not in ("task", "reset_mask")}
        further: dict[int, dict[str, Any]] = {}
        for name, value in asked.items():
            if isinstance(value, list) and len(value) != self.num_envs:
                expected = f"one per row ({self.num_envs}); a tuple is for every row"
                raise InvalidOptionError(f"{name} lists {len(value)} entries, expected {expected}")
            for row in np.flatnonzero(rows).tolist():
                own = value[row] if isinstance(value, list) else value
                if own is not None:
                    further.setdefault(row, {})[name] = own
        return further

    def _row_seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if not isinstance(seed, list | tuple | range | np.ndarray):
            _check_seed(seed)
            return range(int(seed), int(seed) + self.num_envs)
        if len(seed) != self.num_envs:
            raise InvalidOptionError(f"seed lists {len(seed)} seeds, expected one per row ({self.num_envs})")
        for row_seed in seed:
            if row_seed is not None:
                _check_seed(row_seed)
        return seed

    def _checked_actions(self, actions: np.ndarray) -> np.ndarray:
        actions = np.asarray(actions)
        shape, dtype, low, high = self._action_rule
        if actions.shape != shape:
            raise InvalidActionError(f"actions have shape {actions.shape}, expected {shape}")
        if actions.dtype != dtype:
            if actions.dtype == np.bool_ or not np.can_cast(actions.dtype, dtype, "same_kind"):
                raise InvalidActionError(f"actions have dtype {actions.dtype}, expected {dtype}")
            actions = actions.astype(dtype)
        inside = (actions >= low) & (actions <= high)
        if not inside.all():
            row = int(np.argwhere(~inside)[0][0])
            raise InvalidActionError(
                f"action of row {row} is {actions[row].tolist()!r}, expected a member of {self.single_action_space}"
            )
        return actions

    @cached_property
    def _action_rule(self) -> tuple[tuple[int, ...], np.dtype, Any, Any]:
        """Shape, dtype and bounds of a batch of actions."""
        single = self.single_action_space
        if isinstance(single, spaces.Box):  # the batch's own bounds: small rows that are broadcast compare slowly
            low, high = self.action_space.low, self.action_space.high
        else:
            low = single.start
            high = low + (single.n if isinstance(single, spaces.Discrete) else single.nvec) - 1
        return self.action_space.shape, self.action_space.dtype, low, high


def _listed(rows: np.ndarray) -> list[int]:
    return np.flatnonzero(rows)[:8].tolist()


def _check_seed(seed: object) -> None:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InvalidOptionError(f"seed is {seed!r}, expected an integer of at least 0, or None")


def checked_autoreset_mode(mode: object) -> AutoresetMode:
    """``mode`` as Gymnasium's; :class:`InvalidOptionError` where there is no such mode."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = [known.value for known in AutoresetMode]
        raise InvalidOptionError(f"autoreset_mode is {mode!r}, expected one of {known}") from None
