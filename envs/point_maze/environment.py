"""SparsePointMaze-v0's environments, single and vector."""

import numpy as np
from gymnasium import spaces

from procgen_bench.engine.goal_env import GoalEnv, GoalVectorEnv
from procgen_bench.envs.point_maze.worlds import MAZE, world_of
from procgen_bench.tasks.point_maze import GOAL_RADIUS, goal_distance
from procgen_bench.tasks.point_maze.task import MAX_STEP

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

    With ``kind="track"`` the world is the paper's motivating example (its figures 1 and 2) instead: a ring of radius 1
    and half-width 0.15 around (0, 0), open by 5 % of a turn on each side of angle 0. The start is near one end, the
    goal near the other: across the gap it is close, and that is the local optimum; the only way leads around. A task is
    a start and a goal (:class:`procgen_bench.tasks.point_maze.track.TrackTaskSpace`); there are no suites.

    ## Action Space
    ``Box(-0.95, 0.95, (2,), float32)``: the step in x (to the right) and y (up). A wall stops only the motion across
    it, the rest slides on; the agent stays 0.005 off the wall.

    On the track the same holds at every moment: along an arc the motion across it stops and the rest slides on, and so
    at the ends. There the agent may touch the wall. Five steps suffice from any point of the track to any other.

    ## Observation Space
    A ``Dict`` of float32, all (2,) in [-0.5, 10.5]; cell centres are at integer coordinates, (0, 0) is the lower left:

    | key             | meaning                        |
    |-----------------|--------------------------------|
    | `observation`   | x and y of the agent           |
    | `achieved_goal` | the same                       |
    | `desired_goal`  | x and y of the goal            |

    On the track they are in [-1.15, 1.15].

    ## Starting State
    Without a given task, one is drawn from ``tasks`` or, where that is ``None``, in the default maze: the start uniform
    in cell (0, 0) at least 0.05 from walls, the goal uniform in cell (9, 9) at least 0.175 from walls.

    On the track: the start is where a normally distributed motion (deviation 0.1 on each axis) from the middle of the
    track at 30 degrees leads; the goal is drawn the same way at 330 degrees.

    ## Rewards
    1 for the step that reaches the goal, 0 for the others. With ``reward="distance"`` step 50 (on the track: step 5),
    when it does not reach the goal, is rewarded by minus the distance (L2) to it.

    ## Episode End
    Terminates when the agent is within 0.15 of the goal. Truncates after 50 steps; an episode on the track has 5, which
    the caller asks for: ``gymnasium.make("SparsePointMaze-v0", kind="track", max_episode_steps=5)``.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"random"``), a task, a task's name
      (``"u/7-3"``), raw parameters, or a list of those; ``None`` (default): the default maze's distribution.
    - ``flat``: whether one vector is observed, float32 (6,); see :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (544, 544, 3)), ``"ansi"`` (text), ``"human"`` (a window), or ``None``.
    - ``kind``: ``"maze"`` (default) or ``"track"``.
    - ``reward``: ``"sparse"`` (default) or ``"distance"``; see Rewards.
    - ``horizon``: the step at which ``"distance"`` is paid; give the same number as ``max_episode_steps``. ``None``
      (default): 50, on the track 5.

    ``reset(options={"task": ..., "start": ..., "goal": ...})`` takes a task, raw parameters or a task's name, and a
    start and a goal (x, y), at least 0.005 from walls or on the track, that replace that part of the given or drawn
    task.

    ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another environment
    of this kind, exactly; a ``goal`` beside it takes the place of the saved episode's.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = MAZE.task_space
    simulation_type = MAZE.simulation_type
    observation_space: spaces.Dict = MAZE.observation_space
    action_space: spaces.Box = spaces.Box(-MAX_STEP, MAX_STEP, (2,), np.float32)
    distance_threshold = GOAL_RADIUS
    start_shape = (2,)
    draws_solvable = True
    distance = staticmethod(goal_distance)
    render_frame = staticmethod(MAZE.draw_frame)
    render_text = staticmethod(MAZE.draw_text)
    #: Keyboard key -> action, for people who play: half a cell at a time.
    keys_to_action: dict[str, np.ndarray] = {
        "w": np.array([0, _KEY_STEP], np.float32),
        "a": np.array([-_KEY_STEP, 0], np.float32),
        "s": np.array([0, -_KEY_STEP], np.float32),
        "d": np.array([_KEY_STEP, 0], np.float32),
    }

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        kind: str = "maze",
        reward: str = "sparse",
        horizon: int | None = None,
        flat: bool = False,
    ):
        world = world_of(kind)
        self.kind = kind
        if world is not MAZE:  # otherwise the class's task space, whose suites are read once, serves
            self.task_space, self.simulation_type = world.task_space.own(), world.simulation_type
            self.observation_space = world.observation_space
            self.render_frame, self.render_text = world.draw_frame, world.draw_text
        self._placed = world.placed
        super().__init__(tasks, render_mode, reward, world.horizon if horizon is None else horizon, flat)

    @property
    def state_kind(self) -> str:
        """The same kind of world."""
        return f"{super().state_kind} of kind {self.kind!r}"

    def checked_start(self, start: np.ndarray) -> np.ndarray:
        """``start`` (x, y) as float64; :class:`InvalidTaskError` unless it lies in the maze or on the track."""
        return self._placed("start", start)

    def checked_goal(self, goal: np.ndarray) -> np.ndarray:
        """``goal`` (x, y) as float64; :class:`InvalidTaskError` unless it lies in the maze or on the track."""
        return self._placed("goal", goal)


class SparsePointMazeVectorEnv(GoalVectorEnv):
    """SparsePointMaze-v0 with N tasks in one compiled step; see :class:`SparsePointMazeEnv` and `GoalVectorEnv`."""

    single_env_type = SparsePointMazeEnv
