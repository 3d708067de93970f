"""NativeVectorEnv: N tasks stepped by one compiled call into preallocated arrays."""

from collections.abc import Sequence
from contextlib import nullcontext
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from procgen_bench.errors import InvalidActionError, InvalidOptionError, ResetNeededError
from procgen_bench.native_env import NativeEnv
from procgen_bench.rendering import warn_of_no_render_mode
from procgen_bench.seeding import stream_from_seed
from procgen_bench.task import Task
from procgen_bench.task_env import check_options


class NativeVectorEnv(VectorEnv):
    """A vector environment over a compiled simulation; row ``k`` equals the single environment with its task and seed.

    A family sets ``single_env_type``, whose spaces, metadata, task space and simulation it shares, and whose own
    keyword arguments it takes.

    The time limit is inside: ``truncations`` are those that Gymnasium's ``TimeLimit`` would give.

    Args:
        num_envs: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated (``make_vec`` passes the registered limit);
            ``None`` for no limit.
        tasks: What rows that reset without a task draw from; see :class:`NativeEnv`.
        autoreset_mode: ``NEXT_STEP`` (Gymnasium's default), ``SAME_STEP`` (the last observation and info are then in
            ``infos["final_obs"]`` and ``infos["final_info"]``), or ``DISABLED`` (the caller resets rows with
            ``reset(options={"reset_mask": ...})``, and may hand each a task).
        copy: Whether ``reset`` and ``step`` return copies. ``False`` returns the simulation's own arrays, which the
            next call overwrites: nothing is then allocated for observations.
        render_mode: ``None``, ``"rgb_array"`` or ``"ansi"``; ``render`` returns one frame per row.
        **family_options: The single environment's further keyword arguments.

    ``reset``'s options: ``task`` (a task, a name or raw parameters for every row that resets; or a list with one entry
    per row, ``None`` where the row draws its own) and ``reset_mask`` (bool (N,): only these rows reset).
    """

    single_env_type: ClassVar[type[NativeEnv]]

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
        self.autoreset_mode = _checked_autoreset_mode(autoreset_mode)
        _check_count("num_envs", num_envs)
        if max_episode_steps is not None:
            _check_count("max_episode_steps", max_episode_steps)
        #: An environment of one row with this one's options: what the rows share.
        self.single = single = self.single_env_type(**family_options)
        render_modes = [mode for mode in single.metadata["render_modes"] if mode != "human"]
        if render_mode is not None and render_mode not in render_modes:
            raise InvalidOptionError(f"render_mode is {render_mode!r}, expected one of {render_modes}")
        self.metadata = {**single.metadata, "render_modes": render_modes, "autoreset_mode": self.autoreset_mode}
        self.num_envs = int(num_envs)
        self.copy = copy
        self.render_mode = render_mode
        self.task_space = single.task_space
        # Spaces carry a random generator, which no two environments may share.
        self.single_observation_space = deepcopy(single.observation_space)
        self.single_action_space = deepcopy(single.action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.simulation = single.make_simulation(self.num_envs, max_episode_steps)
        if tasks is not None:
            self.simulation.use_tasks(self.task_space.resolve_many(tasks))
        self._seeded = np.zeros(self.num_envs, np.bool_)
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
        parts = self._requested_parts(options, rows)
        requested = {
            row: self.task_space.with_parts(task, parts.get(row, {}))
            for row, task in self._requested_tasks(options.get("task"), rows).items()
        }
        seeds = self._row_seeds(seed)
        fresh = rows.copy()
        fresh[list(requested)] = False
        with self.simulation.restored_on_error() if parts else nullcontext():
            for row in np.flatnonzero(rows):
                if seeds[row] is not None or not self._seeded[row]:
                    self.simulation.streams[row] = stream_from_seed(seeds[row])
            for row, task in requested.items():
                self.simulation.load(row, task)
            self.simulation.start(rows, fresh)
            self._replace_parts({row: parts[row] for row in parts if fresh[row]})
        self._seeded |= rows
        self._started |= rows
        self._all_started = bool(self._started.all())
        self._forget_ends(rows)
        return self._observations(), self._infos(rows)

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
        draw = self.single.render_text if self.render_mode == "ansi" else self.single.render_frame
        return tuple(draw(self.simulation, row) for row in range(self.num_envs))

    def _begin_anew(self, ended: np.ndarray) -> None:
        self.simulation.start(ended, ended)
        self._forget_ends(ended)

    def _forget_ends(self, rows: np.ndarray) -> None:
        self._ended[rows] = False
        self._any_ended = bool(self._ended.any())

    def _replace_parts(self, parts: dict[int, dict[str, Any]]) -> None:
        """Begin rows that have just drawn a task anew, with some of its fields replaced."""
        rows = np.zeros(self.num_envs, np.bool_)
        for row, fields in parts.items():
            self.simulation.load(row, self.task_space.with_parts(self.simulation.task(row), fields))
            rows[row] = True
        if parts:
            self.simulation.start(rows, ~self._every_row)

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
            "final_info": {"success": self.simulation.successes.copy(), "_success": ended},
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
            return {row: self.task_space.resolve(task) for row, task in asked.items()}
        return dict.fromkeys(np.flatnonzero(rows), self.task_space.resolve(tasks))

    def _requested_parts(self, options: dict[str, Any], rows: np.ndarray) -> dict[int, dict[str, Any]]:
        """By row of ``rows``: the fields of its task that ``options`` replace; none unless a family offers it."""
        return {}

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


def _check_count(name: str, value: object) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InvalidOptionError(f"{name} is {value!r}, expected an integer of at least 1")


def _checked_autoreset_mode(mode: object) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = [known.value for known in AutoresetMode]
        raise InvalidOptionError(f"autoreset_mode is {mode!r}, expected one of {known}") from None
