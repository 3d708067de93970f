"""FetchProgram-v0's environments, single and vector."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import solver_of
from procgen_bench.core.success import success_info
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.threaded_vector_env import ThreadedVectorEnv
from procgen_bench.envs.fetch_blocks.controls import FetchProgramControls
from procgen_bench.envs.fetch_blocks.settling import settled_state, standing_state
from procgen_bench.envs.fetch_blocks.table_env import TableEnv
from procgen_bench.tasks.fetch_blocks import FetchProgramTask, FetchProgramTaskSpace
from procgen_bench.tasks.fetch_blocks.program_task import check_precondition
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS, Program, ProgramLibrary


def _observation_space(library: ProgramLibrary) -> spaces.Dict:
    return spaces.Dict(
        {
            "goal": spaces.Box(-np.inf, np.inf, (library.goal_size,), np.float64),
            "observation": spaces.Box(-np.inf, np.inf, (library.state_size,), np.float64),
            "program": spaces.Box(0, 1, (len(library),), np.int8),
        }
    )


class FetchProgramEnv(TableEnv[FetchProgramTask]):
    """One program of AlphaNPI-X, played with the Fetch arm and four coloured blocks.

    ## Description
    Two orange and two blue blocks lie on a table with two coloured zones, before a robot's arm. A program is to be
    played: an atomic one, like ``Stack_0_1`` or ``Move_To_Zone_2_BLUE``, or one that takes several of them, like
    ``Stack_All_Blocks`` or ``Clean_And_Stack``. It is the world of "Learning Compositional Neural Programs for
    Continuous Control" (Pierrot et al., 2020), sections 3, A and D.1, and of its table 2. The programs, with their
    levels, pre-conditions, post-conditions and goals, are in :mod:`procgen_bench.tasks.programs`. Arm, table, blocks,
    physics and control are those of gymnasium-robotics' FetchPickAndPlace-v4, simulated by MuJoCo;
    but a hard core keeps blocks from being pressed deeper than 6 mm into what bears them (there: 46 mm). The palm's
    contact is as soft as there: it enters what is wedged under it by up to 14.6 mm in 150 episodes of random play.

    A task is a start and a program (:class:`procgen_bench.tasks.fetch_blocks.FetchProgramTaskSpace`). Suite: ``groups``
    (100 starts for each group of table 2, named like ``groups/clean_table/17``; the two programs of a group with an
    argument take turns). Each of its tasks has been done by the scripted expert.

    ## Action Space
    ``Box(-1, 1, (4,), float32)``, for 0.04 s, as in FetchBlocks-v0: the way that the gripper is led along x, y and z, 1
    for 0.05 m, and the fingers' command. With ``control="joint"``: ``Box(-1, 1, (8,), float32)``, as there, 1 for 0.05
    radians of each of the arm's seven joints, whose limits are listed there, and the fingers' command.

    ## Observation Space
    A ``Dict``:

    | key           | type, shape   | meaning                                                                         |
    |---------------|---------------|---------------------------------------------------------------------------------|
    | `observation` | float64 (70,) | the state as in FetchBlocks-v0, block 0 first: 15 numbers of each block, then   |
    |               |               | 10 of the gripper                                                               |
    | `program`     | int8 (27,)    | the program, one-hot, in the order of ``PROGRAMS``                              |
    | `goal`        | float64 (12,) | of an atomic program: the places (metres) that it set for the blocks' centres   |
    |               |               | when the episode began; of others zeros                                         |

    With ``control="joint"`` also ``joints``, float64 (14,): the joints' angles (radians), then their velocities
    (radians in 0.04 s).

    ## Starting State
    Without a given task, one of ``program`` is drawn, from a start in which its pre-condition holds and its work is not
    done. By default all blocks start at random places on the table, and the gripper somewhere above: the paper's starts
    at the end of its training. With ``randomness=0`` they are those of its beginning: the block to act on (of
    non-atomic programs any) starts in the gripper with probability 0.2, under it with 0.4 and elsewhere with 0.4, every
    further block on another with 0.4.

    ## Rewards
    1 for the step that ends with success, 0 for all others.

    ## Episode End
    Atomic calls last 50 steps, and the post-condition is tested when such a call's steps are over, never in between: a
    block that is held near its place in mid-flight is no success. Terminates when it is true then. Truncates after 50
    steps for each of the atomic calls that the program takes at most: 50 for atomic programs, 150 for
    ``Stack_All_Blocks``, 200 for the others.

    ## Information
    - ``success`` (bool): whether a call's 50 steps are over now, and the post-condition is true.
    - ``stands`` (bool): whether that is a success which lasts: the post-condition still holds after the hand has let go
      and gone (it stops pressing, opens and rises clear: 17 actions) and 20 idle steps have passed. They are simulated
      aside. Benchmarks score it.
    - ``settled`` (bool): the same with a hand that opens (two actions) and stays where it is: what version 1 of
      ``fetch-blocks/groups`` scored.
    - ``is_success`` (bool): the same as ``stands``.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"groups"``), a task, a task's name
      (``"groups/clean_table/7"``), raw parameters, or a list of those; ``None`` (default): new tasks of ``program``.
    - ``program``: the program of new tasks (default ``"Clean_Table"``).
    - ``library``: which programs there are (:class:`procgen_bench.tasks.programs.ProgramLibrary`): the paper's for N
      blocks, 2 to 6 (``paper_library(N)``), or the user's own. By default the paper's 27 for four blocks. Observations
      have 15 N + 10 and 3 N numbers, and one for each program. Programs of more than four atomic calls need another
      time limit (``gymnasium.make(..., max_episode_steps=300)``).
    - ``randomness``: of the starts of new tasks: 1 (default) for random places of all, 0 for the paper's probabilities,
      or between.
    - ``flat``: whether one vector is observed, float32 (109,) under the paper's library, without a ``camera``; see
      :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (480, 480, 3)), ``"human"`` (a window), or ``None``. Without a screen
      MuJoCo draws with EGL; ``MUJOCO_GL`` chooses otherwise.
    - ``camera``: ``"front"``, ``"top"``, or ``"gripper"``, which follows it: observations then hold ``image`` (uint8
      (S, S, 3)), what that camera sees; ``None`` (default): no picture. Desired places and
      shadows are not drawn in it.
    - ``image_size``: S, 1 to 480 (default 84).
    - ``control``: ``"end_effector"`` (default), or ``"joint"``: actions move the arm's joints, and observations hold
      ``joints``. Episodes begin alike under both; states of the one do not go on under the other.

    ``reset(options={"task": ..., "program": ...})`` takes a task, raw parameters or a task's name, and the name of a
    program that replaces that of the given or drawn task; a start in which its pre-condition does not hold is refused.
    ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another environment,
    exactly. With a ``program`` beside it, whose pre-condition must hold there, an episode of that program begins there:
    its goal and its steps count from this place.

    ## Version History
    - v0: first version.
    """

    task_space = FetchProgramTaskSpace(solver=solver_of("FetchProgram-v0"))
    #: Of the paper's library for four blocks.
    observation_space: spaces.Dict = _observation_space(PROGRAMS)
    real_time_controls = FetchProgramControls()
    reset_options = TableEnv.reset_options | {"program"}

    def __init__(
        self,
        tasks=None,
        program: str = "Clean_Table",
        randomness: float = 1.0,
        render_mode: str | None = None,
        library: ProgramLibrary = PROGRAMS,
        camera: str | None = None,
        image_size: int = 84,
        control: str = "end_effector",
        flat: bool = False,
    ):
        if not isinstance(library, ProgramLibrary):
            raise InvalidOptionError(f"library is {library!r}, expected a ProgramLibrary")
        self.library, self._program_of_draws = library, library[program]
        task_space = FetchProgramTaskSpace(library, solver_of("FetchProgram-v0"))
        super().__init__(task_space, tasks, library.num_blocks, randomness, render_mode, camera, image_size, control)
        self.observation_space = self._with_options(_observation_space(library))
        self._observe_flat(flat)

    @property
    def program(self) -> Program:
        """The current task's program; :class:`ResetNeededError` before the first reset."""
        return self.library[self.task.program]

    @property
    def desired_places(self) -> np.ndarray:
        """An atomic program's goal, float64 (N, 3), metres; of others none, (0, 3)."""
        return (self._goal if self.program.is_atomic else self._goal[:0]).reshape(-1, 3)

    def _sampled(self, rng: np.random.Generator) -> FetchProgramTask:
        return self.task_space.sample_task(rng, self._program_of_draws, self.randomness)

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, Any]:
        """The name of the program that reset's ``options`` ask for, checked."""
        name = (options or {}).get("program")
        return {} if name is None else {"program": self.library[name].name}

    def _task_from(self, state: SavedState, parts: dict[str, Any]) -> FetchProgramTask:
        """The pre-condition of another program is to hold now, whether or not it did at the task's start."""
        task = replace(state.task, **parts)
        program = self.library[task.program]
        if parts:
            check_precondition(program, state.values["state"])
        return task

    def _begin(self, task: FetchProgramTask, saved: Mapping[str, Any] | None) -> None:
        """The goal is set where the program began."""
        if saved is not None:
            self._goal = saved["goal"].copy()
        elif self.program.is_atomic:
            self._goal = self.program.goal(self.simulation.state)
        else:
            self._goal = np.zeros(self.library.goal_size)
        self._one_hot = (np.arange(len(self.library)) == self.program.number).astype(np.int8)

    def _progress(self) -> dict[str, Any]:
        return {"goal": self._goal}

    def _observed(self) -> dict[str, np.ndarray]:
        return {
            "goal": self._goal.copy(),
            "observation": self.simulation.state.copy(),
            "program": self._one_hot.copy(),
        }

    def _success(self) -> bool:
        is_call_over = self.elapsed > 0 and self.elapsed % ATOMIC_STEPS == 0
        return is_call_over and self._is_done_in(self.simulation.state)

    def _report(self, success: bool) -> dict[str, Any]:
        settled = success and self._is_done_in(settled_state(self.simulation))
        stands = success and self._is_done_in(standing_state(self.simulation))
        return success_info(success, settled=settled, stands=stands)

    def _is_done_in(self, state: np.ndarray) -> bool:
        return bool(self.program.postcondition(state, self._goal if self.program.is_atomic else None))

    def _outcome(self, success: bool) -> tuple[bool, bool]:
        return success, self.elapsed >= self.program.horizon


class FetchProgramVectorEnv(ThreadedVectorEnv):
    """FetchProgram-v0 with N tasks, stepped by threads; see :class:`FetchProgramEnv` and :class:`ThreadedVectorEnv`."""

    single_env_type = FetchProgramEnv
