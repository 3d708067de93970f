"""FetchBlocks-v0's environments, single and vector."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import solver_of
from procgen_bench.engine.goal_env import goals_to_compare, numbers_of_shape
from procgen_bench.engine.threaded_vector_env import ThreadedVectorEnv
from procgen_bench.envs.fetch_blocks.controls import FetchBlocksControls
from procgen_bench.envs.fetch_blocks.table_env import TableEnv
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.table import LEAST_BLOCKS, MOST_BLOCKS
from procgen_bench.tasks.fetch_blocks.task import check_first
from procgen_bench.tasks.programs import goal_reached
from procgen_bench.tasks.programs.states import (
    BLOCK_SIZE,
    GRIPPER_SIZE,
    block_positions,
    goals_with_block_first,
    with_block_first,
)

DEFAULT_BLOCKS = 4


def _observation_space(num_blocks: int) -> spaces.Dict:
    goal = (3 * num_blocks,)
    shapes = {"achieved_goal": goal, "desired_goal": goal, "observation": (BLOCK_SIZE * num_blocks + GRIPPER_SIZE,)}
    return spaces.Dict({name: spaces.Box(-np.inf, np.inf, shape, np.float64) for name, shape in shapes.items()})


class FetchBlocksEnv(TableEnv[FetchBlocksTask]):
    """Coloured blocks on a table, which the Fetch arm is to bring to desired places.

    ## Description
    A robot's arm with a gripper of two fingers stands before a table with two orange and two blue blocks, and two
    coloured zones. Each episode desires a place for every block; usually one block is to be moved, on the table, onto
    another, or into the air, and the others are to stay where they are. It is the world of the atomic programs of
    "Learning Compositional Neural Programs for Continuous Control" (Pierrot et al., 2020), section D.1. Arm, table,
    blocks, physics and control are those of gymnasium-robotics' FetchPickAndPlace-v4, simulated by MuJoCo;
    but a hard core keeps blocks from being pressed deeper than 6 mm into what bears them (there: 46 mm). The palm's
    contact is as soft as there: it enters what is wedged under it by up to 14.6 mm in 150 episodes of random play.

    A task is a start, the block to act on, and a goal (:class:`procgen_bench.tasks.fetch_blocks.FetchBlocksTaskSpace`).
    Suite: ``test`` (500 held-out tasks of the paper's distribution, with four blocks), all of which the scripted expert
    has solved.

    ## Action Space
    ``Box(-1, 1, (4,), float32)``, for 0.04 s: the way that the gripper is led along x, y and z, 1 for 0.05 m, and the
    fingers' command: 1 opens and -1 closes them, 0 leaves them where they are, without a grip.

    With ``control="joint"``: ``Box(-1, 1, (8,), float32)``: what the target of each joint of the arm is turned by, 1
    for 0.05 radians, then the fingers' command. The joints are, from the shoulder to the hand: shoulder pan (limits:
    -1.6056 to 1.6056 radians), shoulder lift (-1.221 to 1.518), upper arm roll (none), elbow flex (-2.251 to 2.251),
    forearm roll (none), wrist flex (-2.16 to 2.16) and wrist roll (none). Motors of at most 300 Nm bear the arm's
    weight and hold each joint at its target: 60 to 70 % of a turn is done in the action itself, all but 3 % of it two
    actions later. Targets stay within the limits, and within 0.1 radians of a joint that is held up; what pushes a
    joint past its limit does so by less than 0.02 radians.

    ## Observation Space
    A ``Dict`` of float64, unbounded, for N blocks:

    | key             | shape         | meaning                                                                      |
    |-----------------|---------------|------------------------------------------------------------------------------|
    | `observation`   | (15 N + 10,)  | 15 numbers for each block, then 10 of the gripper; see below; (70,) for four |
    | `achieved_goal` | (3 N,)        | the blocks' centres, x, y and z, metres; (12,) for four                      |
    | `desired_goal`  | (3 N,)        | their desired centres, in the same order                                     |

    Blocks come in a circular order that begins with the one to act on: row ``k`` is block ``(first + k) mod N``, here
    and in goals. Blocks 0 and 1 are orange, 2 and 3 blue, 4 orange, 5 blue.

    | numbers         | of a block                                                                                   |
    |-----------------|----------------------------------------------------------------------------------------------|
    | 0 to 2          | its centre's x, y and z, metres                                                              |
    | 3 to 5          | its rotation about x, y and z, radians (gymnasium-robotics' ``mat2euler``)                   |
    | 6 to 8          | its centre from the gripper's, metres                                                        |
    | 9 to 11         | its velocity, less the gripper's, metres in 0.04 s                                           |
    | 12 to 14        | its turning about x, y and z, radians in 0.04 s                                              |

    | last ten        | of the gripper                                                                               |
    |-----------------|----------------------------------------------------------------------------------------------|
    | 0 to 2          | its x, y and z, metres                                                                       |
    | 3, 4            | the right and the left finger's displacement from the middle, metres                         |
    | 5 to 7          | its velocity, metres in 0.04 s                                                               |
    | 8, 9            | the fingers' velocities, metres in 0.04 s                                                    |

    As in FetchPickAndPlace, velocities are ways (or angles) covered in one action, 0.04 s, and places are those at the
    beginning of the physics' last step of 0.002 s.

    With ``control="joint"`` also ``joints``, float64 (14,): the joints' angles (radians), then their velocities
    (radians in 0.04 s).

    ## Starting State
    Without a given task, one is drawn from ``tasks`` or, where that is ``None``, as in the paper: the block to act on
    starts in the gripper with probability 0.2, under it with 0.4 and elsewhere with 0.4; every further one on top of
    another (but never of that to act on) with 0.4, else on the table. ``randomness`` anneals all to random places on
    the table. Gripper and places are uniform over what the arm reaches, the gripper 0.45 to 0.55 high, or higher where
    a stack is in its way. The goal of the block to act on is uniform: half of them on the table or on a stack, half
    up to 0.7 high in the air. All others are to stay where they are. (Uniform samples of the task space have another
    distribution.)

    ## Rewards
    1 for every step that ends with each block within 0.05 m (L2) of its desired place, 0 for the others.

    ## Episode End
    Never terminates. Truncates after 50 steps.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal is met now.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"test"``), a task, a task's name
      (``"test/7"``), raw parameters, or a list of those; ``None`` (default): the paper's distribution.
    - ``num_blocks``: 2 to 6 (default 4).
    - ``randomness``: 0 (default) for the paper's probabilities of starts, 1 for random places of all, or between.
    - ``materials``: whether tasks are drawn with masses (0.5 to 4 kg) and frictions (0.1 to 2) of blocks, and the task
      space has them as parameters. By default blocks are FetchPickAndPlace's, 2 kg and 1, but in tasks that say
      otherwise (``mass``, ``friction``).
    - ``flat``: whether one vector is observed, float32 (94,) of four blocks, without a ``camera``; see
      :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (480, 480, 3)), ``"human"`` (a window), or ``None``. Without a screen
      MuJoCo draws with EGL; ``MUJOCO_GL`` chooses otherwise.
    - ``camera``: ``"front"``, ``"top"``, or ``"gripper"``, which follows it: observations then hold ``image`` (uint8
      (S, S, 3)), what that camera sees; ``None`` (default): no picture. Desired places and
      shadows are not drawn in it.
    - ``image_size``: S, 1 to 480 (default 84).
    - ``control``: ``"end_effector"`` (default), or ``"joint"``: actions move the arm's joints, and observations hold
      ``joints``. Episodes begin alike under both; states of the one do not go on under the other.

    ``reset(options={"task": ..., "first": ..., "goal": ...})`` takes a task, raw parameters or a task's name, and a
    block to act on and a goal (N, 3), metres, in the order of the blocks' indices, which replace those of the given or
    drawn task. ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another
    environment with as many blocks, exactly; ``first`` and ``goal`` replace those of the task then under way.

    ## Version History
    - v0: first version.
    """

    task_space = FetchBlocksTaskSpace(solver=solver_of("FetchBlocks-v0"))
    #: Of the default number of blocks.
    observation_space: spaces.Dict = _observation_space(DEFAULT_BLOCKS)
    real_time_controls = FetchBlocksControls()
    reset_options = TableEnv.reset_options | {"first", "goal"}

    def __init__(
        self,
        tasks=None,
        num_blocks: int = DEFAULT_BLOCKS,
        randomness: float = 0.0,
        render_mode: str | None = None,
        materials: bool = False,
        camera: str | None = None,
        image_size: int = 84,
        control: str = "end_effector",
        flat: bool = False,
    ):
        _check_num_blocks(num_blocks)
        check_choice("materials", materials, (False, True))
        task_space = FetchBlocksTaskSpace(num_blocks, solver_of("FetchBlocks-v0"), materials)
        super().__init__(task_space, tasks, num_blocks, randomness, render_mode, camera, image_size, control)
        self.observation_space = self._with_options(_observation_space(num_blocks))
        self._observe_flat(flat)

    @property
    def desired_places(self) -> np.ndarray:
        """The task's goal: float64 (N, 3), metres."""
        return self.task.goal

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, Any]:
        """The block to act on and the goal that reset's ``options`` ask for, checked.

        Raises:
            InvalidTaskError: There is no such block, or the goal has no numbers of shape (N, 3).
        """
        options = options or {}
        parts: dict[str, Any] = {}
        if options.get("first") is not None:
            check_first(options["first"], self.num_blocks)
            parts["first"] = int(options["first"])
        if options.get("goal") is not None:
            parts["goal"] = numbers_of_shape("goal", options["goal"], (self.num_blocks, 3)).astype(np.float64)
        return parts

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> float | np.ndarray:
        """What a step that ends in ``achieved_goal`` is rewarded by under ``desired_goal``.

        Args:
            achieved_goal: One goal (3 N,), or a batch of goals (K, 3 N).
            desired_goal: As ``achieved_goal``; either may also be one goal for the other's whole batch.
            info: Not looked at; goals decide the reward.

        Returns:
            A float for one pair of goals; float64 (K,) for a batch.

        Raises:
            InvalidTaskError: What was given are no goals, or not as many of one as of the other.
        """
        goals = goals_to_compare(achieved_goal, desired_goal, (3 * self.num_blocks,))
        rewards = goal_reached(*goals).astype(np.float64)
        return rewards if rewards.ndim else float(rewards)

    def _sampled(self, rng: np.random.Generator) -> FetchBlocksTask:
        return self.task_space.sample_task(rng, self.randomness)

    def _begin_simulation(self, task: FetchBlocksTask) -> None:
        self.simulation.begin(task.start, task.mass, task.friction)

    def _begin(self, task: FetchBlocksTask, saved: Mapping[str, Any] | None) -> None:
        """Where the numbers of the task's blocks go."""
        numbers_of_state = np.arange(self.simulation.state.size)
        self._places = with_block_first(numbers_of_state, task.first)
        self._goal_places = goals_with_block_first(block_positions(numbers_of_state).ravel(), task.first)
        self._desired = goals_with_block_first(task.goal.ravel(), task.first)

    def _observed(self) -> dict[str, np.ndarray]:
        state = self.simulation.state
        return {
            "achieved_goal": state[self._goal_places],
            "desired_goal": self._desired.copy(),
            "observation": state[self._places],
        }

    def _success(self) -> bool:
        return bool(goal_reached(self.simulation.state[self._goal_places], self._desired))


class FetchBlocksVectorEnv(ThreadedVectorEnv):
    """FetchBlocks-v0 with N tasks, stepped by threads; see :class:`FetchBlocksEnv` and :class:`ThreadedVectorEnv`."""

    single_env_type = FetchBlocksEnv
    single: FetchBlocksEnv

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> float | np.ndarray:
        """See :meth:`FetchBlocksEnv.compute_reward`."""
        return self.single.compute_reward(achieved_goal, desired_goal, info)


def _check_num_blocks(num_blocks: int) -> None:
    if not isinstance(num_blocks, int) or isinstance(num_blocks, bool) or not LEAST_BLOCKS <= num_blocks <= MOST_BLOCKS:
        raise InvalidOptionError(
            f"num_blocks is {num_blocks!r}, expected an integer from {LEAST_BLOCKS} to {MOST_BLOCKS}"
        )
