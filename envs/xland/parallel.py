"""XLandParallelEnv: XLand for one to three players, as PettingZoo steps them."""

import warnings
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.observations import (
    KINDS,
    STATE_LENGTH,
    Observer,
    check_observable,
    frozen_tints,
    observation_space,
    state_array,
)
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.simulation import DIVERGED, XLandSimulation
from procgen_bench.envs.xland.views import draw_map
from procgen_bench.errors import InvalidActionError, InvalidOptionError, InvalidTaskError, ResetNeededError
from procgen_bench.tasks.xland import XLandTask, XLandTaskSpace
from procgen_bench.tasks.xland.entities import MAX_PLAYERS

DEFAULT_PLAYERS = 2
#: Rows and columns of a player's view in :meth:`XLandParallelEnv.render`.
VIEW_SHAPE = (288, 384)
_CHOICES = np.array(ACTION_CHOICES)
_EXPECTED_ACTION = f"six whole numbers from 0, below {ACTION_CHOICES}"


class XLandParallelEnv(ParallelEnv):
    """XLand: rigid worlds of ramps and ledges in which players pursue goals made of predicates.

    ## Description
    One to three players walk a world of tiles for two minutes, push, carry, freeze and tag its objects (and each
    other), and are each rewarded for as long as their own goal is met: options of predicates such as
    ``hold(me,purple sphere) & see(opponent,me)``. The source is "Open-Ended Learning Leads to Generally Capable Agents"
    (Open-Ended Learning Team, 2021), sections 2 and A.2 to A.6. MuJoCo simulates the world.

    A task is a world and a game (:class:`procgen_bench.tasks.xland.XLandTaskSpace`). Suites: ``test`` (1,678 tasks),
    ``validation`` (2,900), ``hand_authored`` (42). Agents are ``player_1`` to ``player_3``, in the task's order; those
    that a task has not are not among an episode's ``agents``. A task's co-players are left to whoever steps the agents.

    ## Action Space
    ``MultiDiscrete([3, 5, 7, 5, 2, 2])`` for every agent, for 2/15 s:

    | part   | choices                                                                                      |
    |--------|----------------------------------------------------------------------------------------------|
    | move   | 3 m/s: back, not, forwards                                                                   |
    | strafe | to the left by 3 or 1.5 m/s, not, to the right by 1.5 or 3 m/s; never over 3 m/s with move   |
    | turn   | to the right by 24, 8 or 2 degrees, not, to the left by 2, 8 or 24 degrees                   |
    | look   | down by 12 or 4 degrees, not, up by 4 or 12 degrees; to 80 degrees either way                |
    | grab   | let go, or take and hold what the player looks at                                            |
    | gadget | leave, or use it on what the player looks at: freeze an object for 5 s, tag (an object or a  |
    |        | player is gone for 3 s); once a second at most                                               |

    Actions of a player that is gone do nothing.

    ## Observation Space
    A ``Dict`` for every agent:

    | key               | type, shape         | meaning                                                              |
    |-------------------|---------------------|----------------------------------------------------------------------|
    | `rgb`             | uint8 (72, 96, 3)   | the player's view, 60 degrees high, what is frozen whitish; black    |
    |                   |                     | while it is gone (`observation` "pixels" or "both")                  |
    | `entities`        | float32 (15, 25)    | see below (`observation` "state" or "both")                          |
    | `acceleration`    | float32 (3,)        | mean of the step, forwards, to the left, upwards, m/s2               |
    | `hand_is_holding` | uint8 (1,)          | 1 while the beam holds an object                                     |
    | `hand_distance`   | float32 (1,)        | metres from the eye to its centre, 0 without                         |
    | `hand_force`      | float32 (1,)        | newtons of the beam on it, 0 without                                 |
    | `last_action`     | float32 (24,)       | the choices of the last action, one-hot, beside each other; all 0    |
    |                   |                     | before the first                                                     |
    | `goal_matrix`     | int8 (6, 12)        | options of the player's goal by atoms: needed 1, needed to be false  |
    |                   |                     | -1, else 0                                                           |
    | `goal_atoms`      | int16 (12,)         | places of these atoms in ``ATOMS``, 212 where there is none          |

    Rows of `entities` are 12 objects in the world's order, then 3 players in the task's, the player itself included. A
    row is zeros where there is no such thing, where it is gone (tagged), and, unless ``privileged``, where the player
    does not see it, by the predicate ``see``. Directions are those of the player's heading: ahead, to its left, up.

    | columns  | meaning                                                                                       |
    |----------|-----------------------------------------------------------------------------------------------|
    | 0        | 1: the row is filled                                                                          |
    | 1 to 5   | shape, one-hot: cube, sphere, pyramid, slab, capsule (players)                                |
    | 6 to 8   | an object's colour, one-hot: black, purple, yellow                                            |
    | 9 to 11  | a player's colour, one-hot: blue, red, green                                                  |
    | 12       | size in metres as in :class:`procgen_bench.tasks.xland.World`; a player's height, 1.65        |
    | 13 to 15 | position of its centre from the player's own (metres); zeros in the player's own row          |
    | 16 to 18 | direction of its x axis; of players, where they look                                          |
    | 19 to 21 | direction of its z axis; of players, what is up in their view                                 |
    | 22, 23   | 1 if held by the player; by another one                                                       |
    | 24       | 1 if frozen                                                                                   |

    The reward is not observed.

    ## Starting State
    All things stand at rest where the task's world has them. Without a given task, one is drawn for ``players``
    players: a world with sides of 9 to 15 tiles and twelve objects, and a game of one to three options of up to three
    predicates, neither of which a suite has. For one player the goal has no opponent; it is drawn evenly from such
    goals over six atoms, until it is not trivial (met always or never, whatever is true).

    ## Rewards
    1 in every step that ends with the player's goal met, else 0; not discounted, 0 to 900 in an episode.

    ## Episode End
    Never terminates. Truncates for all agents after 900 steps, or where the physics diverges (which is not known to
    happen); rewards of that step are 0, its observations as before it.

    ## Information
    ``success`` (bool): whether the player was rewarded in this step. ``reason`` (str): why the episode ended, where the
    physics diverged.

    ## Arguments
    - ``task``: what resets without a task play: a task, raw parameters or a name like
      ``"hand_authored/capture_the_cube"``; ``None`` (default): a new one is drawn each time.
    - ``players``: how many agents there are at most, 1 to 3, and how many a drawn task has; ``None`` (default): as many
      as ``task`` has, 2 without.
    - ``observation``: ``"pixels"`` (default), ``"state"``, or ``"both"``.
    - ``privileged``: whether `entities` tells of what the player does not see.
    - ``render_mode``: ``"rgb_array"`` or ``None``.

    ``reset(options={"task": ...})`` takes a task in any of these forms, of at most ``players`` players. Other options
    are left alone, with a warning. A goal of more than 6 options or 12 different atoms, or a world of more than 12
    objects, is refused.

    ## Version History
    - v0: first version.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "xland_v0", "render_modes": ["rgb_array"], "render_fps": 7.5}
    task_space = XLandTaskSpace()

    def __init__(
        self,
        task=None,
        players: int | None = None,
        observation: str = "pixels",
        privileged: bool = False,
        render_mode: str | None = None,
    ):
        _check_choice("observation", observation, KINDS)
        _check_choice("privileged", privileged, (False, True))
        _check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        _check_choice("players", players, (None, *range(1, MAX_PLAYERS + 1)))
        self._given = None if task is None else self._observable(task)
        if players is None:
            players = DEFAULT_PLAYERS if task is None else self._given.game.num_players
        self.render_mode, self.observation, self.privileged = render_mode, observation, privileged
        self.possible_agents = [f"player_{number}" for number in range(1, players + 1)]
        if self._given is not None:
            self._check_players(self._given)
        self.agents: list[str] = []
        self._observation_spaces = {agent: observation_space(observation) for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.MultiDiscrete(ACTION_CHOICES) for agent in self.possible_agents}
        self.state_space = spaces.Box(-np.inf, np.inf, (STATE_LENGTH,), np.float64)
        self._rng: np.random.Generator | None = None
        self._simulation: XLandSimulation | None = None

    @property
    def task(self) -> XLandTask:
        """The current task; :class:`ResetNeededError` before the first reset."""
        return self.simulation.task

    @property
    def simulation(self) -> XLandSimulation:
        """The simulation of the current task; :class:`ResetNeededError` before the first reset."""
        if self._simulation is None:
            raise ResetNeededError("there is no task yet; call reset first")
        return self._simulation

    def observation_space(self, agent: str) -> spaces.Dict:
        """The observation space of an agent, always the same object."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.MultiDiscrete:
        """The action space of an agent, always the same object."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode.

        Args:
            seed: Seeds the generator that tasks are drawn from; ``None`` goes on with it.
            options: See the class.

        Returns:
            Observations and infos by agent.

        Raises:
            InvalidTaskError, UnknownNameError: The task is none, or has more players than the environment; an episode
                that was under way goes on.
            InvalidOptionError: ``options`` is no dict.
        """
        task = self._requested(options)
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        if task is None:
            task = self._given or self.task_space.sample_task(self._rng, len(self.possible_agents))
        if self._simulation is not None and self._simulation.task == task:
            self._simulation.reset()
        else:
            self._simulation = XLandSimulation(task)
            self._observer = Observer(self._simulation, self.observation, self.privileged)
        self.agents = self.possible_agents[: task.game.num_players]
        return self._observations(None), {agent: {"success": False} for agent in self.agents}

    def step(self, actions: dict[str, np.ndarray]):
        """Advance the world by 2/15 s.

        Args:
            actions: One for each of ``agents``.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            InvalidActionError: An agent has no action, or one outside its space, or there is no such agent.
            ResetNeededError: Before the first reset, or after the end of the episode.
        """
        if not self.agents:
            raise ResetNeededError("step was called before reset, or after the end of the episode; call reset first")
        joint = self._joint_action(actions)
        rewards = dict(zip(self.agents, self.simulation.step(joint).tolist()))
        ended = self.simulation.ended
        infos: dict[str, dict[str, Any]] = {agent: {"success": reward > 0} for agent, reward in rewards.items()}
        if ended == DIVERGED:
            for info in infos.values():
                info["reason"] = DIVERGED
        observations = self._observations(joint)
        terminations = dict.fromkeys(self.agents, False)
        truncations = dict.fromkeys(self.agents, ended is not None)
        if ended is not None:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def state(self) -> np.ndarray:
        """All of the world, for critics that know everything: see :func:`state_array`, float64 (421,)."""
        return state_array(self.simulation)

    def render(self) -> np.ndarray | None:
        """The players' views side by side, then the map: uint8 (288, columns, 3); ``None`` without a render mode.

        The number of columns follows from the task.

        Raises:
            ResetNeededError: Before the first reset.
        """
        if self.render_mode is None:
            gymnasium.logger.warn('render was called without a render mode; make the environment with "rgb_array"')
            return None
        states, tints = self.simulation.states, frozen_tints(self.simulation)
        views = np.empty((1, states.num_players, *VIEW_SHAPE, 3), np.uint8)
        draw_players(states, self._observer.scenery, views, tints)
        picture = draw_map(states, self._observer.scenery, height=VIEW_SHAPE[0], tints=tints)
        return np.concatenate([*views[0], picture], axis=1)

    def close(self) -> None:
        """Nothing is open; the environment can be used again."""

    def _observations(self, last_actions: np.ndarray | None) -> dict[str, dict[str, np.ndarray]]:
        return dict(zip(self.agents, self._observer.observe(last_actions)))

    def _requested(self, options: dict[str, Any] | None) -> XLandTask | None:
        """The task that reset's options ask for; ``None`` when they ask for none."""
        if options is not None and not isinstance(options, dict):
            raise InvalidOptionError(f"reset's options are {options!r}, expected a dict with the key 'task'")
        # PettingZoo's own test of its interface hands over an option that nobody knows: no error.
        for name in (options or {}).keys() - {"task"}:
            warnings.warn(f"unknown reset option {name!r} is left alone; the known one is 'task'", stacklevel=3)
        if not options or options.get("task") is None:
            return None
        task = self._observable(options["task"])
        self._check_players(task)
        return task

    def _observable(self, task) -> XLandTask:
        task = self.task_space.resolve(task)
        check_observable(task)
        return task

    def _check_players(self, task: XLandTask) -> None:
        most = len(self.possible_agents)
        if task.game.num_players > most:
            expected = f"at most {most}, as the environment has (its argument players)"
            raise InvalidTaskError("number of players of the task", task.game.num_players, expected)

    def _joint_action(self, actions: dict[str, np.ndarray]) -> np.ndarray:
        """The actions of all agents in their order, int64 (P, 6)."""
        if not isinstance(actions, dict):
            raise InvalidActionError(f"actions are {actions!r}, expected a dict with the keys {self.agents}")
        for agent in actions:
            if agent not in self.agents:
                raise InvalidActionError(f"there is an action of {agent!r}, expected those of {self.agents}")
        joint = np.empty((len(self.agents), len(ACTION_CHOICES)), np.int64)
        for row, agent in zip(joint, self.agents):
            if agent not in actions:
                raise InvalidActionError(f"there is no action of {agent}, expected those of {self.agents}")
            row[:] = _six_whole_numbers(agent, actions[agent])
        outside = (joint < 0) | (joint >= _CHOICES)
        if outside.any():
            agent = self.agents[int(outside.any(axis=1).argmax())]
            raise InvalidActionError(f"action of {agent} is {actions[agent]!r}, expected {_EXPECTED_ACTION}")
        return joint


def _six_whole_numbers(agent: str, action: np.ndarray) -> np.ndarray:
    """An agent's action as an array, whose numbers may yet be out of range."""
    try:
        array = np.asarray(action)
    except ValueError:  # lists of different lengths
        array = np.empty(0)
    if array.dtype.kind not in "iu" or array.shape != _CHOICES.shape:
        raise InvalidActionError(f"action of {agent} is {action!r}, expected {_EXPECTED_ACTION}")
    return array


def _check_choice(name: str, value: object, known: tuple) -> None:
    """Raise :class:`InvalidOptionError` unless ``value`` is one of the known, of the same type."""
    if not any(type(value) is type(one) and value == one for one in known):
        raise InvalidOptionError(f"{name} is {value!r}, expected one of {list(known)}")
