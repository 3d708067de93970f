"""XLandSmallEnv: XLand to learn in the small, with worlds, games, episodes and observations of less."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from procgen_bench.core.registrations import find_registration, solver_of
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.observations import observation_space
from procgen_bench.envs.xland.scripted.solving import solve
from procgen_bench.envs.xland.seats import CoPlayer
from procgen_bench.envs.xland.vector_env import XLandVectorEnv
from procgen_bench.tasks.xland import SMALL, XLandSmallTaskSpace, XLandTask

_ID = "XLandSmall-v0"


class XLandSmallEnv(XLandEnv):
    """XLand to learn in the small: small worlds, short games, forty seconds, and states in place of pictures.

    ## Description
    :class:`XLandEnv`, whose players, physics, rewards and forms of tasks these are, but for its sizes: worlds of 5 to 9
    tiles a side with floors at no more than two levels and four to six objects; goals of one or two options of one or
    two predicates; 300 steps. Random play is rewarded now and then in a part of the tasks, so that a learner finds
    something to begin with.

    Suites: ``small`` (200 tasks), for two players, whose tasks name one of the seven co-players of the evaluation;
    ``skills`` (350), of one literal each; ``hand_authored`` (42), those of :class:`XLandEnv`, in 300 steps.

    ## Action Space
    That of :class:`XLandEnv`: ``MultiDiscrete([3, 5, 7, 5, 2, 2])``, int8.

    ## Observation Space
    That of :class:`XLandEnv` with ``observation="state"``: ``entities``, ``terrain_heights``, ``terrain_floors``,
    ``acceleration``, ``hand_is_holding``, ``hand_distance``, ``hand_force``, ``last_action``, ``goal_matrix`` and
    ``goal_atoms``.

    ## Starting State
    As there; without a given task, a small one is drawn for ``players`` players, of which no suite has the game or the
    world. Drawn tasks meet nobody's goal at the start.

    ## Rewards
    1 in every step that ends with the player's goal met, else 0; not discounted, 0 to 300 in an episode.

    ## Episode End
    Never terminates. Truncates after 300 steps, by Gymnasium's limit, which the vector environment keeps by itself.

    ## Information
    As there: ``success``, ``is_success``, ``rewards`` and ``reason``.

    ## Arguments
    Those of :class:`XLandEnv`, with other defaults: ``observation`` ("state"), ``sides`` ((5, 9)), ``max_level`` (1),
    ``objects`` ((4, 6)), ``options`` ((1, 2)), ``predicates`` ((1, 2)).

    ## Version History
    - v0: first version.
    """

    #: Of the default options.
    observation_space = observation_space("state")
    viewing_options = MappingProxyType({"observation": "state", "privileged": False})
    task_space = XLandSmallTaskSpace(solver_of(_ID))

    def __init__(
        self,
        tasks=None,
        players: int = 2,
        co_players: CoPlayer | Sequence[CoPlayer] | None = None,
        observation: str = "state",
        privileged: bool = False,
        render_mode: str | None = None,
        atom_truths: bool = False,
        flat: bool = False,
        **draws: Any,
    ):
        draws = SMALL | draws
        chosen = tasks, players, co_players, observation, privileged, render_mode, atom_truths
        super().__init__(*chosen, flat=flat, **draws)

    @property
    def state_kind(self) -> str:
        """Its states and those of :class:`XLandEnv` are of one kind."""
        return "XLandEnv"


class XLandSmallVectorEnv(XLandVectorEnv):
    """N tasks of :class:`XLandSmallEnv`; as :class:`XLandVectorEnv` also with ``num_threads`` or ``players="all"``."""

    single_env_type = XLandSmallEnv

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """An environment of one of the three kinds; the numbers are all that it adds to XLand's."""
        return super().__new__(cls, *args, **({"observation": "state"} | SMALL | options))


def solve_small(task: XLandTask):
    """:func:`~procgen_bench.envs.xland.scripted.solving.solve` within the steps of an episode in the small."""
    return solve(task, find_registration(_ID).max_episode_steps)
