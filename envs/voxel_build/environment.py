"""VoxelBuild-v0's environments, single and vector."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.engine.goal_env import GoalEnv, GoalVectorEnv
from procgen_bench.envs.voxel_build.kernel import DISTANCE_THRESHOLD
from procgen_bench.envs.voxel_build.rendering import draw_frame, draw_text
from procgen_bench.envs.voxel_build.simulation import (
    BOTH,
    OBSERVATIONS,
    PICTURE,
    PICTURE_SHAPE,
    POSE,
    VoxelBuildSimulation,
    VoxelBuildSmallSimulation,
)
from procgen_bench.tasks.voxel_build import HORIZON, VoxelBuildSmallTaskSpace, VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.actions import ACTIONS
from procgen_bench.tasks.voxel_build.rules import pose_space
from procgen_bench.tasks.voxel_build.task import (
    EMPTY,
    MATERIALS,
    SIDE,
    SMALL_SIDE,
    arena_shape,
    check_goal,
    check_start,
)


def _observation_space(side: int, observation: str) -> spaces.Dict:
    shown = pose_space(side) if observation == POSE else spaces.Box(0, 255, PICTURE_SHAPE, np.uint8)
    blocks = spaces.Box(0, len(MATERIALS), arena_shape(side), np.uint8)
    leaves: dict[str, spaces.Space] = {"achieved_goal": blocks, "desired_goal": blocks, "observation": shown}
    return spaces.Dict(leaves | ({"pose": pose_space(side)} if observation == BOTH else {}))


class VoxelBuildEnv(GoalEnv[VoxelBuildTask]):
    """Sibling Rivalry's construction task: Minecraft-like, no Minecraft needed.

    ## Description
    An agent in a world of blocks sees it in the first person, and places and breaks blocks until an arena of 11 x 11 x
    3 cells holds exactly the goal's. Every wrong block adds to the distance to the goal, so an agent that is rewarded
    by the distance soon learns to place none: the local optimum that makes this task hard. The source is "Keeping Your
    Distance: Solving Sparse Reward Tasks Using Self-Balancing Shaped Rewards" (Trott et al., 2019), section 4 and
    appendix F, whose task runs in Minecraft (Malmo). The rules here are those of Malmo's discrete movement, as far as
    the task needs them; the paper does not list its 21 actions.

    The arena lies on flat ground that goes on beyond it and cannot be broken. Blocks stand in the arena only and do not
    fall. The agent is one cell wide and two high; its eye is 1.62 above its feet. It has 64 blocks of each type; a
    block that it breaks comes back.

    A task is a start and a goal (:class:`procgen_bench.tasks.voxel_build.VoxelBuildTaskSpace`). Suite: ``test`` (500
    held-out tasks of the paper's distribution, each with the length of a scripted builder's solution, 81 at most).

    ## Action Space
    ``Discrete(21)``. What cannot be done is not done, and the step passes.

    | action | name                                  |
    |--------|---------------------------------------|
    | 0      | no-op                                 |
    | 1-4    | move forward, backward, left, right   |
    | 5-8    | jump forward, backward, left, right   |
    | 9-11   | turn left, right, round               |
    | 12, 13 | look up, down                         |
    | 14-16  | place stone, planks, diamond          |
    | 17-19  | jump and place stone, planks, diamond |
    | 20     | break                                 |

    - **move**: one cell on, unless a block is in the way of the feet or the head; then down to the ground or a block.
    - **jump**: a move from one cell higher, and so onto a block; needs a free cell above the head.
    - **turn**: by 90 degrees, or by 180. The agent has four headings.
    - **look**: to the next pitch: 90, 50, 25 degrees down, level, 25, 50, 90 degrees up.
    - **place**: a block onto the face looked at, the first on the line through the middle of the picture; the ground
      has faces, too. The face is within 4.5 of the eye, the block's cell in the arena, and not one of the agent's two.
    - **jump and place**: a placement from one cell higher, which needs a free cell above the head; the agent then comes
      down again. Looking straight down, it places into the cell of its feet, and stands on the block.
    - **break**: the block looked at, within 4.5 of the eye; an agent that stood on it falls.

    ## Observation Space
    A ``Dict`` of uint8, unless ``observation="pose"``:

    | key             | shape        | values | meaning                                                           |
    |-----------------|--------------|--------|-------------------------------------------------------------------|
    | `observation`   | (80, 120, 3) | 0-255  | what the agent sees, 70 degrees from top to bottom                |
    | `achieved_goal` | (11, 11, 3)  | 0-3    | [y, x, z]: the arena: 0 empty, 1 stone, 2 planks, 3 diamond       |
    | `desired_goal`  | (11, 11, 3)  | 0-3    | the goal                                                          |

    x goes east, y south, z up. The picture shows no goal. The arena's floor grows redder to the east and bluer to the
    south, and its border is red in the north, yellow in the east, blue in the south and white in the west: they tell
    where the agent stands and which way it looks.

    With ``observation="pose"`` no picture is drawn, and ``observation`` is int8 (5,): x and y of the agent's cell (0 to
    10 in the arena; -11 to 21, the nearest value from beyond), z, the height of its feet (0 to 3), its heading (0
    north, 1 east, 2 south, 3 west) and its pitch (0 straight down, 3 level, 6 straight up). What happens is the same,
    and nothing has to be recognised. With ``observation="picture+pose"`` the picture is the ``observation``, and the
    pose stands beside it as ``pose``: what a network can learn to tell from pictures.

    ## Starting State
    The arena is empty, and the agent looks level. Without a given task, one is drawn from ``tasks`` or, where that is
    ``None``, as in the paper: the agent starts in the centre (the paper does not tell its heading: any of the four),
    and the goal is the outline of a rectangle with random corners: four walls on the ground, hollow, one or two blocks
    high, of one block type. It is drawn again when a side is shorter than 4 or when it has more than 34 blocks, so it
    is one of 4,806. (Uniform samples of the task space have another distribution.)

    ## Rewards
    1 for the step that reaches the goal, 0 for the others. With ``reward="distance"`` step 100, when it does not reach
    the goal, is rewarded by minus the distance: the number of cells that differ from the goal's.

    ## Episode End
    Terminates when the arena is exactly the goal (distance 0). Truncates after 100 steps.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached. ``completion`` (float, at most 1): the
    paper's structure completion (figure 5), goal blocks that stand less wrong blocks, over the number of the goal's.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"test"``), a task, a task's name
      (``"test/7"``), raw parameters, or a list of those; ``None`` (default): the paper's distribution.
    - ``observation``: ``"picture"`` (default, the paper's), ``"pose"``, where the agent stands and which way it
      looks in place of what it sees, or ``"picture+pose"``; see Observation Space.
    - ``flat``: refused where it is True and the agent observes a picture; a pose and the cuboids are one vector,
      float32 (731,).
    - ``render_mode``: ``"rgb_array"`` (uint8 (320, 720, 3): the agent's view, the arena and the goal), ``"ansi"``
      (text: the layers), ``"human"`` (a window), or ``None``.
    - ``reward``: ``"sparse"`` (default) or ``"distance"``; see Rewards.
    - ``horizon``: the step at which ``"distance"`` is paid; give the same number as ``max_episode_steps``.

    ``reset(options={"task": ..., "start": ..., "goal": ...})`` takes a task, raw parameters or a task's name, and a
    start (x, y and heading: 0 north, 1 east, 2 south, 3 west) and a goal (11, 11, 3) that replace that part of the
    given or drawn task. Goals are those of the task space: outlines of rectangles on the ground, of one block type, 1
    or 2 high, at least 4 long, of at most 34 blocks.

    ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another environment,
    exactly; a ``goal`` beside it takes the place of the saved episode's.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = VoxelBuildTaskSpace()
    simulation_type = VoxelBuildSimulation
    observation_space: spaces.Dict = _observation_space(SIDE, PICTURE)
    action_space: spaces.Discrete = spaces.Discrete(len(ACTIONS))
    distance_threshold = DISTANCE_THRESHOLD
    start_shape = (3,)
    draws_solvable = True
    end_measures = ("completion",)
    render_frame = staticmethod(draw_frame)
    render_text = staticmethod(draw_text)
    #: Keyboard key -> action, for people who play: w a s d move, t f g h jump, j o l turn, i k look, 1 2 3 place,
    #: 4 5 6 jump and place, b breaks, a full stop waits.
    keys_to_action: dict[str, int] = {
        "w": 1,
        "s": 2,
        "a": 3,
        "d": 4,
        "t": 5,
        "g": 6,
        "f": 7,
        "h": 8,
        "j": 9,
        "l": 10,
        "o": 11,
        "i": 12,
        "k": 13,
        "1": 14,
        "2": 15,
        "3": 16,
        "4": 17,
        "5": 18,
        "6": 19,
        "b": 20,
        ".": 0,
    }

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        reward: str = "sparse",
        horizon: int = HORIZON,
        observation: str = PICTURE,
        flat: bool = False,
    ):
        check_choice("observation", observation, OBSERVATIONS)
        self._shown = observation
        self.observation_space = _observation_space(self.task_space.side, observation)
        super().__init__(tasks, render_mode, reward, horizon, flat)

    @property
    def state_kind(self) -> str:
        """Arenas that are observed alike."""
        return f"{super().state_kind} with observation {self._shown!r}"

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> VoxelBuildSimulation:
        """A simulation of ``num_rows`` arenas, observed and rewarded as this environment is."""
        return self.simulation_type(num_rows, max_episode_steps, self.distance_step, self._shown)

    @staticmethod
    def distance(achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """How many cells differ: goals, uint8 (..., side, side, 3) -> float64 (...)."""
        return np.not_equal(achieved_goal, desired_goal).sum(axis=(-3, -2, -1), dtype=np.float64)

    @staticmethod
    def completion(achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """Correct less wrong blocks over the goal's, at most 1: goals, uint8 (..., side, side, 3) -> float64 (...)."""
        stands, axes = np.not_equal(achieved_goal, EMPTY), (-3, -2, -1)
        correct = (stands & np.equal(achieved_goal, desired_goal)).sum(axis=axes)
        return (2 * correct - stands.sum(axis=axes)) / np.not_equal(desired_goal, EMPTY).sum(axis=axes)

    def _info(self) -> dict[str, Any]:
        seen = self.simulation.observations
        return super()._info() | {"completion": self.completion(seen["achieved_goal"], seen["desired_goal"]).item()}

    def checked_start(self, start: np.ndarray) -> np.ndarray:
        """``start`` (x, y, heading) as int8; :class:`InvalidTaskError` unless it is in the arena."""
        check_start(start, self.task_space.side)
        return start.astype(np.int8)

    def checked_goal(self, goal: np.ndarray) -> np.ndarray:
        """``goal`` (side, side, 3) as uint8; :class:`InvalidTaskError` unless it is one of the task space."""
        check_goal(goal)
        return goal.astype(np.uint8)


class VoxelBuildSmallEnv(VoxelBuildEnv):
    """Construction in the small: an arena of 5 x 5 x 3 cells, whose agent knows where it is.

    ## Description
    :class:`VoxelBuildEnv`, whose rules, actions, rewards and episodes these are, but for the arena's size, the goals in
    it and the observation: the agent observes its pose in place of a picture. So what is left of the task is to
    explore and to plan, which Sibling Rivalry is about, and nothing has to be recognised.

    Suite: ``small`` (200 held-out tasks with different goals, a third of all, each with the length of a scripted
    builder's solution, 56 at most).

    ## Action Space
    That of :class:`VoxelBuildEnv`: ``Discrete(21)``.

    ## Observation Space
    A ``Dict``:

    | key             | dtype, shape     | values        | meaning                                                    |
    |-----------------|------------------|---------------|------------------------------------------------------------|
    | `observation`   | int8 (5,)        | -5 to 9       | x and y of the agent's cell; the nearest value from beyond |
    |                 |                  | 0 to 3        | z, the height of its feet                                  |
    |                 |                  | 0 to 3        | heading: north, east, south, west                          |
    |                 |                  | 0 to 6        | pitch, from straight down over level (3) to straight up    |
    | `achieved_goal` | uint8 (5, 5, 3)  | 0 to 3        | [y, x, z]: the arena: 0 empty, 1 stone, 2 planks, 3 diamond |
    | `desired_goal`  | uint8 (5, 5, 3)  | 0 to 3        | the goal                                                   |

    Cells of the arena are 0 to 4 along x and y. Of what decides the next state only the inventory is not observed, and
    how far away an agent is that can reach no cell.

    ## Starting State
    As there: the arena is empty, and without a given task the agent starts in the centre, looking level, with any
    heading. The goal is the outline of a rectangle with random corners, whose sides are at least 2 long, one or two
    blocks high, of one block type: one of 600, with 4 to 32 blocks.

    ## Rewards
    As there.

    ## Episode End
    As there: terminates when the arena is exactly the goal, truncates after 100 steps.

    ## Information
    As there: ``success``, ``is_success`` and ``completion``.

    ## Arguments
    Those of :class:`VoxelBuildEnv` but ``observation``; the suite is ``"small"``, and ``flat=True`` is taken: one
    vector, float32 (155,).

    ## Version History
    - v0: first version.
    """

    task_space = VoxelBuildSmallTaskSpace()
    simulation_type = VoxelBuildSmallSimulation
    observation_space: spaces.Dict = _observation_space(SMALL_SIDE, POSE)

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        reward: str = "sparse",
        horizon: int = HORIZON,
        flat: bool = False,
    ):
        super().__init__(tasks, render_mode, reward, horizon, POSE, flat)


class VoxelBuildVectorEnv(GoalVectorEnv):
    """VoxelBuild-v0 with N tasks in one compiled step; see :class:`VoxelBuildEnv` and :class:`GoalVectorEnv`."""

    single_env_type: Callable[..., VoxelBuildEnv] = VoxelBuildEnv

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        seen = self.simulation.observations
        completions = VoxelBuildEnv.completion(seen["achieved_goal"], seen["desired_goal"])
        return super()._infos(rows) | {"completion": completions, "_completion": rows.copy()}


class VoxelBuildSmallVectorEnv(VoxelBuildVectorEnv):
    """VoxelBuildSmall-v0 with N tasks in one compiled step; see :class:`VoxelBuildSmallEnv`."""

    single_env_type = VoxelBuildSmallEnv
