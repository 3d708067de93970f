"""XLandEnv: XLand for one learning player, among co-players that are policies."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.registrations import solver_of
from procgen_bench.core.seeding import checked_seed
from procgen_bench.engine.physics_env import PhysicsEnv, check_physics_vector
from procgen_bench.engine.saved_state import SavedState, generator_text
from procgen_bench.engine.task_env import LEARNER, TaskEnv, check_running
from procgen_bench.envs.xland.actions import NOOP, action_space
from procgen_bench.envs.xland.arena import Arena
from procgen_bench.envs.xland.controls import XLandControls
from procgen_bench.envs.xland.frames import draw_frame
from procgen_bench.envs.xland.observations import check_observable, observation_space
from procgen_bench.envs.xland.participants import Participant, PolicyParticipant, load_participants, save_participants
from procgen_bench.envs.xland.seats import CoPlayer, check_co_players, fill_seats
from procgen_bench.envs.xland.simulation import XLandSimulation, physics_scales
from procgen_bench.tasks.xland import DrawOptions, XLandTask, XLandTaskSpace
from procgen_bench.tasks.xland.co_players import TRAINING_CO_PLAYERS, check_co_player
from procgen_bench.tasks.xland.drawing import Numbers
from procgen_bench.tasks.xland.entities import MAX_PLAYERS
from procgen_bench.tasks.xland.ways import Way


class XLandEnv(TaskEnv[XLandTask], PhysicsEnv):
    """XLand: rigid worlds of ramps and ledges in which players pursue goals made of predicates.

    ## Description
    One to three players walk a world of tiles for two minutes, push, carry, freeze and tag its objects (and each
    other), and are each rewarded for as long as their own goal is met: options of predicates such as
    ``hold(me,purple sphere) & see(opponent,me)``. The source is "Open-Ended Learning Leads to Generally Capable Agents"
    (Open-Ended Learning Team, 2021), sections 2 and A.2 to A.6. MuJoCo simulates the world.

    The environment is stepped by player 1. The others are played by co-players: frozen ones by name (see
    ``procgen_bench.tasks.xland.CO_PLAYERS``), or policies. For all players as agents there is
    :func:`procgen_bench.envs.xland.parallel_env`.

    A task is a world and a game (:class:`procgen_bench.tasks.xland.XLandTaskSpace`), and may name its co-players.
    Suites: ``test`` (1,678 tasks), ``validation`` (2,900), ``hand_authored`` (42); ``evaluation`` (11,746), every test
    task with each of the seven co-players of the evaluation, and ``evaluation_mini`` (700), a sample of it.

    ## Action Space
    ``MultiDiscrete([3, 5, 7, 5, 2, 2])``, int8, for 2/15 s:

    | part   | choices                                                                                      |
    |--------|----------------------------------------------------------------------------------------------|
    | move   | 3 m/s: back, not, forwards                                                                   |
    | strafe | to the left by 3 or 1.5 m/s, not, to the right by 1.5 or 3 m/s; never over 3 m/s with move   |
    | turn   | to the right by 24, 8 or 2 degrees, not, to the left by 2, 8 or 24 degrees                   |
    | look   | down by 12 or 4 degrees, not, up by 4 or 12 degrees; to 80 degrees either way                |
    | grab   | let go, or take and hold what the player looks at                                            |
    | gadget | leave, or use it on what the player looks at: freeze an object for 5 s, tag (an object or a  |
    |        | player is gone for 3 s, and cannot be tagged for 1 s after that); once a second at most      |

    Actions of a player that is gone do nothing.

    ## Observation Space
    A ``Dict``:

    | key               | type, shape         | meaning                                                              |
    |-------------------|---------------------|----------------------------------------------------------------------|
    | `rgb`             | uint8 (72, 96, 3)   | the player's view, 60 degrees high, what is frozen whitish; black    |
    |                   |                     | while it is gone (`observation` "pixels" or "both")                  |
    | `entities`        | float32 (15, 25)    | see below (`observation` "state" or "both")                          |
    | `terrain_heights` | float32 (15, 15)    | the ground around the player (there, too): metres above its feet at  |
    |                   |                     | points 1 m apart, row 0 furthest ahead, column 0 furthest to the     |
    |                   |                     | left, the player in the middle; 0 outside the world                  |
    | `terrain_floors`  | int8 (15, 15)       | the floors there, places in ``FLOORS``; -1 outside the world         |
    | `acceleration`    | float32 (3,)        | mean of the step, forwards, to the left, upwards, m/s2               |
    | `hand_is_holding` | uint8 (1,)          | 1 while the beam holds an object                                     |
    | `hand_distance`   | float32 (1,)        | metres from the eye to its centre, 0 without                         |
    | `hand_force`      | float32 (1,)        | newtons of the beam on it, 0 without                                 |
    | `last_action`     | float32 (24,)       | the choices of the last action, one-hot, one after the other; all 0  |
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
    predicates, neither of which a suite has; arguments ask for other sizes. For one player the goal has no opponent; it
    is drawn evenly from such goals over six atoms, until it is not trivial (met always or never, whatever is true).
    Drawn tasks meet nobody's goal at the start: of most games that do, doing nothing is rewarded (``earned=False``
    draws them, too). In a quarter of the worlds one slab is 2.2 to 2.8 m long: leaned on a ledge, it is a ramp
    (``tools``).

    Co-players are those of ``co_players``, whomever the task names; without, those that the task names; else each is
    drawn from those of training, ``noop`` and ``random``. What they do at random follows from the seed.

    ## Rewards
    1 in every step that ends with the player's goal met, else 0; not discounted, 0 to 900 in an episode.

    ## Episode End
    Never terminates. Truncates after 900 steps, or where the physics diverges (which is not known to happen); the
    reward of that step is 0, its observation as before it.

    ## Information
    ``success`` and ``is_success`` (bool): whether the player has been rewarded in this episode. ``rewards`` (float64
    (3,)): of all players in the last step, 0 for those that the task has not. ``reason`` (str): why the episode ended,
    where the physics diverged.

    With ``atom_truths=True``, ``atom_truths``: bool (3, 212), a row for each of players 1 to 3, columns in the order of
    :data:`procgen_bench.tasks.xland.ATOMS`: which atoms hold now, as that player sees them (it is ``me``), of those
    that its own goal names. All others, and rows of players that the task has not, are False. ``goal_atoms`` below 212
    are the columns that player 1's goal names.

    ## Arguments
    - ``tasks``: what resets without a task draw from: a suite's name, a task (or its name, or raw parameters), a list
      of those, or ``None`` (default) for new tasks.
    - ``players``: how many players a new task has, 1 to 3 (default 2).
    - ``sides`` (default (9, 15)), ``max_level`` (5), ``objects`` (12), ``options`` (1, 3), ``predicates`` (1, 3): sizes
      of new tasks: tiles along either side of the world, 5 to 15; the highest level of a floor, 0 to 5; objects, 1 to
      12; options of every goal, and most predicates in one, 1 to 3 each. All but the level may be a pair of the least
      and the greatest, between which they are drawn.
    - ``earned``: whether new tasks are refused in which some player's goal is met at the start (default).
    - ``tools``: chance, 0 to 1, that a new world has a slab to lean on a ledge (default 0.25).
    - ``templates`` (default 0): chance, 0 to 1, that a new game is of the templates: goals from a literal about oneself
      to two options, of which ``template_stages`` (1 to 4, default 4) says how many stages, the easiest first.
    - ``pooled_games`` (default 0): how many different games are searched for, of which those of new tasks are
      recolourings; 0: every one is searched for.
    - ``close_starts`` (default 0): chance, 0 to 1, that the players of a new task begin within 6 m of an object that
      their goals name.
    - ``skill`` (default none): the only skill that new games are of, ``"near"``, ``"hold"``, ``"see"``, ``"stand"``,
      ``"carry"``, ``"gather"``, ``"clear"``, ``"expose"`` (an object to another one's sight) or ``"hide"``, or several
      joined by ``|``.
    - ``player_way``, ``object_way`` (default none): least and greatest metres, in new tasks, from player 1's start to
      the first object that its goal names, and from that object to where the goal wants it.
    - ``co_players``: who plays the further players: one co-player for all of them, a sequence with one for each, or
      ``None`` (default): the task's, else drawn. A co-player is a name, a :class:`procgen_bench.core.policy.Policy`
      (as :func:`procgen_bench.baselines.policies.loading.load_policy` reads one from a file), or a function
      ``(observations, episode_starts) -> actions`` of batches; it plays by what its own player observes, in the same
      form as player 1.
    - ``observation``: ``"pixels"`` (default), ``"state"``, or ``"both"``.
    - ``privileged``: whether `entities` tells of what the player does not see.
    - ``atom_truths``: whether ``info`` tells which atoms hold (default: no).
    - ``flat``: whether one vector is observed, float32 (939,), with ``observation="state"``; see
      :class:`~procgen_bench.engine.task_env.TaskEnv`.
    - ``render_mode``: ``"rgb_array"`` (player 1's view, the map, and goals and reward in words: uint8 (400, 672, 3)),
      ``"human"`` (a window), or ``None``.

    ``reset(options={"task": ..., "co_players": ...})`` takes a task in any of these forms, and names of co-players
    that replace the task's, one for each of its further players. A goal of more than 6 options or 12 different atoms,
    or a world of more than 12 objects, is refused. ``reset(options={"state": ...})`` goes on where :meth:`save_state`
    was called, here or in another environment, exactly, with the co-players of then.

    ## Version History
    - v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 7.5}
    #: Of the default options.
    observation_space, action_space = observation_space("pixels"), action_space()
    task_space = XLandTaskSpace(solver_of("XLand-v0"))
    real_time_controls = XLandControls()
    reset_options = TaskEnv.reset_options | {"co_players"}
    beginning_options = frozenset({"co_players"})
    noop_action = NOOP
    rewards_doing_nothing = True
    has_fixed_length = True
    training_co_players = (LEARNER, LEARNER, *TRAINING_CO_PLAYERS)
    blind_options = MappingProxyType({"observation": "state"})
    viewing_options = MappingProxyType({"observation": "pixels", "privileged": False})

    def __init__(
        self,
        tasks=None,
        players: int = 2,
        co_players: CoPlayer | Sequence[CoPlayer] | None = None,
        observation: str = "pixels",
        privileged: bool = False,
        render_mode: str | None = None,
        atom_truths: bool = False,
        sides: Numbers = DrawOptions.sides,
        max_level: int = DrawOptions.max_level,
        objects: Numbers = DrawOptions.objects,
        options: Numbers = DrawOptions.options,
        predicates: Numbers = DrawOptions.predicates,
        earned: bool = DrawOptions.earned,
        tools: float = DrawOptions.tools,
        templates: float = DrawOptions.templates,
        template_stages: int = DrawOptions.template_stages,
        pooled_games: int = DrawOptions.pooled_games,
        close_starts: float = DrawOptions.close_starts,
        skill: str = DrawOptions.skill,
        player_way: Way | None = DrawOptions.player_way,
        object_way: Way | None = DrawOptions.object_way,
        flat: bool = False,
    ):
        check_choice("players", players, tuple(range(1, MAX_PLAYERS + 1)))
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.players, self.co_players, self.render_mode = players, co_players, render_mode
        self.observation_space, self.action_space = observation_space(observation), action_space()
        self._observe_flat(flat)
        numbers = sides, max_level, objects, options, predicates
        games = templates, template_stages, pooled_games, close_starts, skill
        draws = DrawOptions(*numbers, earned, tools, *games, player_way, object_way)
        if draws != self.task_space.draw_options:
            self.task_space = self.task_space.drawing(**asdict(draws))
        self._draw_from(tasks)
        self._arena = Arena(observation, privileged, atom_truths)
        check_co_players(co_players, shown=self._arena.view)
        self._running = False

    @property
    def task(self) -> XLandTask:
        """The current task; :class:`ResetNeededError` before the first reset."""
        return self.simulation.task

    @property
    def simulation(self) -> XLandSimulation:
        """The simulation of the current task; :class:`ResetNeededError` before the first reset."""
        return self._arena.simulation

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode; what is refused leaves the one that is under way as it is.

        Raises:
            InvalidTaskError, UnknownNameError: The task is none, or cannot be played.
            InvalidOptionError: There are other options, or co-players for fewer seats than the task has.
        """
        self._is_closed = False  # a reset opens it again, as Gymnasium's own do
        seed = checked_seed(seed)
        requested, state = self.requested_task(options), self.requested_state(options)
        parts = self.requested_parts(options)
        rng = self._generator_of_reset(seed, state)
        if state is not None:
            self._keep_generator(seed, rng)
            self._go_on(state)
        else:
            task = self._drawn(rng) if requested is None else requested
            task = self.task_space.with_parts(task, parts)
            check_observable(task)
            participants = fill_seats(task, parts.get("co_players", self.co_players), rng)
            self._keep_generator(seed, rng)
            self._begin(task, participants, rng)
        return self._observed(), self._info()

    def save_state(self) -> SavedState[XLandTask]:
        """The episode as it is, with its co-players, for reset's option ``state``; see :class:`TaskEnv`.

        Raises:
            ResetNeededError: Before the first reset.
        """
        world = self._arena.save()
        participants = save_participants(self._participants, self.simulation)
        values = world | {"participants": participants, "chance": generator_text(self.np_random)}
        return SavedState(self.state_kind, self.task, self.elapsed, not self._running, values)

    @classmethod
    def vector_learning_options(cls) -> dict[str, Any]:
        """Every player of a world is a row, so that a learner may take all seats."""
        return cls.learning_options() | {"players": "all"}

    @classmethod
    def check_co_player(cls, name: str) -> None:
        """Refuse, by :class:`UnknownNameError`, what is none of ``procgen_bench.tasks.xland.CO_PLAYERS``."""
        check_co_player(name)

    def physics_scales(self, task: XLandTask) -> np.ndarray:
        """Twenty numbers for each object and ten for each player of the task; see :class:`PhysicsEnv`."""
        return physics_scales(len(task.world.object_shapes), len(task.world.player_yaws))

    def physics_vector(self) -> np.ndarray:
        """See :meth:`XLandSimulation.physics_vector`."""
        return self.simulation.physics_vector()

    def restore_physics(self, vector: np.ndarray) -> None:
        """See :class:`PhysicsEnv`; the co-players are the environment's own book."""
        simulation = self.simulation
        check_physics_vector(vector, len(self.physics_scales(simulation.task)))
        simulation.restore_physics(vector)

    def observed_under(self, options: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """What player 1 would observe now with other ``observation`` and ``privileged``; see :class:`PhysicsEnv`."""
        for name in options:
            check_choice("option of viewing", name, tuple(self.viewing_options))
        return self._arena.observed_as(**(dict(self.viewing_options) | dict(options)))

    @property
    def elapsed(self) -> int:
        """Steps of the current episode that have been taken."""
        return self.simulation.steps

    def num_co_players(self, task: XLandTask) -> int:
        """The task's players other than the first."""
        return task.game.num_players - 1

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, Any]:
        """Names of co-players that reset's ``options`` ask for; others than names: :class:`InvalidOptionError`."""
        names = (options or {}).get("co_players")
        if names is None:
            return {}
        check_co_players(names, only_names=True)
        return {"co_players": (names,) if isinstance(names, str) else tuple(names)}

    def step(self, action: np.ndarray):
        """Advance the world by 2/15 s under ``action``, int8 (6,) as the class lists its parts.

        Raises:
            ResetNeededError: Before the first reset, or after the end of the episode.
            InvalidActionError: The action is outside the action space.
        """
        self.check_open()
        check_running(self._running)
        own = self.action_rule.checked(action)
        joint = np.array([own, *(participant.act() for participant in self._participants)])
        reward = float(self._arena.step(joint)[0])
        truncated = self.simulation.ended is not None
        self._running = not truncated
        return self._observed(), reward, False, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        info = self._arena.info(0) | {"rewards": self._arena.all_rewards()}
        return info | {"atom_truths": self._arena.truths()} if self._arena.tells_truths else info

    def _frame(self) -> np.ndarray:
        """Player 1's view, the map, and goals and reward in words."""
        return draw_frame(self.simulation)

    def _drawn(self, rng: np.random.Generator) -> XLandTask:
        return self._drawn_task(rng, lambda rng: self.task_space.sample_task(rng, self.players))

    def _begin(self, task: XLandTask, participants: list[Participant], rng: np.random.Generator) -> None:
        self._arena.begin(task)
        self._participants, self._running = participants, True
        for seat, (participant, of_participant) in enumerate(zip(participants, rng.spawn(len(participants))), start=1):
            participant.begin(self.simulation, seat, of_participant)

    def _go_on(self, state: SavedState[XLandTask]) -> None:
        self._arena.go_on(state.task, state.values)
        self._participants = load_participants(state.values["participants"], self.simulation)
        self._running = not state.ended

    def _observed(self) -> Any:
        """What player 1 observes; co-players that are policies are given what they observe."""
        policies = [one for one in self._participants if isinstance(one, PolicyParticipant)]
        num_players = 1 + max((one.seat for one in policies), default=0)
        observations = self._arena.observe(num_players)
        for one in policies:
            one.observation = observations[one.seat]
        if self.render_mode == "human":
            self.render()
        return observations[0] if self.flattener is None else self.flattener.one(observations[0])
