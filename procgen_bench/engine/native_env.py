"""NativeEnv: the single environment over a native simulation of one row."""

from collections.abc import Callable
from contextlib import nullcontext
from copy import deepcopy
from typing import Any

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import ResetNeededError
from procgen_bench.core.seeding import checked_seed, stream_from_seed
from procgen_bench.core.success import success_info
from procgen_bench.core.task import TaskT
from procgen_bench.engine.draws_tasks import SOLVABLE, TRAINING, asks_for
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.engine.task_env import TaskEnv, check_begun, check_running

_ONE_ROW = np.ones(1, np.bool_)


class NativeEnv(TaskEnv[TaskT]):
    """A task environment over one row of a compiled simulation.

    A family sets ``simulation_type``, ``task_space``, ``observation_space`` and ``action_space`` (on the class, or on
    the instance before this constructor where they depend on its options), and draws ``render_frame`` and
    ``render_text``.

    Args:
        tasks: What resets without a task draw from: a suite's name, a task (or its name, or raw parameters), a list of
            those, ``"solvable"`` or ``"training"`` (see :class:`TaskEnv`), or ``None`` for the family's own
            distribution.
        render_mode: ``None`` or one of ``metadata["render_modes"]``.
        flat: Whether one vector is observed; see :class:`TaskEnv`.
    """

    simulation_type: Callable[..., NativeSimulation[TaskT]]

    def __init__(self, tasks=None, render_mode: str | None = None, flat: bool = False):
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.render_mode = render_mode
        # Spaces carry a random generator, which no two environments may share.
        self.observation_space = deepcopy(self.observation_space)
        self._observe_flat(flat)
        self.action_space = deepcopy(self.action_space)
        self._actions: np.ndarray = np.zeros((1, *(self.action_space.shape or ())), self.action_space.dtype)
        self.simulation: NativeSimulation[TaskT] = self.make_simulation(num_rows=1, max_episode_steps=None)
        self.use_tasks(self.simulation, tasks)
        self._seeded = False
        self._running = False

    @property
    def task(self) -> TaskT:
        """The current task."""
        return self.simulation.task(0)

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> NativeSimulation[TaskT]:
        """A simulation of ``num_rows`` games with this environment's options."""
        return self.simulation_type(num_rows, max_episode_steps)

    def use_tasks(self, simulation: NativeSimulation[TaskT], tasks: Any) -> None:
        """Have a simulation with this environment's options draw from ``tasks``; see :meth:`tasks_to_draw`."""
        trains, space = asks_for(TRAINING, tasks), self.task_space
        if (trains or asks_for(SOLVABLE, tasks)) and space.draws_solvable_quickly and not self.draws_solvable:
            simulation.use_solvable(space)
        else:
            simulation.use_tasks(self.tasks_to_draw(tasks) or ())
        if trains:
            simulation.use_training(space)

    @property
    def elapsed(self) -> int:
        """Steps of the current episode that have been taken."""
        return int(self.simulation.elapsed[0])

    def save_state(self) -> SavedState[TaskT]:
        """The episode as it is, for reset's option ``state``; see :class:`TaskEnv`.

        Raises:
            ResetNeededError: Before the first reset.
        """
        check_begun(self._seeded, "save_state")
        return self.simulation.save_row(0, self.state_kind, not self._running)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode, or go on with a saved one; see :class:`TaskEnv` for ``options``."""
        self._is_closed = False  # a reset opens it again, as Gymnasium's own do
        seed = checked_seed(seed)
        requested, state = self.requested_task(options), self.requested_state(options)
        parts = self.requested_parts(options)
        if requested is not None:
            requested = self.task_space.with_parts(requested, parts)
        super().reset(seed=seed)
        with self.simulation.restored_on_error() if parts or state else nullcontext():
            if state is not None:
                self._go_on(state, parts)
            if seed is not None or not (self._seeded or state):
                self.simulation.streams[0] = stream_from_seed(seed)
            if state is None:
                self._begin(requested, parts)
        self._running = state is None or not state.ended or bool(parts)
        self._seeded = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def _begin(self, requested: TaskT | None, parts: dict[str, Any]) -> None:
        """Begin the task that was asked for; without one, draw it and replace its ``parts``."""
        if requested is not None:
            self.simulation.load(0, requested)
        self.simulation.begin(_ONE_ROW, np.array([requested is None]))
        if requested is None and parts:  # whether they fit is known only now
            self.simulation.load(0, self.task_space.with_parts(self.task, parts))
            self.simulation.start(_ONE_ROW, ~_ONE_ROW)

    def _go_on(self, state: SavedState[TaskT], parts: dict[str, Any]) -> None:
        """Continue from ``state``, under its task with these ``parts`` replaced."""
        self.simulation.restore_rows({0: state})
        if parts:
            self.simulation.pursue(0, self.task_space.with_parts(state.task, parts))

    def step(self, action):
        """Advance the episode by one action.

        The time limit is Gymnasium's ``TimeLimit`` wrapper's, which lets an episode that it truncated go on. The
        simulation itself truncates one that it cannot go on with.

        Raises:
            ClosedEnvironmentError: After :meth:`close`.
            ResetNeededError: Before the first reset, or after the end of the episode.
            InvalidActionError: The action is outside the action space.
        """
        self.check_open()
        check_running(self._running)
        self._actions[0] = self.action_rule.checked(action)
        simulation = self.simulation
        simulation.step(self._actions, _ONE_ROW)
        terminated, truncated = simulation.terminations.item(), simulation.truncations.item()
        self._running = not (terminated or truncated)
        if self.render_mode == "human":
            self.render()
        return self._observation(), simulation.rewards.item(), terminated, truncated, self._info()

    def _observation(self) -> Any:
        """What the agent observes now, as a copy."""
        if self.flattener is None:
            return self.simulation.copy_observation(0)
        return self.flattener.rows(self.simulation.observations)[0]

    def close(self) -> None:
        """Close the window, and what the simulation holds; again without effect."""
        self.simulation.close()
        super().close()

    def render_frame(self, simulation: Any, row: int, /) -> np.ndarray:
        """The picture of one row's state: uint8 (height, width, 3). The simulation stays as it is."""
        raise NotImplementedError

    def render_text(self, simulation: Any, row: int, /) -> str:
        """One row's state as text. The simulation stays as it is."""
        raise NotImplementedError

    def _frame(self) -> np.ndarray | str:
        if not self._seeded:
            raise ResetNeededError("render was called before reset; call reset first")
        draw = self.render_text if self.render_mode == "ansi" else self.render_frame
        return draw(self.simulation, 0)

    def _info(self) -> dict[str, Any]:
        return success_info(self.simulation.successes.item())
