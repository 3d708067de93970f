"""SparseAntMaze-v0's environments, single and vector."""

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice, check_count
from procgen_bench.engine.goal_env import GoalEnv, GoalVectorEnv
from procgen_bench.engine.physics_env import PhysicsEnv, check_physics_vector
from procgen_bench.engine.physics_state import vector_scales
from procgen_bench.engine.processors import checked_helpers
from procgen_bench.engine.task_env import check_begun
from procgen_bench.envs.ant_maze.controller import shipped_controller
from procgen_bench.envs.ant_maze.model import MAX_TORQUE, NUM_JOINTS
from procgen_bench.envs.ant_maze.physics import NUM_POSITIONS, NUM_VELOCITIES, STATE_SIZE
from procgen_bench.envs.ant_maze.rendering import draw_frame
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.tasks.ant_maze import (
    GOAL_RADIUS,
    HORIZON,
    SUBGOAL_STEPS,
    AntMazeTask,
    AntMazeTaskSpace,
    goal_distance,
)
from procgen_bench.tasks.ant_maze.maze import HIGH, LOW
from procgen_bench.tasks.ant_maze.task import GOAL_GAP, START_GAP, check_point

#: Greatest part of a subgoal, and the subgoals of an episode.
MAX_SUBGOAL, SUBGOAL_HORIZON = 5.0, HORIZON // SUBGOAL_STEPS
_ACTIONS = {
    "torque": spaces.Box(-MAX_TORQUE, MAX_TORQUE, (NUM_JOINTS,), np.float32),
    "subgoal": spaces.Box(-MAX_SUBGOAL, MAX_SUBGOAL, (2,), np.float32),
}
_HORIZONS = {"torque": HORIZON, "subgoal": SUBGOAL_HORIZON}

_PLACE = spaces.Box(LOW, HIGH, (2,), np.float32)
_STATE = spaces.Box(-np.inf, np.inf, (NUM_POSITIONS + NUM_VELOCITIES + 1,), np.float32)

#: A key for each joint to push it, and another to pull it.
_PUSH_KEYS, _PULL_KEYS = "12345678", "wetyuiop"
_KEYS = {
    "torque": {
        key: sign * MAX_TORQUE * np.eye(NUM_JOINTS, dtype=np.float32)[joint]
        for keys, sign in ((_PUSH_KEYS, 1), (_PULL_KEYS, -1))
        for joint, key in enumerate(keys)
    },
    "subgoal": {
        key: np.array(subgoal, np.float32)
        for key, subgoal in (("w", (0, 3)), ("a", (-3, 0)), ("s", (0, -3)), ("d", (3, 0)))
    },
}


