"""UEDMaze-v0's environments, single and vector."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.extras import import_extra
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.native_vector_env import NativeVectorEnv
from procgen_bench.envs.ued_maze import observations
from procgen_bench.envs.ued_maze.rendering import draw_frame, draw_text
from procgen_bench.envs.ued_maze.simulation import CompiledSimulation, MazeSimulation
from procgen_bench.tasks.ued_maze import UEDMazeTask, UEDMazeTaskSpace
from procgen_bench.tasks.ued_maze.solver import FORWARD, LEFT, RIGHT
from procgen_bench.tasks.ued_maze.task import NUM_WALLS

if TYPE_CHECKING:
    from procgen_bench.envs.ued_maze.library_maze import LibraryMaze

BACKENDS = ("numba", "minigrid")
#: How many actions there are, by the option's value.
ACTIONS = {"moves": 3, "published": 7}
_LIBRARY_SIMULATION = "procgen_bench.envs.ued_maze.library_simulation"


class UEDMazeEnv(NativeEnv[UEDMazeTask]):
    """The maze in which papers on unsupervised environment design report.

    ## Description
    An agent looks for the goal of a maze of 13 x 13 tiles inside a border, and sees five tiles far. PAIRED, robust PLR,
    ACCEL, SFL and NCC are compared in it: "Emergent Complexity and Zero-Shot Transfer via Unsupervised Environment
    Design" (Dennis et al., 2020) has it first. Where copies differ, the rules are those of JaxUED, which equal those of
    minimax; DCD, the first public one, has the same moves, view and rewards.

    A task is the walls, the goal's tile, and the agent's tile and direction
    (:class:`procgen_bench.tasks.ued_maze.UEDMazeTaskSpace`). Suites: ``named``, the eight mazes that papers score
    (``"named/Labyrinth"``), and ``random`` (10,000 solvable levels of 60 walls), each with its shortest length.

    ## Action Space
    ``Discrete(3)``; with ``actions="published"``, ``Discrete(7)``, the Minigrid library's.

    | action | name    | meaning                                                                                       |
    |--------|---------|-----------------------------------------------------------------------------------------------|
    | 0, 1   | left,   | turn by 90 degrees                                                                            |
    |        | right   |                                                                                               |
    | 2      | forward | onto the tile ahead, unless it is a wall; into the goal, which ends the episode: the agent    |
    |        |         | stays before it                                                                               |
    | 3 to 6 |         | nothing, and the step passes (pick up, drop, toggle and done, of what is not in a maze)       |

    ## Observation Space
    A ``Dict`` of uint8:

    | key         | shape     | values  | meaning                                                                     |
    |-------------|-----------|---------|-----------------------------------------------------------------------------|
    | `image`     | (5, 5, 3) | 0-8,    | the library's view, [column from the left, row from the far end]: type and  |
    |             |           | 0-5,    | colour of every tile (1, 0: empty; 2, 5: wall; 8, 1: goal), and the state,  |
    |             |           | 0-2     | which is 0 here                                                             |
    | `direction` | (4,)      | 0, 1    | one-hot: the agent faces right, down, left, up                              |

    The agent is at [2, 4] of the image, looks towards row 0, and is not drawn. Walls hide nothing
    (``see_through_walls=True``). The border and all beyond it are walls.

    ## Starting State
    As the task says. Without a given task, one is drawn from ``tasks`` or, where that is ``None``, as JaxUED draws
    levels: ``num_walls`` walls on uniform tiles, with replacement; the agent and the goal on two of the tiles that are
    left; a uniform direction. One in six with 60 walls cannot be solved: learners that are to see no such level want
    ``tasks="solvable"``. (Uniform samples of the parameters' space would have another distribution.)

    ## Rewards
    1 - 0.9 t / 250 for reaching the goal in step t, 0 otherwise.

    ## Episode End
    Terminates at the goal. Truncates after 250 steps.

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"random"``), a task, a task's name
      (``"named/SixteenRooms"``), raw parameters, or a list of those; ``"solvable"``: levels that can be solved;
      ``None`` (default): see Starting State.
    - ``flat``: whether one vector is observed, float32 (79,); see :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (480, 480, 3): the maze, what the agent sees lighter), ``"ansi"`` (text),
      ``"human"`` (a window), or ``None``.
    - ``actions``: ``"moves"`` (default) or ``"published"``; see Action Space. A policy over seven actions wastes the
      steps of four of them, so scores of the two differ.
    - ``num_walls``: how many walls levels are drawn with, 0 to 167: 60 (default), or 25 as minimax has it by default.
    - ``backend``: ``"numba"`` (default), compiled rules; or ``"minigrid"``, the library itself (extra ``minigrid``),
      which gives the same observations, rewards and ends, and draws its own picture and text. Its environments are at
      hand for the library's wrappers: ``FullyObsWrapper(env.unwrapped.library_maze)``.

    ``reset(options={"task": ...})`` takes a task, raw parameters or a task's name. ``reset(options={"state": ...})``
    goes on where :meth:`save_state` was called, here or in another environment with this backend, exactly.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = UEDMazeTaskSpace()
    simulation_type = CompiledSimulation
    observation_space: spaces.Dict = observations.observation_space()
    action_space: spaces.Discrete = spaces.Discrete(ACTIONS["moves"])
    render_frame = staticmethod(draw_frame)
    render_text = staticmethod(draw_text)
    #: Keyboard key -> action, for people who play: with the arrow keys, which stand for a, d and w, as in the library.
    keys_to_action: dict[str, int] = {"a": LEFT, "d": RIGHT, "w": FORWARD}

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        actions: str = "moves",
        num_walls: int = NUM_WALLS,
        backend: str = "numba",
        flat: bool = False,
    ):
        check_choice("actions", actions, ACTIONS)
        check_choice("backend", backend, BACKENDS)
        self.backend = backend
        self.action_space = spaces.Discrete(ACTIONS[actions])
        self.task_space = UEDMazeTaskSpace(num_walls)
        if backend == "minigrid":
            library = import_extra(_LIBRARY_SIMULATION, "minigrid")
            self.simulation_type = library.LibrarySimulation
            self.render_frame, self.render_text = library.draw_frame, library.draw_text
        super().__init__(tasks, render_mode, flat)

    @property
    def state_kind(self) -> str:
        """The same backend; actions and walls to draw may be others."""
        return f"{super().state_kind} with backend {self.backend!r}"

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> MazeSimulation:
        """A simulation of ``num_rows`` mazes with this environment's backend."""
        kind: Callable[..., MazeSimulation] = self.simulation_type
        return kind(num_rows, max_episode_steps, self.task_space.num_walls)

    @property
    def library_maze(self) -> "LibraryMaze":
        """The library's own environment behind the backend ``"minigrid"``; its reset begins the current task again.

        Raises:
            InvalidOptionError: The environment has another backend.
        """
        if self.backend != "minigrid":
            raise InvalidOptionError(f"backend is {self.backend!r}, expected 'minigrid': only it has library_maze")
        return self.simulation.mazes[0]  # type: ignore[attr-defined]  # the backend's own simulation


class UEDMazeVectorEnv(NativeVectorEnv):
    """UEDMaze-v0 with N tasks in one compiled step, or one after the other in the library; see :class:`UEDMazeEnv` and
    :class:`NativeVectorEnv`."""

    single_env_type: Callable[..., UEDMazeEnv] = UEDMazeEnv
