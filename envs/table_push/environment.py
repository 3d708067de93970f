"""TablePush-v0's environments, single and vector."""

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import ResetNeededError
from procgen_bench.core.registrations import solver_of
from procgen_bench.core.seeding import checked_seed
from procgen_bench.core.success import success_info
from procgen_bench.engine.physics_env import PhysicsEnv, check_physics_vector
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from procgen_bench.engine.saved_state import SavedState, generator_text
from procgen_bench.engine.task_env import TaskEnv, check_begun, check_running
from procgen_bench.envs.table_push.arms import ARMS, make_arm
from procgen_bench.envs.table_push.observations import observation_space, observe
from procgen_bench.envs.table_push.rendering import draw_map
from procgen_bench.envs.table_push.simulation import TablePushSimulation
from procgen_bench.tasks.table_push import TablePushTask, TablePushTaskSpace
from procgen_bench.tasks.table_push.table import NUM_ACTIONS

if TYPE_CHECKING:
    from procgen_bench.envs.table_push.moments import Moment
    from procgen_bench.envs.table_push.swings import Onlooker

#: What ``view`` may be.
VIEWS = ("map", "camera")
#: Frames of a push: at 8 a second it takes as long as it does.
_FRAMES_OF_PUSH = 12


class TablePushEnv(TaskEnv[TablePushTask], PhysicsEnv):
    """Pushing cans on a generated table of blocks, pits and roadblocks.

    ## Description
    A robot pushes cans, with a tool, on a table of 6 x 4 building blocks of 15 cm that are each flat, a pit or a
    roadblock. Within 15 pushes the blue can must come to lie on a cyan goal; up to two others are in the way. Nothing
    may fall or be struck. The source is "Adaptive Procedural Task Generation for Hard-Exploration Problems" (Fang et
    al., 2021), section A.2. PyBullet simulates the table.

    Tasks have 31 parameters and the goal's place (:class:`procgen_bench.tasks.table_push.TablePushTaskSpace`). Suites:
    ``targets``, A, B and C of rising difficulty and ``out-of-space``, a larger table with slanting obstacles that the
    parameters cannot make; ``graded``, 200 solvable tables, 16 or 17 of every shortest plan of 1 to 12 pushes;
    ``random``, 1,000 uniform ones. Each has its shortest plan on record, if there is one.

    ## Action Space
    ``Discrete(12)``: 4 * can + direction, can 0 (the target), 1 or 2, direction 0 +x, 1 -x, 2 +y or 3 -y. An action is
    one push: the tool comes down behind the can, pushes it on by 15 cm, and rises again; all cans then rest. Pushing a
    can that is absent, or behind which there is no room for the tool, does nothing.

    ## Observation Space
    A ``Dict`` of float32, in metres; the table's corner is at (0, 0), x runs along its 90 cm, y along its 60 cm:

    | key         | shape  | range       | meaning                                                                   |
    |-------------|--------|-------------|---------------------------------------------------------------------------|
    | `goal`      | (2,)   | 0..1.8      | x and y of the goal's middle                                              |
    | `landscape` | (3, 4) | -0.15..0.1  | by can, how high it is 15 cm away in the four directions: 0 flat, -0.15   |
    |             |        |             | pit or beside the table, 0.1 roadblock or obstacle; 0 for absent cans     |
    | `objects`   | (3, 2) | -1..1.8     | x and y of the cans; (-1, -1) for one that is absent or has fallen        |

    The goal's range is not observed.

    ## Starting State
    The cans stand where the task has them. Without a given task, one is drawn from ``tasks`` or from the whole task
    space.

    ## Rewards
    - +1 when the target's middle comes within 10 cm of the goal's.
    - -0.2 when a can falls: off the table, into a pit, or over.
    - -0.1 when a can strikes a roadblock, an obstacle or another can.
    - Otherwise d / (r2 - 10 cm), d the distance that the target has gained towards the goal inside the goal's range,
      the circle of radius r2 around it; negative where it is lost.

    A fall outweighs a collision, and either outweighs the goal.

    ## Episode End
    Terminates at the goal, when a can falls and when one strikes something. A push that strikes something ends there.
    Truncates after 15 pushes. A target that starts on the goal has not reached it: only when it was pushed off and
    comes back does the episode end with the +1, so that no push that changes nothing ever earns it.

    ## Information
    ``success``, ``is_success``, ``fallen`` and ``collided`` (bool): the results of the last push. The first two are the
    same: whether it brought the target to the goal.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name, a task, a task's name (``"targets/A"``), raw
      parameters, or a list of those; ``None`` (default): uniformly from the whole space, of which one task in twenty
      can be solved. ``"solvable"`` is refused, since only the simulator decides that; ``"graded"`` has solvable ones.
    - ``arm``: ``"tool"`` (default), the tool driven directly, or ``"sawyer"``, a robot of seven joints that holds it.
      The arm reaches all of the usual table; on a larger one, a push that begins out of its reach does nothing.
    - ``view``: what ``render`` shows: ``"map"`` (default), the table from above, or ``"camera"``, PyBullet's picture.
    - ``flat``: whether one vector is observed, float32 (20,); see :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (336, 480, 3)), ``"human"`` (a window), or ``None``.

    ``render`` shows the arm where its last push has left it. A window and films (``frames_of_step``, ``procgen-bench
    render``) show the whole push, in 12 frames at 8 a second.

    ``reset(options={"task": ...})`` takes a task, raw parameters or a task's name. ``reset(options={"state": ...})``
    goes on where :meth:`save_state` was called, here or in another environment with this arm, exactly.

    ## Version History
    - v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 8}
    task_space = TablePushTaskSpace(solver_of("TablePush-v0"))
    row_bytes = 29_000_000  # a client of PyBullet's with the table and the cans
    observation_space: spaces.Dict = observation_space()
    action_space: spaces.Discrete = spaces.Discrete(NUM_ACTIONS)
    #: Keyboard key -> action, for people who play: a hand's keys for each can.
    keys_to_action: dict[str, int] = {
        **{"d": 0, "a": 1, "w": 2, "s": 3},
        **{"h": 4, "f": 5, "t": 6, "g": 7},
        **{"l": 8, "j": 9, "i": 10, "k": 11},
    }

    def __init__(
        self,
        tasks=None,
        arm: str = "tool",
        view: str = "map",
        render_mode: str | None = None,
        flat: bool = False,
    ):
        check_choice("arm", arm, ARMS)
        check_choice("view", view, VIEWS)
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.arm, self.view, self.render_mode = arm, view, render_mode
        # Spaces carry a random generator, which no two environments may share.
        self.observation_space = deepcopy(self.observation_space)
        self._observe_flat(flat)
        self.action_space = deepcopy(self.action_space)
        self.simulation = TablePushSimulation(make_arm(arm))
        self._onlooker: Onlooker | None = None
        self._draw_from(tasks)
        self._has_begun = self._running = False

    @property
    def task(self) -> TablePushTask:
        """The current task; :class:`ResetNeededError` before the first reset."""
        self._check_begun("there is no task")
        return self.simulation.task

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode, or go on where one was saved; see :class:`TaskEnv` for ``options``."""
        self._is_closed = False  # a reset opens it again, as Gymnasium's own do
        seed = checked_seed(seed)
        requested, state = self.requested_task(options), self.requested_state(options)
        self._keep_generator(seed, self._generator_of_reset(seed, state))
        if state is not None:
            self.simulation.restore(state.task, state.values)
        else:
            self.simulation.load(self._drawn() if requested is None else requested)
        self._has_begun, self._running = True, state is None or not state.ended
        return self._observed(), self._info()

    def step(self, action: int):
        """Push a can.

        Raises:
            ResetNeededError: Before the first reset, or after the end of the episode.
            InvalidActionError: The action is outside the action space.
        """
        self.check_open()
        check_running(self._running)
        earned = self.simulation.push(int(self.action_rule.checked(action)))
        self._running = not earned.terminated
        return self._observed(), earned.reward, earned.terminated, False, self._info()

    @property
    def state_kind(self) -> str:
        """The same arm."""
        return f"{super().state_kind} with arm {self.arm!r}"

    @property
    def elapsed(self) -> int:
        """Pushes of the current episode."""
        return self.simulation.elapsed

    def save_state(self) -> SavedState[TablePushTask]:
        """The episode as it is, for reset's option ``state``; see :class:`TaskEnv`.

        Raises:
            ResetNeededError: Before the first reset.
        """
        check_begun(self._has_begun, "save_state")
        values = {**self.simulation.save(), "chance": generator_text(self.np_random)}
        return SavedState(self.state_kind, self.task, self.elapsed, not self._running, values)

    def physics_scales(self, task: TablePushTask) -> np.ndarray:
        """Two metres for each can, whether it is there or not; see :class:`PhysicsEnv`."""
        return np.ones(task.objects.size)

    def physics_vector(self) -> np.ndarray:
        """Where the cans stand; see :meth:`TablePushSimulation.physics_vector`."""
        check_begun(self._has_begun, "physics_vector")
        return self.simulation.physics_vector()

    def restore_physics(self, vector: np.ndarray) -> None:
        """See :class:`PhysicsEnv`; which cans are there is the environment's own book."""
        check_begun(self._has_begun, "restore_physics")
        check_physics_vector(vector, self.simulation.positions.size)
        self.simulation.restore_physics(vector)

    def close(self) -> None:
        """Close the window and the simulator's world; again without effect."""
        self.simulation.close()
        if self._onlooker is not None:
            self._onlooker.close()
        super().close()

    def _drawn(self) -> TablePushTask:
        return self._drawn_task(self.np_random, lambda rng: self.task_space.decode(self.task_space.sample(rng)))

    def frames_of_step(self, most: int | None = None) -> Iterator[np.ndarray]:
        """The last push as the swing that it is; see :class:`TaskEnv`."""
        from procgen_bench.envs.table_push.swings import evenly

        count = _FRAMES_OF_PUSH if most is None else min(most, _FRAMES_OF_PUSH)
        return map(self._picture, evenly(self._moments(), count))

    def _frame(self) -> np.ndarray:
        return self._picture(self._moments()[-1])

    def _moments(self) -> "list[Moment]":
        self._check_begun("there is nothing to render")
        if self._onlooker is None:
            from procgen_bench.envs.table_push.swings import Onlooker

            self._onlooker = Onlooker(self.arm)
        simulation = self.simulation
        return self._onlooker.moments(simulation.task, simulation.pushes, simulation.positions)

    def _picture(self, moment: "Moment") -> np.ndarray:
        if self.view == "map":
            return draw_map(self.simulation.task, moment)
        from procgen_bench.envs.table_push.camera import draw_camera

        return draw_camera(self.simulation.task, moment, self.arm)

    def _observed(self) -> Any:
        if self.render_mode == "human":
            for frame in self.frames_of_step():
                self.show(frame)
        seen = observe(self.simulation.task, self.simulation.positions)
        return seen if self.flattener is None else self.flattener.one(seen)

    def _info(self) -> dict[str, Any]:
        simulation = self.simulation
        fates = {"fallen": simulation.fallen, "collided": simulation.collided}
        return success_info(simulation.success) | fates

    def _check_begun(self, consequence: str) -> None:
        if not self._has_begun:
            raise ResetNeededError(f"{consequence} before the first reset; call reset first")


class TablePushVectorEnv(ProcessVectorEnv):
    """N tasks of :class:`TablePushEnv` in worker processes; see :class:`ProcessVectorEnv`."""

    single_env_type = TablePushEnv