class SparseAntMazeEnv(GoalEnv[AntMazeTask], PhysicsEnv):
    """The U-shaped ant maze of Sibling Rivalry.

    ## Description
    A four-legged ant stands at one end of a U-shaped maze and has 50 seconds to walk to a goal at the other. The goal
    is close as the crow flies, so an agent that is rewarded by the distance to it ends at the wall between: the local
    optimum that makes this task hard. The source is "Keeping Your Distance: Solving Sparse Reward Tasks Using
    Self-Balancing Shaped Rewards" (Trott et al., 2019), section 4.1 and appendix F; the maze is that of "Data-Efficient
    Hierarchical Reinforcement Learning" (Nachum et al., 2018): [-4, 20] x [-4, 20] metres with a wall at x below
    12 and y between 4 and 12. The ant is the classic one of legs and masses, simulated by MuJoCo.

    A task is a start and a goal (:class:`procgen_bench.tasks.ant_maze.AntMazeTaskSpace`). Suite: ``test`` (500 held-out
    tasks of the paper's distribution, each with the length of its shortest way).

    ## Action Space
    With ``control="torque"`` (default) ``Box(-30, 30, (8,), float32)``: newton metres at hip and ankle of each leg, for
    0.1 s. The legs are those in front on the left, behind on the left, behind on the right, in front on the right.

    With ``control="subgoal"`` ``Box(-5, 5, (2,), float32)``: a place relative to the ant's along the maze's x and y, in
    metres, towards which the package's controller walks it for 20 steps of 0.1 s, or until it is at the goal.

    ## Observation Space
    A ``Dict`` of float32:

    | key             | shape | range     | meaning                                                                |
    |-----------------|-------|-----------|------------------------------------------------------------------------|
    | `observation`   | (30,) | unbounded | the torso's x, y, z (metres) and quaternion (w, x, y, z), the angles   |
    |                 |       |           | of hip and ankle of each leg (radians), the torso's velocity (m/s) and |
    |                 |       |           | turning (rad/s, in its own frame), the joints' velocities (rad/s), and |
    |                 |       |           | the steps taken as a share of the horizon                              |
    | `achieved_goal` | (2,)  | -4 to 20  | x and y of the torso, metres                                           |
    | `desired_goal`  | (2,)  | -4 to 20  | x and y of the goal, metres                                            |

    ## Starting State
    The ant stands at the start, at rest, looking along x. Without a given task, one is drawn from ``tasks`` or, where
    that is ``None``, as in the paper: the start is (0, 0) with noise up to 0.1 along x and y, the goal uniform with x
    in [-3.5, 3.5] and y in [12.5, 19.5]. (Uniform samples of the task space have another distribution.)

    ## Rewards
    1 for the step that reaches the goal, 0 for the others. With ``reward="distance"`` the step at the horizon, when it
    does not reach the goal, is rewarded by minus the distance (L2) to it.

    ## Episode End
    Terminates when the torso is within 1.0 of the goal. Truncates after 500 steps, with ``control="subgoal"`` after 25.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"test"``), a task, a task's name
      (``"test/7"``), raw parameters, or a list of those; ``None`` (default): the paper's distribution.
    - ``flat``: whether one vector is observed, float32 (34,); see :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (480, 480, 3)), ``"human"`` (a window), or ``None``. Without a screen
      MuJoCo draws with EGL; ``MUJOCO_GL`` chooses otherwise.
    - ``control``: ``"torque"`` (default) or ``"subgoal"``; see Action Space.
    - ``reward``: ``"sparse"`` (default) or ``"distance"``; see Rewards.
    - ``horizon``: steps of which the observed time is a share, and at which ``"distance"`` is paid; ``None``: 500, or
      25 subgoals. Give the same number as ``max_episode_steps``. With ``control="subgoal"`` episodes are truncated
      there, whatever the registered limit.

    ``reset(options={"task": ..., "start": ..., "goal": ...})`` takes a task, raw parameters or a task's name, and a
    start (x, y) at least 1.0 off the walls and a goal (x, y) at least 0.5 off them, which replace that part of the
    given or drawn task.

    ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another environment
    with this control, exactly; a ``goal`` beside it takes the place of the saved episode's.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 10}
    task_space = AntMazeTaskSpace()
    simulation_type = AntMazeSimulation
    simulation: AntMazeSimulation
    observation_space: spaces.Dict = spaces.Dict(
        {"achieved_goal": _PLACE, "desired_goal": _PLACE, "observation": _STATE}
    )
    action_space: spaces.Box = _ACTIONS["torque"]
    distance_threshold = GOAL_RADIUS
    start_shape = (2,)
    draws_solvable = True
    distance = staticmethod(goal_distance)
    render_frame = staticmethod(draw_frame)
    #: Keyboard key -> action, for people who play: a joint at a time, with which few will walk far, or a direction.
    keys_to_action = _KEYS["torque"]

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        control: str = "torque",
        reward: str = "sparse",
        horizon: int | None = None,
        flat: bool = False,
    ):
        check_choice("control", control, _ACTIONS)
        self.control = control
        self.action_space, self.keys_to_action = _ACTIONS[control], _KEYS[control]
        super().__init__(tasks, render_mode, reward, _HORIZONS[control] if horizon is None else horizon, flat)

    @property
    def state_kind(self) -> str:
        """The same control."""
        return f"{super().state_kind} with control {self.control!r}"

    def make_simulation(self, num_rows: int, max_episode_steps: int | None, num_threads: int = 1) -> AntMazeSimulation:
        """A simulation of ``num_rows`` mazes, controlled and rewarded as this environment is."""
        controller = None
        if self.control == "subgoal":
            # The registered limit counts torques; this one holds for subgoals.
            max_episode_steps = min(max_episode_steps or self.horizon, self.horizon)
            controller = shipped_controller()
        return AntMazeSimulation(num_rows, max_episode_steps, self.distance_step, self.horizon, controller, num_threads)

    def step(self, action):
        """See :meth:`NativeEnv.step`; with ``control="subgoal"`` the time limit is the environment's own."""
        observation, reward, terminated, _, info = super().step(action)
        return observation, reward, terminated, bool(self.simulation.truncations[0]), info

    def physics_scales(self, task: AntMazeTask) -> np.ndarray:
        """The same in every task; see :class:`PhysicsEnv`."""
        return vector_scales(NUM_POSITIONS, NUM_VELOCITIES)

    def physics_vector(self) -> np.ndarray:
        """The ant's state; see :class:`~procgen_bench.envs.ant_maze.physics.AntBodies`."""
        check_begun(self._seeded, "physics_vector")
        return self.simulation.bodies.states[0].copy()

    def restore_physics(self, vector: np.ndarray) -> None:
        """See :class:`PhysicsEnv`."""
        check_begun(self._seeded, "restore_physics")
        check_physics_vector(vector, STATE_SIZE)
        self.simulation.bodies.states[0] = vector

    def checked_start(self, start: np.ndarray) -> np.ndarray:
        """``start`` (x, y) as float64; :class:`InvalidTaskError` unless it is in the maze and 1.0 off its walls."""
        check_point("start", start, START_GAP)
        return start.astype(np.float64)

    def checked_goal(self, goal: np.ndarray) -> np.ndarray:
        """``goal`` (x, y) as float64; :class:`InvalidTaskError` unless it is in the maze and 0.5 off its walls."""
        check_point("goal", goal, GOAL_GAP)
        return goal.astype(np.float64)


class SparseAntMazeVectorEnv(GoalVectorEnv):
    """SparseAntMaze-v0 with N tasks; see :class:`SparseAntMazeEnv` and :class:`GoalVectorEnv`.

    Args:
        num_envs: Number of rows, N.
        num_threads: Number of threads that share out the rows' physics, the caller's among them, 1 to N; ``None``: as
            many as this process may use processors, N at most.
        **options: See :class:`GoalVectorEnv`.
    """

    single_env_type = SparseAntMazeEnv
    single: SparseAntMazeEnv

    def __init__(self, num_envs: int = 1, *, num_threads: int | None = None, **options):
        check_count("num_envs", num_envs)
        self._num_threads = checked_helpers("num_threads", num_threads, int(num_envs))
        super().__init__(num_envs, **options)

    def _simulated(self, max_episode_steps: int | None) -> AntMazeSimulation:
        return self.single.make_simulation(self.num_envs, max_episode_steps, self._num_threads)
