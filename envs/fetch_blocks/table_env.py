"""TableEnv: what the environments with the Fetch arm and its blocks share, whatever their tasks are."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError, ResetNeededError
from procgen_bench.core.seeding import checked_seed
from procgen_bench.core.success import success_info
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.engine.physics_env import PhysicsEnv, check_physics_vector
from procgen_bench.engine.saved_state import SavedState, generator_text
from procgen_bench.engine.task_env import TaskEnv, check_begun, check_running
from procgen_bench.envs.fetch_blocks.joints import JointSimulation
from procgen_bench.envs.fetch_blocks.model import FRAME_SIDE
from procgen_bench.envs.fetch_blocks.rendering import CAMERAS, draw_frame, draw_image
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchProgramTask

#: What actions move, and the simulation in which they do.
CONTROLS = {"end_effector": FetchBlocksSimulation, "joint": JointSimulation}

TableTask = TypeVar("TableTask", FetchBlocksTask, FetchProgramTask)


class TableEnv(TaskEnv[TableTask], PhysicsEnv):
    """An environment in which the Fetch arm moves N blocks from a task's ``start``.

    A family draws tasks (``_sampled``), begins an episode (``_begin``), observes (``_observed``), says whether it has
    succeeded (``_success``), what else infos report of that (``_report``) and whether a step was the last
    (``_outcome``), what must be kept of an episode beside its state (``_progress``), and where blocks are desired
    (``desired_places``). An episode that continues from a saved state under replaced parts of its task counts its steps
    from there.

    Args:
        task_space: The family's, of as many blocks.
        tasks: See :class:`TaskEnv`.
        num_blocks: Number of blocks, N.
        randomness: Of the starts that are drawn, 0 to 1.
        render_mode: ``"rgb_array"``, ``"human"``, or ``None``.
        camera: Whose picture is observed; ``None``: none.
        image_size: Rows and columns of that picture.
        control: What actions move: the gripper (``"end_effector"``), or each of the arm's joints (``"joint"``).
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 25}
    action_space: spaces.Box = spaces.Box(-1.0, 1.0, (4,))

    def __init__(
        self,
        task_space: TaskSpace[TableTask],
        tasks,
        num_blocks: int,
        randomness: float,
        render_mode: str | None,
        camera: str | None,
        image_size: int,
        control: str,
    ):
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        check_choice("camera", camera, (None, *CAMERAS))
        check_choice("control", control, CONTROLS)
        _check_randomness(randomness)
        _check_image_size(image_size)
        self.camera, self.image_size, self.control = camera, image_size, control
        self.num_blocks, self.randomness, self.render_mode = num_blocks, randomness, render_mode
        self.task_space = task_space
        self.simulation: FetchBlocksSimulation = CONTROLS[control](num_blocks)
        # Spaces carry a random generator, which no two environments may share.
        self.action_space = spaces.Box(-1.0, 1.0, (self.simulation.action_size,))
        self._draw_from(tasks)
        self._task: TableTask | None = None
        self._running, self._elapsed = False, 0

    @property
    def task(self) -> TableTask:
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
            InvalidOptionError: There are other options, or a state beside a task or of another kind.
        """
        self._is_closed = False  # a reset opens it again, as Gymnasium's own do
        seed = checked_seed(seed)
        requested, state = self.requested_task(options), self.requested_state(options)
        parts = self.requested_parts(options)
        rng = self._generator_of_reset(seed, state)
        if state is not None:
            task = self._task_from(state, parts)
        else:
            task = self.task_space.with_parts(self._drawn(rng) if requested is None else requested, parts)
        self._keep_generator(seed, rng)
        if state is None:
            self._begin_simulation(task)
        else:
            self.simulation.load(state.values)
        saved = None if parts else state
        self._task, self._running = task, state is None or not state.ended or bool(parts)
        self._elapsed = 0 if saved is None else saved.elapsed
        self._begin(task, None if saved is None else saved.values)
        if self.render_mode == "human":
            self.render()
        return self._seen(), self._report(self._success())

    def step(self, action: np.ndarray):
        """Advance arm and blocks by 0.04 s under an ``action`` of ``action_space``: float32 (4,), or (8,) for joints.

        Raises:
            ResetNeededError: Before the first reset, or after the end of the episode.
            InvalidActionError: The action is outside the action space.
        """
        self.check_open()
        check_running(self._running)
        self.simulation.step(self.action_rule.checked(action))
        if self.render_mode == "human":
            self.render()
        self._elapsed += 1
        success = self._success()
        terminated, truncated = self._outcome(success)
        self._running = not (terminated or truncated)
        return self._seen(), float(success), terminated, truncated, self._report(success)

    @property
    def elapsed(self) -> int:
        """Steps of the current episode that have been taken."""
        return self._elapsed

    @property
    def state_kind(self) -> str:
        """As many blocks, and the same control."""
        control = "" if self.control == "end_effector" else f" and {self.control} control"
        return f"{super().state_kind} with {self.num_blocks} blocks{control}"

    def save_state(self) -> SavedState[TableTask]:
        """The episode as it is, for reset's option ``state``; see :class:`TaskEnv`.

        Raises:
            ResetNeededError: Before the first reset.
        """
        check_begun(self._task is not None, "save_state")
        values = {**self.simulation.save(), **self._progress(), "chance": generator_text(self.np_random)}
        return SavedState(self.state_kind, self.task, self.elapsed, not self._running, values)

    def physics_scales(self, task: TableTask) -> np.ndarray:
        """The same in every task with as many blocks; see :class:`PhysicsEnv`."""
        return self.simulation.physics_scales

    def physics_vector(self) -> np.ndarray:
        """See :meth:`FetchBlocksSimulation.physics_vector`."""
        check_begun(self._task is not None, "physics_vector")
        return self.simulation.physics_vector()

    def restore_physics(self, vector: np.ndarray) -> None:
        """See :class:`PhysicsEnv`."""
        check_begun(self._task is not None, "restore_physics")
        check_physics_vector(vector, len(self.simulation.physics_scales))
        self.simulation.restore_physics(vector)

    def _frame(self) -> np.ndarray:
        """Arm, table and blocks, and the desired places of those that are not there."""
        return draw_frame(self.simulation, self.desired_places)

    def _with_options(self, observed: spaces.Dict) -> spaces.Dict:
        """The family's observations, the joints where they are controlled, and the picture of a camera if any."""
        parts = dict(observed.spaces)
        if isinstance(self.simulation, JointSimulation):
            parts["joints"] = spaces.Box(-np.inf, np.inf, self.simulation.joints.shape, np.float64)
        if self.camera is not None:
            parts["image"] = spaces.Box(0, 255, (self.image_size, self.image_size, 3), np.uint8)
        return spaces.Dict(parts)

    def _seen(self) -> Any:
        seen = self._observed()
        if isinstance(self.simulation, JointSimulation):
            seen["joints"] = self.simulation.joints.copy()
        if self.camera is not None:
            seen["image"] = draw_image(self.simulation, self.camera, self.image_size)
        return seen if self.flattener is None else self.flattener.one(seen)

    def _drawn(self, rng: np.random.Generator) -> TableTask:
        return self._drawn_task(rng, self._sampled)

    def _sampled(self, rng: np.random.Generator) -> TableTask:
        """A new task of the family's distribution."""
        raise NotImplementedError

    def _task_from(self, state: SavedState[TableTask], parts: dict[str, Any]) -> TableTask:
        """The task of an episode that continues from ``state`` with these parts of its task replaced."""
        return self.task_space.with_parts(state.task, parts)

    def _begin_simulation(self, task: TableTask) -> None:
        """Put arm and blocks where the task has them."""
        self.simulation.begin(task.start)

    def _begin(self, task: TableTask, saved: Mapping[str, Any] | None) -> None:
        """An episode begins in the simulation's state; one that goes on as it was has ``saved`` this."""

    def _progress(self) -> dict[str, Any]:
        """What decides how the episode goes on, beside the task, the simulation's state and the steps, by name."""
        return {}

    def _observed(self) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def _success(self) -> bool:
        raise NotImplementedError

    def _report(self, success: bool) -> dict[str, Any]:
        """The info of a reset or a step."""
        return success_info(success)

    def _outcome(self, success: bool) -> tuple[bool, bool]:
        """Whether the step that was taken terminates the episode, and whether it truncates it."""
        return False, False


def _check_randomness(randomness: float) -> None:
    if not isinstance(randomness, int | float) or isinstance(randomness, bool) or not 0.0 <= randomness <= 1.0:
        raise InvalidOptionError(f"randomness is {randomness!r}, expected a number in [0, 1]")


def _check_image_size(size: int) -> None:
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= FRAME_SIDE:
        raise InvalidOptionError(f"image_size is {size!r}, expected an integer from 1 to {FRAME_SIDE}")
