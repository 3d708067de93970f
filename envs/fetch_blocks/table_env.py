"""TableEnv: what the environments with the Fetch arm and its blocks share, whatever their tasks are."""

from copy import deepcopy
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from procgen_bench.checks import check_choice
from procgen_bench.envs.fetch_blocks.rendering import draw_frame
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation, SavedState
from procgen_bench.errors import InvalidOptionError, ResetNeededError
from procgen_bench.task import Task
from procgen_bench.task_env import TaskEnv, check_running
from procgen_bench.task_space import TaskSpace


class SavedEpisode(NamedTuple):
    """An episode to go on from; see :meth:`TableEnv.save_state`. It is never changed.

    Attributes:
        task: The task.
        simulation: The state of arm and blocks.
        steps: Steps that have been taken.
        progress: What else the environment knows of the episode.
    """

    task: Task
    simulation: SavedState
    steps: int
    progress: Any


class TableEnv(TaskEnv):
    """An environment in which the Fetch arm moves N blocks from a task's ``start``.

    A family draws tasks (``_sampled``), begins an episode (``_begin``), observes (``_observed``), says whether it has
    succeeded (``_success``) and whether a step was the last (``_outcome``), what must be kept of an episode beside its
    state (``_progress``), and where blocks are desired (``desired_places``).

    Args:
        task_space: The family's, of as many blocks.
        tasks: See :class:`TaskEnv`.
        num_blocks: Number of blocks, N.
        randomness: Of the starts that are drawn, 0 to 1.
        render_mode: ``"rgb_array"``, ``"human"``, or ``None``.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array"], "render_fps": 25}
    action_space: ClassVar[spaces.Box] = spaces.Box(-1.0, 1.0, (4,))
    reset_options = TaskEnv.reset_options | {"state"}

    def __init__(self, task_space: TaskSpace, tasks, num_blocks: int, randomness: float, render_mode: str | None):
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        _check_randomness(randomness)
        self.num_blocks, self.randomness, self.render_mode = num_blocks, randomness, render_mode
        self.task_space = task_space
        # Spaces carry a random generator, which no two environments may share.
        self.action_space = deepcopy(self.action_space)
        self._tasks = None if tasks is None else self.task_space.resolve_many(tasks)
        self.simulation = FetchBlocksSimulation(num_blocks)
        self._task: Task | None = None
        self._running, self._steps = False, 0

    @property
    def task(self) -> Task:
        """The current task; :class:`ResetNeededError` before the first reset."""
        if self._task is None:
            raise ResetNeededError("there is no task before the first reset; call reset first")
        return self._task

    @property
    def desired_places(self) -> np.ndarray:
        """Where each block is desired: float64 (N, 3), or (0, 3) where no places are; needs a reset before."""
        raise NotImplementedError

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode; what is refused leaves the one that is under way as it is.

        Raises:
            InvalidTaskError, UnknownNameError: The task is none, or not valid.
            InvalidOptionError: There are other options, or a state beside a task or of another number of blocks.
        """
        requested, parts = self.requested_task(options), self.requested_parts(options)
        saved = self._checked_state(options)
        rng = deepcopy(self.np_random) if seed is None else seeding.np_random(seed)[0]
        if saved is not None:
            requested = saved.task
        task = self.task_space.with_parts(self._drawn(rng) if requested is None else requested, parts)
        super().reset(seed=seed)
        self.np_random = rng
        if saved is None:
            self.simulation.begin(task.start)
        else:
            self.simulation.load(saved.simulation)
        self._task, self._running = task, True
        self._steps = 0 if saved is None else saved.steps
        self._begin(task, None if saved is None else saved.progress)
        if self.render_mode == "human":
            self.render()
        return self._observed(), {"success": self._success()}

    def step(self, action: np.ndarray):
        """Advance arm and blocks by 0.04 s.

        Raises:
            ResetNeededError: Before the first reset, or after the end of the episode.
            InvalidActionError: The action is outside the action space.
        """
        check_running(self._running)
        self.check_action(action)
        self.simulation.step(action)
        if self.render_mode == "human":
            self.render()
        self._steps += 1
        success = self._success()
        terminated, truncated = self._outcome(success)
        self._running = not (terminated or truncated)
        return self._observed(), float(success), terminated, truncated, {"success": success}

    def save_state(self) -> SavedEpisode:
        """The episode as it is, for the reset option ``state``; going on from it is exact.

        Raises:
            ResetNeededError: Before the first reset, or after the end of the episode.
        """
        check_running(self._running, "save_state")
        return SavedEpisode(self.task, self.simulation.save(), self._steps, self._progress())

    def _frame(self) -> np.ndarray:
        """Arm, table and blocks, and the desired places of those that are not there."""
        return draw_frame(self.simulation, self.desired_places)

    def _drawn(self, rng: np.random.Generator) -> Task:
        if self._tasks is None:
            return self._sampled(rng)
        return self._tasks[rng.integers(len(self._tasks))]

    def _sampled(self, rng: np.random.Generator) -> Task:
        """A new task of the family's distribution."""
        raise NotImplementedError

    def _begin(self, task: Task, progress: Any) -> None:
        """An episode begins in the simulation's state; one that goes on has made this ``progress``."""

    def _progress(self) -> Any:
        """What decides how the episode goes on, beside the task, the simulation's state and the steps; not ``None``."""
        return ()

    def _observed(self) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def _success(self) -> bool:
        raise NotImplementedError

    def _outcome(self, success: bool) -> tuple[bool, bool]:
        """Whether the step that was taken terminates the episode, and whether it truncates it."""
        return False, False

    def _checked_state(self, options: dict[str, Any] | None) -> SavedEpisode | None:
        saved = self.requested_state(options, SavedEpisode)
        if saved is not None:
            if not isinstance(saved.task, self.task_space.task_type):
                found, expected = type(saved.task).__name__, self.task_space.task_type.__name__
                raise InvalidOptionError(f"the state's task is a {found}, expected a {expected}")
            self.simulation.check(saved.simulation)
        return saved


def _check_randomness(randomness: float) -> None:
    if not isinstance(randomness, int | float) or isinstance(randomness, bool) or not 0.0 <= randomness <= 1.0:
        raise InvalidOptionError(f"randomness is {randomness!r}, expected a number in [0, 1]")
