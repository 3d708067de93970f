"""XLandParallelEnv: XLand for one to three players, as PettingZoo steps them."""

import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import (
    ClosedEnvironmentError,
    InvalidActionError,
    InvalidOptionError,
    InvalidTaskError,
    ResetNeededError,
)
from procgen_bench.core.registrations import solver_of
from procgen_bench.core.seeding import checked_seed
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.draws_tasks import DrawsTasks
from procgen_bench.engine.saved_state import SavedState, generator_of, generator_text, requested_state
from procgen_bench.engine.task_env import check_running
from procgen_bench.envs.xland.actions import ACTION_CHOICES, action_space
from procgen_bench.envs.xland.arena import Arena, observable
from procgen_bench.envs.xland.entity_rows import STATE_LENGTH, state_array
from procgen_bench.envs.xland.frames import draw_frame
from procgen_bench.envs.xland.observations import check_observable, observation_space
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import XLandTask, XLandTaskSpace
from procgen_bench.tasks.xland.entities import MAX_PLAYERS

DEFAULT_PLAYERS = 2
#: Keys that reset's options may hold.
_OPTIONS = ("state", "task")


class XLandParallelEnv(DrawsTasks[XLandTask], ParallelEnv):
    """XLand for one to three players; the world is that of :class:`~procgen_bench.envs.xland.environment.XLandEnv`.

    ## Description
    Every player is an agent of its own: ``player_1`` to ``player_3``, in the task's order. Those that a task has not
    are not among an episode's ``agents``. A task's co-players are for the caller to play.

    ## Action Space, Observation Space
    Every agent's are those of :class:`~procgen_bench.envs.xland.environment.XLandEnv`.

    ## Starting State
    As there; without a given task, one is drawn for ``players`` players.

    ## Rewards
    1 for every agent in every step that ends with its goal met, else 0; not discounted, 0 to 900 in an episode.

    ## Episode End
    Never terminates. Truncates for all agents after 900 steps, or where the physics diverges (which is not known to
    happen); rewards of that step are 0, its observations as before it.

    ## Information
    ``success`` and ``is_success`` (bool): whether the player has been rewarded in this episode. ``reason`` (str): why
    the episode ended, where the physics diverged. With ``atom_truths=True``, ``atom_truths``: bool (212,), which atoms
    hold now, as this player sees them, of those that its goal names, in the order of
    :data:`procgen_bench.tasks.xland.ATOMS`; others are False.

    ## Arguments
    - ``task``: what resets without a task play: a task, raw parameters or a name like
      ``"hand_authored/capture_the_cube"``; ``None`` (default): one is drawn each time.
    - ``tasks``: what is drawn from then: a suite's name, a list of tasks, or ``"training"``, as there, of at most
      ``players`` players; ``None`` (default): new tasks. It is refused beside ``task``.
    - ``players``: how many agents there are at most, 1 to 3, and how many a drawn task has; ``None`` (default): as many
      as ``task`` or the given ``tasks`` have, 2 without.
    - ``observation``: ``"pixels"`` (default), ``"state"``, or ``"both"``.
    - ``privileged``: whether `entities` tells of what the player does not see.
    - ``atom_truths``: whether infos tell which atoms hold (default: no).
    - ``render_mode``: ``"rgb_array"`` or ``None``.
    - ``sides``, ``max_level``, ``objects``, ``options``, ``predicates``, ``earned``, ``tools``: draws, as there.

    ``reset(options={"task": ...})`` takes a task in any of these forms, of at most ``players`` players.
    ``reset(options={"state": ...})`` goes on where :meth:`save_state` was called, here or in another such environment,
    exactly; after the end of the saved episode there are no ``agents``. Other options
    are left alone, with a warning. A goal of more than 6 options or 12 different atoms, or a world of more than 12
    objects, is refused.

    ## Version History
    - v0: first version.
    """

    metadata: dict[str, Any] = {"name": "xland_v0", "render_modes": ["rgb_array"], "render_fps": 7.5}
    task_space = XLandTaskSpace(solver_of("XLand-v0"))

    def __init__(
        self,
        task=None,
        players: int | None = None,
        observation: str = "pixels",
        privileged: bool = False,
        render_mode: str | None = None,
        atom_truths: bool = False,
        tasks=None,
        **draws: Any,
    ):
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        check_choice("players", players, (None, *range(1, MAX_PLAYERS + 1)))
        self._arena = Arena(observation, privileged, atom_truths)
        self.task_space = self.task_space.drawing(**draws) if draws else self.task_space.own()
        self._given = None if task is None else observable(self.task_space, task)
        if task is not None and tasks is not None:
            raise InvalidOptionError("task and tasks are both given, expected one of the two")
        self._draw_from(tasks)
        known = [] if self._given is None else [self._given]
        known += self._tasks or ()
        if players is None:
            players = max([one.game.num_players for one in known], default=DEFAULT_PLAYERS)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(1, players + 1)]
        for one in known:
            self._check_players(one)
        self.agents: list[str] = []
        self._observation_spaces = {agent: observation_space(observation) for agent in self.possible_agents}
        self._action_spaces = {agent: action_space() for agent in self.possible_agents}
        self._action_rule = ActionRule(action_space())
        self.state_space = spaces.Box(-np.inf, np.inf, (STATE_LENGTH,), np.float64)
        self._rng: np.random.Generator | None = None
        self._is_closed = False

    @property
    def task(self) -> XLandTask:
        """The current task; :class:`ResetNeededError` before the first reset."""
        return self.simulation.task

    @property
    def simulation(self) -> XLandSimulation:
        """The simulation of the current task; :class:`ResetNeededError` before the first reset."""
        return self._arena.simulation

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
            InvalidOptionError: ``options`` is no dict, or the state none of such an environment, or given with a task.
        """
        self._check_open()
        seed = checked_seed(seed)
        task, state = self._requested(options), self._requested_state(options)
        if state is not None:
            self._arena.go_on(state.task, state.values)
            self._rng = generator_of(state.values["chance"])
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        if state is None:
            self._arena.begin(task or self._given or self._drawn(self._rng))
        self.agents = self.possible_agents[: self.task.game.num_players]
        observations, infos = self._observations(), self._infos()
        if state is not None and state.ended:
            self.agents = []
        return observations, infos

    def save_state(self) -> SavedState[XLandTask]:
        """The episode as it is, also after its end, for reset's option ``state``.

        Raises:
            ResetNeededError: Before the first reset.
        """
        if self._rng is None:
            raise ResetNeededError("save_state was called before reset; call reset first")
        values = self._arena.save() | {"chance": generator_text(self._rng)}
        return SavedState(type(self).__name__, self.task, self.simulation.steps, not self.agents, values)

    def step(self, actions: dict[str, np.ndarray]):
        """Advance the world by 2/15 s.

        Args:
            actions: One for each of ``agents``: int8 (6,), as of
                :class:`~procgen_bench.envs.xland.environment.XLandEnv`.

        Returns:
            Observations, rewards (float), terminations and truncations (bool) and infos by agent.

        Raises:
            InvalidActionError: An agent has no action, or one outside its space, or there is no such agent.
            ResetNeededError: Before the first reset, or after the end of the episode.
        """
        self._check_open()
        check_running(bool(self.agents))
        joint = self._joint_action(actions)
        rewards = dict(zip(self.agents, self._arena.step(joint).tolist()))
        infos, is_over = self._infos(), self.simulation.ended is not None
        observations = self._observations()
        terminations = dict.fromkeys(self.agents, False)
        truncations = dict.fromkeys(self.agents, is_over)
        if is_over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def state(self) -> np.ndarray:
        """All of the world, for critics that know everything: see :func:`state_array`, float64 (421,)."""
        return state_array(self.simulation)

    def render(self) -> np.ndarray | None:
        """The players' views side by side, the map, and goals and rewards in words; ``None`` without a render mode.

        uint8 (400, 384 P + 288, 3).

        Raises:
            ResetNeededError: Before the first reset.
        """
        if self.render_mode is None:
            gymnasium.logger.warn('render was called without a render mode; make the environment with "rgb_array"')
            return None
        return draw_frame(self.simulation, self.simulation.states.num_players)

    def close(self) -> None:
        """Close the environment; again without effect."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise ClosedEnvironmentError

    def _observations(self) -> dict[str, dict[str, np.ndarray]]:
        return dict(zip(self.agents, self._arena.observe(len(self.agents))))

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self._arena.info(player) for player, agent in enumerate(self.agents)}

    def _drawn(self, rng: np.random.Generator) -> XLandTask:
        task = self._drawn_task(rng, lambda rng: self.task_space.sample_task(rng, len(self.possible_agents)))
        check_observable(task)
        return task

    def _requested(self, options: dict[str, Any] | None) -> XLandTask | None:
        """The task that reset's options ask for; ``None`` when they ask for none."""
        if options is not None and not isinstance(options, dict):
            raise InvalidOptionError(f"reset's options are {options!r}, expected a dict with the keys {_OPTIONS}")
        # PettingZoo's own test of its interface hands over an option that nobody knows: no error.
        for name in (options or {}).keys() - set(_OPTIONS):
            warnings.warn(f"unknown reset option {name!r} is left alone; the known ones are {_OPTIONS}", stacklevel=3)
        if not options or options.get("task") is None:
            return None
        task = observable(self.task_space, options["task"])
        self._check_players(task)
        return task

    def _requested_state(self, options: dict[str, Any] | None) -> SavedState[XLandTask] | None:
        """The state that reset's options ask to go on from; ``None`` when they ask for none."""
        state = requested_state(options, type(self).__name__, ("task",))
        if state is not None:
            self._check_players(state.task)
        return state

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
            row[:] = self._action_rule.checked(actions[agent], f"action of {agent}")
        return joint
