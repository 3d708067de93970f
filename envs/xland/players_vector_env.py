"""XLandPlayersVectorEnv: XLand for every player of many worlds, in one batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.engine.processors import checked_helpers
from procgen_bench.engine.row_requests import (
    RowRequests,
    checked_autoreset_mode,
    checked_limit,
    row_seeds,
    seed_own_generator,
)
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_env import check_options
from procgen_bench.engine.task_vector_env import TaskVectorEnv
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.observations import check_observable
from procgen_bench.envs.xland.seats import CoPlayer, check_co_players, seated
from procgen_bench.envs.xland.simulation import DIVERGED
from procgen_bench.envs.xland.worlds import WorldRows
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.entities import MAX_PLAYERS

DEFAULT_SEATS = 2


class OpenWorld(XLandEnv):
    """What the rows of :class:`XLandPlayersVectorEnv` share: an environment whose players are all stepped."""

    @property
    def state_kind(self) -> str:
        """Its states and those of :class:`~procgen_bench.envs.xland.parallel.XLandParallelEnv` are of one kind."""
        return "XLandParallelEnv"

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, Any]:
        """None: co-players are not parts of tasks here; they are checked."""
        asked = (options or {}).get("co_players")
        check_co_players(asked, open_seats=True, shown=self._arena.view)
        return {}

    def drawn(self, rng: np.random.Generator) -> XLandTask:
        """A task, as resets without one draw it."""
        return self._drawn(rng)

    @property
    def most_players(self) -> int | None:
        """Of the tasks that it draws from; ``None`` where these are new ones."""
        return None if self._tasks is None else max(task.game.num_players for task in self._tasks)


class XLandPlayersVectorEnv(TaskVectorEnv):
    """N worlds of up to P players, every player a row: ``XLandVectorEnv(N, players="all")``.

    Row ``P * world + player`` is a player's, so that ``array.reshape(N, P, ...)`` is by worlds; ``env.num_envs`` is
    N * P. Observations, actions and rewards are those of :func:`~procgen_bench.envs.xland.parallel_env`, and world
    ``k`` equals it with the world's task and seed, bit for bit. The rows of a world begin and end together.

    Worlds of fewer players than P are padded: rows of players that there are not show zeros, earn nothing, and their
    actions count for nothing; ``infos["plays"]`` is False for them. A learner leaves alone what ``infos["acts"]`` is
    not true of.

    Frozen co-players may sit in seats other than the first, by world: names, policies, or functions ``(observations,
    episode_starts) -> actions`` of batches. Their rows stay in the batch, with all that they observe and earn; their
    actions are the co-player's. A policy or function is asked once a step, for all its seats in all worlds, with the
    observations of their rows; a seat keeps its place in that batch throughout its episode. Policies are copied when
    they sit down, functions are not. A task's own co-players do not sit: ``co_players`` says who does.

    Args:
        num_envs: Number of worlds, N.
        max_episode_steps: Steps after which an episode is truncated; ``None`` for no other limit than the simulation's.
        tasks: What worlds that reset without a task draw from; see :class:`XLandEnv`.
        players: ``"all"``.
        seats: P, the rows of a world, and the players of a new task; ``None`` (default): the most players of ``tasks``,
            2 without. A task of more players is refused.
        co_players: Who sits at seats other than the first: one for all of them, or a sequence with one for each,
            ``None`` where the row's own action counts; ``None`` (default): nobody.
        observation, privileged: See :class:`XLandEnv`.
        autoreset_mode, copy, render_mode: See :class:`~procgen_bench.engine.task_vector_env.TaskVectorEnv`; frames
            are those of :func:`~procgen_bench.envs.xland.parallel_env`.
        num_threads: Threads that share out the worlds, the caller's among them, 1 to N; ``None``: as many as this
            process may use processors, or as ``PROCGEN_BENCH_THREADS`` says, N at most.
        **family_options: How new tasks are drawn; see :class:`XLandEnv`.

    ``reset``'s options: ``task``, ``state`` and ``co_players``, one for all worlds, or a list with one entry per world
    (or per row, those of a world the same), ``None`` where there is nothing to say; ``co_players`` of an episode go
    before those of the constructor. ``reset_mask``: bool, by world or by row. A seed is for world 0, the next for world
    1; a list has one per world or row. A reset that fails leaves all worlds as they were.

    Infos, an entry a row: ``success``; ``rewards`` (float64 (N * P, 3): of all players of the row's world in the last
    step, 0 where there is none); ``goal_truths`` (bool (N * P, 12): whether the atoms of the row's ``goal_atoms`` are
    true, False where there is none); ``plays``; ``acts``.

    Raises:
        InvalidActionError: From ``step``, also where a co-player chooses what is no action of XLand's.
    """

    single: OpenWorld
    simulation: WorldRows
    single_env_type = OpenWorld
    learner_infos = ("rewards", "goal_truths")

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        tasks=None,
        players: str = "all",
        seats: int | None = None,
        co_players: CoPlayer | Sequence[CoPlayer | None] | None = None,
        observation: str = "pixels",
        privileged: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        num_threads: int | None = None,
        **family_options: Any,
    ):
        autoreset_mode = checked_autoreset_mode(autoreset_mode)
        max_episode_steps = checked_limit(num_envs, max_episode_steps)
        check_choice("players", players, ("all",))
        check_choice("seats", seats, (None, *range(1, MAX_PLAYERS + 1)))
        check_co_players(co_players, open_seats=True, shown={"observation": observation, "privileged": privileged})
        num_threads = checked_helpers("num_threads", num_threads, int(num_envs))
        count = seats or DEFAULT_SEATS
        single = OpenWorld(tasks=tasks, players=count, observation=observation, privileged=privileged, **family_options)
        self.num_worlds, self.seats = int(num_envs), seats or single.most_players or DEFAULT_SEATS
        self.rows_per_task, self.co_players = self.seats, co_players
        self._share(single, self.num_worlds * self.seats, autoreset_mode, copy, render_mode)
        self._check_players(single.most_players or 1, "tasks")
        self.simulation = WorldRows(
            self.num_worlds,
            self.seats,
            num_threads,
            single.structured_space,
            observation,
            privileged,
            max_episode_steps,
        )
        self._flatten_rows(single.flattener)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None):
        """Begin an episode in every world, or in those of ``options["reset_mask"]``."""
        check_options(options, self.single.reset_options | {"reset_mask"})
        one_each = list(seed) if isinstance(seed, Sequence | np.ndarray) else row_seeds(seed, self.num_worlds)
        seeds = self._by_row("seed", one_each)
        by_row = {name: self._by_row(name, value) for name, value in (options or {}).items()}
        begun = super().reset(seed=seeds, options=by_row)
        if not isinstance(seed, Sequence | np.ndarray):  # else its list has seeded the generator
            seed_own_generator(self, seed)
        return begun

    def _by_row(self, name: str, value: Any) -> Any:
        """What is said world by world, or row by row, as it is said row by row; the rest as it is."""
        if name == "task" and isinstance(value, tuple):
            value = list(value)
        if not isinstance(value, list) and not (name == "reset_mask" and isinstance(value, np.ndarray)):
            return value
        if len(value) == self.num_worlds:
            return (
                np.repeat(value, self.seats)
                if name == "reset_mask"
                else [own for own in value for _ in range(self.seats)]
            )
        if len(value) != self.num_envs:
            expected = f"one per world ({self.num_worlds}) or per row ({self.num_envs})"
            raise InvalidOptionError(f"{name} has {len(value)} entries, expected {expected}")
        for row in range(self.num_envs):
            first = row - row % self.seats
            if not _are_one(value[row], value[first]):
                raise InvalidOptionError(f"{name} differs between rows {first} and {row}, which are of one world")
        return value

    def _begin(self, requests: RowRequests) -> None:
        openings = {}
        for row in requests.row_numbers()[:: self.seats]:
            world, state = row // self.seats, requests.states.get(row)
            rng = self.simulation.generator(world, requests.seeds[row], state)
            task: Any = state.task if state is not None else requests.tasks.get(row) or self.single.drawn(rng)
            self._check_players(task.game.num_players, "the task")
            check_observable(task)
            asked = requests.further.get(row, {}).get("co_players")
            co_players = () if state is not None else self.co_players if asked is None else asked
            seats = [] if state is not None or co_players is None else seated(co_players, task.game.num_players - 1)
            openings[world] = self.simulation.opening(world, rng, task, state, seats)
        self.simulation.start(openings)

    def _restart(self, rows: np.ndarray) -> None:
        self._begin(RowRequests(rows, [None] * self.num_envs, {}, {}, {}))

    def _saved_states(self, rows: list[int]) -> list[SavedState]:
        worlds = sorted({row // self.seats for row in rows})
        states = dict(zip(worlds, self.simulation.save_states(worlds, self.single.state_kind, self._ended)))
        return [states[row // self.seats] for row in rows]

    def _frames(self) -> tuple[np.ndarray, ...]:
        return self.simulation.frames()

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        simulation = self.simulation
        infos = super()._infos(rows)
        for name, array in (
            ("rewards", simulation.all_rewards),
            ("goal_truths", simulation.goal_truths),
            ("plays", simulation.plays),
            ("acts", simulation.acts),
        ):
            infos |= {name: array.copy(), f"_{name}": rows.copy()}
        for world in simulation.diverged():
            for row in range(*simulation.rows_of(world).indices(self.num_envs)):
                if rows[row]:
                    infos = self._add_info(infos, {"reason": DIVERGED}, row)
        return infos

    def _check_players(self, count: int, whose: str) -> None:
        if count > self.seats:
            expected = f"at most {self.seats}, as the environment has (its argument seats)"
            raise InvalidTaskError(f"number of players of {whose}", count, expected)


def _are_one(value: Any, other: Any) -> bool:
    """Whether two entries say the same; dicts of arrays and policies do where they are one object."""
    return value is other or (isinstance(value, int | str | tuple | np.generic | Task) and value == other)
