"""BitGrid-v0's environments, single and vector."""

import numpy as np
from gymnasium import spaces

from procgen_bench.engine.goal_env import GoalEnv, GoalVectorEnv
from procgen_bench.envs.bit_grid.kernel import DISTANCE_THRESHOLD
from procgen_bench.envs.bit_grid.rendering import draw_frame, draw_text
from procgen_bench.envs.bit_grid.simulation import BitGridSimulation
from procgen_bench.tasks.bit_grid import HORIZON, BitGridTask, BitGridTaskSpace
from procgen_bench.tasks.bit_grid.task import MOVES, SIDE, check_goal, check_start


def _observation_space(side: int) -> spaces.Dict:
    return spaces.Dict(
        {
            "achieved_goal": spaces.Box(0, 1, (side, side), np.float32),
            "desired_goal": spaces.Box(0, 1, (side, side), np.float32),
            "observation": spaces.Box(0, 1, (side, side, 2), np.float32),
        }
    )


class BitGridEnv(GoalEnv[BitGridTask]):
    """The two-dimensional bit flipping of Sibling Rivalry.

    ## Description
    An agent walks over a grid of 13 x 13 bits, all off, and toggles those under it until exactly the goal's bits are
    on. Few bits of a goal are on, so an agent that is rewarded by the distance to the goal soon learns never to toggle:
    the local optimum that makes this task hard. The source is "Keeping Your Distance: Solving Sparse Reward Tasks Using
    Self-Balancing Shaped Rewards" (Trott et al., 2019), section 4 and appendix F.

    A task is a start and a goal (:class:`procgen_bench.tasks.bit_grid.BitGridTaskSpace`). Suite: ``test`` (500 held-out
    tasks of the paper's distribution, each with its shortest length).

    ## Action Space
    ``Discrete(9)``: the 3 x 3 moves, action 3 (dx + 1) + (dy + 1) for the steps dx (to the right) and dy (down) in -1,
    0, 1. Action 4 stays and toggles the bit under the agent. A step off the grid leaves that coordinate as it is.

    ## Observation Space
    A ``Dict`` of float32, all 0 or 1:

    | key             | shape       | meaning                                                                        |
    |-----------------|-------------|--------------------------------------------------------------------------------|
    | `observation`   | (13, 13, 2) | [y, x]: the bits, and the agent's place (one-hot)                              |
    | `achieved_goal` | (13, 13)    | the bits                                                                       |
    | `desired_goal`  | (13, 13)    | the goal's bits                                                                |

    ## Starting State
    All bits are off. Without a given task, one is drawn from ``tasks`` or, where that is ``None``, as in the paper: the
    start is any cell, and the goal is the trail of an agent that walks 8 steps, changes direction every 1 to 4 of them
    and toggles each cell that it enters; an empty trail is drawn again. (Uniform samples of the task space have another
    distribution.)

    ## Rewards
    1 for the step that reaches the goal, 0 for the others. With ``reward="distance"`` step 50, when it does not reach
    the goal, is rewarded by minus the distance: the number of bits that differ from the goal's.

    ## Episode End
    Terminates when the bits are exactly the goal's (distance 0). Truncates after 50 steps.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"test"``), a task, a task's name
      (``"test/7"``), raw parameters, or a list of those; ``None`` (default): the paper's distribution.
    - ``flat``: whether one vector is observed, float32 (676,) for side 13; see
      :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (416, 416, 3)), ``"ansi"`` (text), ``"human"`` (a window), or ``None``.
    - ``side``: side of the grid, 3 to 32; the spaces' shapes and the pictures follow it. The suite is for 13.
    - ``reward``: ``"sparse"`` (default) or ``"distance"``; see Rewards.
    - ``horizon``: the step at which ``"distance"`` is paid; give the same number as ``max_episode_steps``.

    ``reset(options={"task": ..., "start": ..., "goal": ...})`` takes a task, raw parameters or a task's name, and a
    start (x, y) and a goal (13, 13) of 0 and 1 that replace that part of the given or drawn task.

    ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another environment
    of this side, exactly; a ``goal`` beside it takes the place of the saved episode's.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = BitGridTaskSpace()
    simulation_type = BitGridSimulation
    observation_space: spaces.Dict = _observation_space(SIDE)
    action_space: spaces.Discrete = spaces.Discrete(len(MOVES))
    distance_threshold = DISTANCE_THRESHOLD
    start_shape = (2,)
    render_frame = staticmethod(draw_frame)
    draws_solvable = True
    render_text = staticmethod(draw_text)
    #: Keyboard key -> action, for people who play: w a s d, the diagonals u o j l, and t to toggle.
    keys_to_action: dict[str, int] = {
        "w": 3,
        "a": 1,
        "s": 5,
        "d": 7,
        "u": 0,
        "o": 6,
        "j": 2,
        "l": 8,
        "t": 4,
    }

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        side: int = SIDE,
        reward: str = "sparse",
        horizon: int = HORIZON,
        flat: bool = False,
    ):
        if type(side) is not int or side != SIDE:  # otherwise the class's space, whose suites are read once, serves
            self.task_space = BitGridTaskSpace(side)
            self.observation_space = _observation_space(self.task_space.side)
        super().__init__(tasks, render_mode, reward, horizon, flat)

    @property
    def state_kind(self) -> str:
        """Grids of the same side."""
        return f"{super().state_kind} of side {self.task_space.side}"

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> BitGridSimulation:
        """A simulation of ``num_rows`` grids of this environment's side, rewarded as this environment is."""
        return BitGridSimulation(num_rows, max_episode_steps, self.distance_step, self.task_space.side)

    @staticmethod
    def distance(achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """How many bits differ between ``achieved_goal`` and ``desired_goal``, of 0 and 1, (..., side, side): float64
        (...)."""
        return np.abs(np.subtract(achieved_goal, desired_goal, dtype=np.float64)).sum(axis=(-2, -1))

    def checked_start(self, start: np.ndarray) -> np.ndarray:
        """``start`` (x, y) as int8; :class:`InvalidTaskError` unless it is a cell of the grid."""
        check_start(start, self.task_space.side)
        return start.astype(np.int8)

    def checked_goal(self, goal: np.ndarray) -> np.ndarray:
        """``goal`` (side, side) as int8; :class:`InvalidTaskError` unless it holds 0 and 1, and at least one 1."""
        check_goal(goal)
        return goal.astype(np.int8)


class BitGridVectorEnv(GoalVectorEnv):
    """BitGrid-v0 with N tasks in one compiled step; see :class:`BitGridEnv` and :class:`GoalVectorEnv`."""

    single_env_type = BitGridEnv
