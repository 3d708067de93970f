"""CompositionalMiniGrid-v0's environments, single and vector."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.extras import import_extra
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.native_vector_env import NativeVectorEnv
from procgen_bench.envs.compositional_minigrid import observations
from procgen_bench.envs.compositional_minigrid.rendering import draw_frame, draw_text
from procgen_bench.envs.compositional_minigrid.simulation import CompiledSimulation, RoomSimulation
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from procgen_bench.tasks.compositional_minigrid.solver import (
    DONE,
    DROP,
    FORWARD,
    LEFT,
    NUM_ACTIONS,
    PICK_UP,
    RIGHT,
    TOGGLE,
)

if TYPE_CHECKING:
    from procgen_bench.envs.compositional_minigrid.library_room import LibraryRoom

BACKENDS = ("numba", "minigrid")
REWARDS = ("subtasks", "goal")
_LIBRARY_SIMULATION = "procgen_bench.envs.compositional_minigrid.library_simulation"


class CompositionalMiniGridEnv(NativeEnv[CompositionalMiniGridTask]):
    """Compositional MiniGrid: rooms whose tasks are any set of five subtasks.

    ## Description
    An agent in a room of 6 x 6 tiles does the subtasks that a design asks, and then reaches the goal: pick up a key,
    open a door, pick up a ball, open a box, drop the ball in the box. The source is "Environment Generation for
    Zero-Shot Compositional Reinforcement Learning" (Gur et al., 2021; CoDE), sections 6 and A.9; the rules are those of
    the Minigrid library.

    Subtasks depend on each other (the global workflow, the paper's figure 12): a door needs the key of its colour, and
    a ball can be dropped in an open box only. What a design does not ask but needs is in the room all the same, must be
    done, and earns nothing: "open door" alone brings a locked door and its key. The single room has no other side: a
    door, like all things, stands on a tile of the room.

    A task is a design, the agent's place and direction, and the things' places and colours
    (:class:`procgen_bench.tasks.compositional_minigrid.CompositionalMiniGridTaskSpace`). Suite: ``test``, every one of
    the 32 designs in 20 rooms, named like ``"test/key+door-7"``, grouped by size, each with its shortest length.

    ## Action Space
    ``Discrete(7)``, the library's. What cannot be done is not done, and the step passes.

    | action | name    | meaning                                                                                  |
    |--------|---------|------------------------------------------------------------------------------------------|
    | 0, 1   | left,   | turn by 90 degrees                                                                       |
    |        | right   |                                                                                          |
    | 2      | forward | onto the tile ahead, if it is empty, the goal or an open door                            |
    | 3      | pickup  | take the key or the ball ahead into the empty hand                                       |
    | 4      | drop    | put what is in the hand on the empty tile ahead; a ball also into the open, empty box    |
    | 5      | toggle  | unlock and open the door ahead with its key in hand (it closes and opens again without); |
    |        |         | open the box ahead                                                                       |
    | 6      | done    | nothing                                                                                  |

    Differing from the library's, a box does not vanish when it is opened and cannot be carried, nor closed again; a
    ball in it stays.

    ## Observation Space
    A ``Dict`` of uint8:

    | key         | shape     | values  | meaning                                                                      |
    |-------------|-----------|---------|------------------------------------------------------------------------------|
    | `image`     | (7, 7, 3) | 0-8,    | the library's view, [column from the left, row from the far end]: type,      |
    |             |           | 0-5,    | colour and state of every cell (types: 0 unseen, 1 empty, 2 wall, 4 door, 5  |
    |             |           | 0-2     | key, 6 ball, 7 box, 8 goal; colours: red, green, blue, purple, yellow, grey) |
    | `position`  | (2,)      | 1-6     | the agent's x (to the right) and y (down)                                    |
    | `direction` | (4,)      | 0, 1    | one-hot: the agent faces right, down, left, up                               |
    | `asked`     | (5,)      | 0, 1    | the subtasks that are asked, in the order above                              |
    | `finished`  | (5,)      | 0, 1    | those of them that have been done                                            |

    The agent is at [3, 6] of the image, looks towards row 0, and sees there what it carries. Walls and doors that are
    not open hide what is behind them, as far as the library has it (``see_through_walls=False``): sight spreads ahead
    and aside from cell to cell, so that a door that stands alone hides little. States: a door's are 0 open, 1 closed
    and 2 locked; a box's 0 closed, as the library's own, 1 open, and 2 with the ball in it.

    ## Starting State
    As the task says. Without a given task, one is drawn from ``tasks`` or, where that is ``None``: each subtask asked
    with probability 1/2; the agent and the things on random tiles, drawn again until the agent can walk up to every
    thing without moving another, so that the task can be solved. (Uniform samples of the task space can be unsolvable.)

    ## Rewards
    1/(n + 1) for each of the n asked subtasks when it is first done, and for reaching the goal when all of them are:
    an episode's rewards sum to 1 at most. With ``rewards="goal"``, 1 for reaching the goal then, and nothing else.

    ## Episode End
    Terminates at the goal, as in the library; before all asked subtasks are done, without reward or success. Truncates
    after 256 steps (four times the map's tiles, as in the library's empty rooms).

    ## Information
    ``success`` and ``is_success`` (bool): whether the goal has been reached with all subtasks done.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name (``"test"``), a task, a task's name
      (``"test/key+door-7"``), raw parameters, or a list of those; ``None`` (default): see Starting State.
    - ``flat``: whether one vector is observed, float32 (163,); see :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (288, 256, 3): the map, what the agent sees lighter; below it what the
      agent carries, and the asked subtasks and the goal, underlined when done), ``"ansi"`` (text), ``"human"`` (a
      window), or ``None``.
    - ``rewards``: ``"subtasks"`` (default) or ``"goal"``; see Rewards.
    - ``backend``: ``"numba"`` (default), compiled rules; or ``"minigrid"``, the library itself (extra ``minigrid``),
      which gives the same observations, rewards and ends, and draws its own picture (256 x 256) and text. Its
      environments are at hand for the library's wrappers: ``FullyObsWrapper(env.unwrapped.library_room)``.

    Of the library's wrappers, ``ImgObsWrapper``, ``OneHotPartialObsWrapper``, ``ReseedWrapper`` and
    ``StochasticActionWrapper`` work around this environment. The others read the library's own grid, agent or mission,
    which it has not.

    ``reset(options={"task": ...})`` takes a task, raw parameters or a task's name. ``reset(options={"state": ...})``
    goes on where :meth:`save_state` was called, here or in another environment with this backend, exactly.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = CompositionalMiniGridTaskSpace()
    simulation_type = CompiledSimulation
    observation_space: spaces.Dict = observations.observation_space()
    action_space: spaces.Discrete = spaces.Discrete(NUM_ACTIONS)
    render_frame = staticmethod(draw_frame)
    render_text = staticmethod(draw_text)
    noop_action = DONE
    draws_solvable = True
    #: Keyboard key -> action, for people who play: with the arrow keys, which stand for a, d and w, as in the library.
    keys_to_action: dict[str, int] = {
        "a": LEFT,
        "d": RIGHT,
        "w": FORWARD,
        "p": PICK_UP,
        "o": DROP,
        "t": TOGGLE,
        ".": DONE,
    }

    def __init__(
        self,
        tasks=None,
        render_mode: str | None = None,
        backend: str = "numba",
        flat: bool = False,
        rewards: str = "subtasks",
    ):
        check_choice("backend", backend, BACKENDS)
        check_choice("rewards", rewards, REWARDS)
        self.backend, self.rewards = backend, rewards
        if backend == "minigrid":
            library = import_extra(_LIBRARY_SIMULATION, "minigrid")
            self.simulation_type = library.LibrarySimulation
            self.render_frame, self.render_text = library.draw_frame, library.draw_text
        super().__init__(tasks, render_mode, flat)

    @property
    def state_kind(self) -> str:
        """The same backend and rewards."""
        paid = "" if self.rewards == "subtasks" else f" and rewards {self.rewards!r}"
        return f"{super().state_kind} with backend {self.backend!r}{paid}"

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> RoomSimulation:
        """A simulation of ``num_rows`` rooms with this environment's backend and rewards."""
        kind: Callable[..., RoomSimulation] = self.simulation_type
        return kind(num_rows, max_episode_steps, self.rewards == "goal")

    @property
    def library_room(self) -> "LibraryRoom":
        """The library's own environment behind the backend ``"minigrid"``; its reset begins the current task again.

        Raises:
            InvalidOptionError: The environment has another backend.
        """
        if self.backend != "minigrid":
            raise InvalidOptionError(f"backend is {self.backend!r}, expected 'minigrid': only it has library_room")
        return self.simulation.rooms[0]  # type: ignore[attr-defined]  # the backend's own simulation


class CompositionalMiniGridVectorEnv(NativeVectorEnv):
    """CompositionalMiniGrid-v0 with N tasks in one compiled step, or one after the other in the library; see
    :class:`CompositionalMiniGridEnv` and :class:`NativeVectorEnv`."""

    single_env_type: Callable[..., CompositionalMiniGridEnv] = CompositionalMiniGridEnv
