"""The environments of GridWorld-v0 and GridWorldLarge-v0, single and vector."""

import numpy as np
from gymnasium import spaces

from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.native_vector_env import NativeVectorEnv
from procgen_bench.envs.grid_world.kernel import VIEW_SIDE
from procgen_bench.envs.grid_world.rendering import draw_frame, draw_text
from procgen_bench.envs.grid_world.simulation import GridWorldLargeSimulation, GridWorldSimulation
from procgen_bench.tasks.grid_world import (
    GridWorldLargeTask,
    GridWorldLargeTaskSpace,
    GridWorldTask,
    GridWorldTaskSpace,
)
from procgen_bench.tasks.grid_world.task import LAVA


def _observation_space(task_type: type[GridWorldTask]) -> spaces.Dict:
    side, num_objects = task_type.side, 1 + 2 * task_type.num_pairs
    return spaces.Dict(
        {
            "objects": spaces.Box(1 - side, side - 1, (2 * num_objects,), np.float32),
            "position": spaces.Box(1, side, (2,), np.float32),
            "view": spaces.Box(0, LAVA, (VIEW_SIDE, VIEW_SIDE), np.float32),
        }
    )


class GridWorldEnv(NativeEnv[GridWorldTask]):
    """The parameterised grid world of APT-Gen.

    ## Description
    An agent starts in the upper left of an 8 x 8 grid inside border walls and has 50 steps to reach the goal. Tiles are
    empty, wall or lava; two doors block the way until the agent takes the key of the same colour. The only positive
    reward is the goal's, so tasks that need keys in the right order are hard to explore. The source is "Adaptive
    Procedural Task Generation for Hard-Exploration Problems" (Fang et al., 2021), section A.1.

    Tasks have 74 parameters: 64 tile types and ten coordinates of the goal, two doors and two keys
    (:class:`procgen_bench.tasks.grid_world.GridWorldTaskSpace`). Suites: ``targets`` (A, B and C, as in the paper),
    ``graded`` (200 solvable tasks, five of every shortest length from 1 to 40) and ``random`` (1,000 uniform samples,
    each with its shortest length or -1).

    ## Action Space
    ``Discrete(4)``: 0 right, 1 down, 2 left, 3 up.

    ## Observation Space
    A ``Dict`` of float32:

    | key        | shape  | range  | meaning                                                                          |
    |------------|--------|--------|----------------------------------------------------------------------------------|
    | `position` | (2,)   | 1..8   | x (to the right) and y (down) of the agent on the 10 x 10 map                    |
    | `view`     | (7, 7) | 0..2   | tile types around the agent, [row, column]: 0 empty, 1 wall (and outside), 2 lava |
    | `objects`  | (10,)  | -7..7  | x and y, relative to the agent, of the goal, door 1, door 2, key 1, key 2;       |
    |            |        |        | (0, 0) when absent, opened or taken                                              |

    ## Starting State
    The agent stands at (1, 1), whatever the tile there. Without a given task, one is drawn from ``tasks`` or from the
    whole task space, of which one task in eighteen can be solved: learners want ``tasks="solvable"``.

    ## Rewards
    -0.001 for every step, and in addition: +1 for reaching the goal, -0.5 for entering lava or a closed door,
    -0.001 for walking into a wall, -1 for having started on the goal.

    ## Episode End
    Terminates at the goal, in lava and at a closed door, and on the first step when the agent started on the goal
    (whatever the action). Truncates after 50 steps.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"graded"``), a task, a task's name
      (``"targets/A"``), raw parameters, or a list of those; ``"solvable"``: uniformly from the solvable tasks; ``None``
      (default): uniformly from the whole space, of which one task in eighteen can be solved.
    - ``flat``: whether one vector is observed, float32 (61,); see :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (320, 320, 3)), ``"ansi"`` (text), ``"human"`` (a window), or ``None``.

    ``reset(options={"task": ...})`` takes a task, raw parameters or a task's name. ``reset(options={"state": ...})``
    goes on where :meth:`save_state` was called, here or in another environment, exactly.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = GridWorldTaskSpace()
    simulation_type = GridWorldSimulation
    observation_space: spaces.Dict = _observation_space(GridWorldTask)
    action_space: spaces.Discrete = spaces.Discrete(4)
    render_frame = staticmethod(draw_frame)
    render_text = staticmethod(draw_text)
    #: Keyboard key -> action, for people who play (also what ``gymnasium.utils.play`` takes).
    keys_to_action: dict[str, int] = {"w": 3, "a": 2, "s": 1, "d": 0}


class GridWorldLargeEnv(GridWorldEnv):
    """A grid world of 16 x 16 tiles and six doors, with targets that cannot be solved by trying everything.

    ## Description
    :class:`GridWorldEnv`, whose rules, actions and rewards these are, but for the size of the grid, the number of doors
    and keys, and the steps of an episode. In the small grid's targets an agent that walks to the nearest action it has
    not tried reaches the goal within 1,100 steps: there are at most 256 places and sets of keys. Here there are 16,384,
    and it needs more than a million steps for each of the targets.

    Tasks have 794 parameters: 256 tile types and 26 coordinates of the goal, six doors and six keys
    (:class:`procgen_bench.tasks.grid_world.GridWorldLargeTaskSpace`). Suites: ``targets`` (A, B and C: three rooms in a
    row, two doors before each, and the six keys far away; the shortest solution of each has 161 steps), ``graded`` (200
    solvable tasks, five of every fourth shortest length from 4 to 160) and ``random`` (1,000 uniform samples, each with
    its shortest length or -1).

    ## Action Space
    That of :class:`GridWorldEnv`: ``Discrete(4)``.

    ## Observation Space
    A ``Dict`` of float32:

    | key        | shape  | range  | meaning                                                                          |
    |------------|--------|--------|----------------------------------------------------------------------------------|
    | `position` | (2,)   | 1..16  | x (to the right) and y (down) of the agent on the 18 x 18 map                    |
    | `view`     | (7, 7) | 0..2   | tile types around the agent, [row, column]: 0 empty, 1 wall (and outside), 2 lava |
    | `objects`  | (26,)  | -15..15 | x and y, relative to the agent, of the goal, doors 1 to 6, keys 1 to 6;         |
    |            |        |        | (0, 0) when absent, opened or taken                                              |

    ## Starting State
    That of :class:`GridWorldEnv`. Of the whole task space one task in fifty-five can be solved.

    ## Rewards
    Those of :class:`GridWorldEnv`.

    ## Episode End
    That of :class:`GridWorldEnv`, but for the limit: truncates after 200 steps.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``, ``flat``, ``render_mode``: as of :class:`GridWorldEnv`; flat observations are float32 (77,), and frames
      uint8 (576, 576, 3).

    ## Version History
    - v0: first version.
    """

    task_space = GridWorldLargeTaskSpace()
    simulation_type = GridWorldLargeSimulation
    observation_space: spaces.Dict = _observation_space(GridWorldLargeTask)


class GridWorldVectorEnv(NativeVectorEnv):
    """GridWorld-v0 with N tasks in one compiled step; see :class:`GridWorldEnv` and :class:`NativeVectorEnv`."""

    single_env_type = GridWorldEnv


class GridWorldLargeVectorEnv(GridWorldVectorEnv):
    """GridWorldLarge-v0 with N tasks in one compiled step; see :class:`GridWorldLargeEnv`."""

    single_env_type = GridWorldLargeEnv
