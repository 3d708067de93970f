"""SparsePointMaze-v0's environments, single and vector."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.envs.point_maze.rendering import draw_frame, draw_text
from procgen_bench.envs.point_maze.simulation import PointMazeSimulation
from procgen_bench.errors import InvalidTaskError
from procgen_bench.goal_env import GoalEnv, GoalVectorEnv
from procgen_bench.tasks.point_maze import GOAL_RADIUS, HORIZON, PointMazeTaskSpace, goal_distance
from procgen_bench.tasks.point_maze.task import MAX_STEP
from procgen_bench.tasks.point_maze.walls import HIGH, LOW

_PLACE = spaces.Box(LOW, HIGH, (2,), np.float32)
_KEY_STEP = 0.5


class SparsePointMazeEnv(GoalEnv):
    """The continuous point maze of Sibling Rivalry.

    ## Description
    A point moves through a maze of 10 x 10 unit cells with exactly one path between any two of them, and has 50 steps
    to come close to the goal. The default maze is the published one: its start is in the lower left, its goal in the
    upper right, and its corridor along the top is the local optimum in which an agent that is rewarded by the distance
    to the goal is caught. The source is "Keeping Your Distance: Solving Sparse Reward Tasks Using Self-Balancing Shaped
    Rewards" (Trott et al., 2019), section 4.1.

    A task is the walls, a start and a goal (:class:`procgen_bench.tasks.point_maze.PointMazeTaskSpace`). Suites:
    ``test`` (500 held-out starts and goals in the default maze), ``corridor`` and ``u`` (20 of each side from 2 to 10),
    ``random`` (200 spanning trees); each task with its shortest path in cells.

    ## Action Space
    ``Box(-0.95, 0.95, (2,), float32)``: the step in x (to the right) and y (up). A wall stops only the motion across
    it, the rest slides on; the agent stays 0.005 off the wall.

    ## Observation Space
    A ``Dict`` of float32, all (2,) in [-0.5, 9.5]; cell centres are at integer coordinates, (0, 0) is the lower left:

    | key             | meaning                        |
    |-----------------|--------------------------------|
    | `observation`   | x and y of the agent           |
    | `achieved_goal` | the same                       |
    | `desired_goal`  | x and y of the goal            |

    ## Starting State
    Without a given task, one is drawn from ``tasks`` or, where that is ``None``, in the default maze: the start uniform
    in cell (0, 0) at least 0.05 from walls, the goal uniform in cell (9, 9) at least 0.1 from walls.

    ## Rewards
    1 for the step that reaches the goal, 0 for the others. With ``reward="distance"`` step 50, when it does not reach
    the goal, is rewarded by minus the distance (L2) to it.

    ## Episode End
    Terminates when the agent is within 0.15 of the goal. Truncates after 50 steps.

    ## Information
    ``success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"random"``), a task, a task's name
      (``"u/7-3"``), raw parameters, or a list of those; ``None`` (default): the default maze's distribution.
    - ``render_mode``: ``"rgb_array"`` (uint8 (496, 496, 3)), ``"ansi"`` (text), ``"human"`` (a window), or ``None``.
    - ``reward``: ``"sparse"`` (default) or ``"distance"``; see Rewards.
    - ``horizon``: the step at which ``"distance"`` is paid; give the same number as ``max_episode_steps``.

    ``reset(options={"task": ..., "start": ..., "goal": ...})`` takes a task, raw parameters or a task's name, and a
    start and a goal (x, y), at least 0.005 from walls, that replace that part of the given or drawn task.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = PointMazeTaskSpace()
    simulation_type = PointMazeSimulation
    observation_space: ClassVar[spaces.Dict] = spaces.Dict(
        {"achieved_goal": _PLACE, "desired_goal": _PLACE, "observation": _PLACE}
    )
    action_space: ClassVar[spaces.Box] = spaces.Box(-MAX_STEP, MAX_STEP, (2,), np.float32)
    distance_threshold = GOAL_RADIUS
    start_shape = (2,)
    distance = staticmethod(goal_distance)
    render_frame = staticmethod(draw_frame)
    render_text = staticmethod(draw_text)
    #: Keyboard key -> action, for people who play: half a cell at a time.
    keys_to_action: ClassVar[dict[str, np.ndarray]] = {
        "w": np.array([0, _KEY_STEP], np.float32),
        "a": np.array([-_KEY_STEP, 0], np.float32),
        "s": np.array([0, -_KEY_STEP], np.float32),
        "d": np.array([_KEY_STEP, 0], np.float32),
    }

    def __init__(self, tasks=None, render_mode: str | None = None, reward: str = "sparse", horizon: int = HORIZON):
        super().__init__(tasks, render_mode, reward, horizon)

    def checked_start(self, start: np.ndarray) -> np.ndarray:
        """``start`` (x, y) as float64; :class:`InvalidTaskError` unless it lies in the maze."""
        return _inside("start", start)

    def checked_goal(self, goal: np.ndarray) -> np.ndarray:
        """``goal`` (x, y) as float64; :class:`InvalidTaskError` unless it lies in the maze."""
        return _inside("goal", goal)


class SparsePointMazeVectorEnv(GoalVectorEnv):
    """SparsePointMaze-v0 with N tasks in one compiled step; see :class:`SparsePointMazeEnv` and `GoalVectorEnv`."""

    single_env_type = SparsePointMazeEnv


def _inside(name: str, point: np.ndarray) -> np.ndarray:
    for axis, value in zip("xy", point.tolist()):
        if not LOW <= value <= HIGH:  # also true for NaN
            raise InvalidTaskError(f"{axis} of {name}", value, f"a number in [{LOW}, {HIGH}]")
    return point.astype(np.float64)
