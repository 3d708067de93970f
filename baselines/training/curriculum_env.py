"""CurriculumVectorEnv: a vector environment whose rows play the levels that a teacher proposes."""

import contextlib
import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from procgen_bench.baselines.policies.arrays import Arrays, below, named, named_space
from procgen_bench.baselines.training.contracts import FreshLevels, Proposal
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.baselines.training.task_records import NEWEST, TaskRecorder
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.core.errors import InvalidOptionError, UnknownNameError
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import find_spec
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.success import counted_success
from procgen_bench.core.task import Task
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.engine.saved_rows import can_be_kept, pack_states, unpack_states
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_env import LEARNER
from procgen_bench.engine.task_vector_env import TaskVectorEnv


@dataclass(frozen=True)
class Step:
    """What came of one action in every row.

    Attributes:
        rewards, terminations, truncations: As the environment returns them: float64, bool and bool (N,).
        last: By name (K, ...), the last observations of the rows whose episode ended, in the order of their numbers.
        infos: By name (N, ...), those of the environment that learners require.
    """

    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    last: Arrays
    infos: Arrays = field(default_factory=dict)


@dataclass(frozen=True)
class EpisodeColumns:
    """Finished episodes as columns (K,), in the order of ending: dtypes are those of :class:`.FinishedEpisodes`."""

    level: np.ndarray
    player: np.ndarray
    train: np.ndarray
    return_: np.ndarray
    success: np.ndarray
    length: np.ndarray
    seat: np.ndarray


class CurriculumVectorEnv:
    """Rows that begin a level of the teacher's as soon as their episode is over.

    Args:
        environment_id: A registered environment.
        num_rows: Number of rows, N; of worlds, where every player of a world is a row, which makes N more.
        teacher: Proposes the levels.
        seed: Of the rows' own random generators.
        steps_per_action: Steps of the environment, as it is scored, that an action lasts.
        staggered: Whether the first episodes are cut at random ages where all are of one length; rows that begin
            together would end together for ever, and rollouts see one phase of an episode alone.
        drawn_co_players: Who takes the other seats of tasks whose proposal says nothing of them, one drawn for each
            world; :data:`.LEARNER`: the learner. Empty: as the environment has it; ``None``: nobody is drawn.
        frozen_players: Policies by name that may be among them.
        **options: The environment's further keyword arguments.

    Attributes:
        environment_id: What they play.
        env: The vector environment, whose rows are reset by hand.
        observation_space: Of what one row shows, by name.
        observations: By name (N, ...), what the rows show now: the environment's own arrays, which the next step
            overwrites.
        starts: bool (N,), whether that is the first observation of an episode.
        train: bool (N,), whether the rows' episodes may be learned from.
        acts: bool (N,), whether the row's own action counts: false where a co-player acts.
        player: int16 (N,), who plays in the rows, as an index into ``players``.
        players: Names of the run's players.
        learns: bool (players,), who of them learns: only their steps are counted.
        co_players: Policies by name that proposals may use as co-players, besides those that the environment knows.
        required_infos: Infos of the environment that :meth:`step` returns, by name.
        steps: Environment steps so far, of those who learn.
        steps_per_action: How many of them an action lasts.
        recorder: Holds the tasks of all episodes that were begun.
    """

    def __init__(
        self,
        environment_id: str,
        num_rows: int,
        teacher: Teacher,
        seed: int,
        steps_per_action: int = 1,
        staggered: bool = False,
        drawn_co_players: Sequence[str] | None = None,
        frozen_players: Mapping[str, Policy] | None = None,
        **options: Any,
    ):
        env = gymnasium.make_vec(
            environment_id,
            num_envs=num_rows,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.DISABLED,
            copy=False,
            **options,
        )
        assert isinstance(env, TaskVectorEnv)  # as every registered one is
        num_rows = env.num_envs
        self.environment_id = environment_id
        self.env, self.num_rows, self.teacher, self.steps = env, num_rows, teacher, 0
        self.observation_space = named_space(env.single_observation_space)
        teacher.row_options = options
        teacher.setup(self.observation_space, env.single_action_space)
        self.observations: Arrays = {}
        self.starts = np.ones(num_rows, np.bool_)
        self.train = np.ones(num_rows, np.bool_)
        self.acts = np.ones(num_rows, np.bool_)
        self.player = np.zeros(num_rows, np.int16)
        self.players: tuple[str, ...] = teacher.players
        self.learns = np.ones(len(self.players), np.bool_)
        self.co_players: Callable[[str], Policy | None] = lambda name: None
        self.required_infos: tuple[str, ...] = ()
        self.steps_per_action, self._seed, self._begun = steps_per_action, seed, False
        self._levels = np.zeros(num_rows, np.int64)
        self._returns = np.zeros(num_rows)
        self._lengths = np.zeros(num_rows, np.int64)
        self._staggered = staggered and env.single.has_fixed_length
        #: Length at which each row's episode is cut.
        self._cut_at = np.full(num_rows, _UNCUT)
        self._draws_co_players: tuple[str, ...] = ()
        self._frozen_players = frozen_players or {}
        if drawn_co_players is not None:
            with closed_on_error(env):
                self._draws_co_players = _co_players_to_draw(
                    env, environment_id, drawn_co_players, self._frozen_players
                )
        self._finished: list[EpisodeColumns] = []
        self.recorder = TaskRecorder()
        #: The newest levels to learn from, as they were proposed.
        self._proposed: deque[Sequence[Task]] = deque()

    def begin(self) -> None:
        """Begin a level in every row, whatever it was playing."""
        seeds: list[int | None] = [seed_from_parts("row", self._seed, self.steps, row) for row in range(self.num_rows)]
        self.starts = np.ones(self.num_rows, np.bool_)
        self._start(self.starts, seeds)
        if self._staggered:
            self._cut_at = self._drawn_ages()
        self._begun = True

    def ensure_begun(self) -> None:
        """Begin a level in every row, unless they have begun."""
        if not self._begun:
            self.begin()

    @property
    def steps_of_next(self) -> int:
        """Environment steps that the next action of the rows takes: of those in which a learner acts."""
        return int(self.acting.sum()) * self.steps_per_action

    @property
    def can_be_kept(self) -> bool:
        """Whether :meth:`state` keeps the rows' episodes; otherwise they are restarted after it, as when restored."""
        return bool(self.learns.all()) and can_be_kept(self.env)

    @property
    def acting(self) -> np.ndarray:
        """bool (N,), the rows in which a learner acts now."""
        return self.acts & self.learns[self.player]

    def step(self, actions: np.ndarray) -> Step:
        """Advance every row by its action, (N, ...) in all; rows whose episode is over begin their next level."""
        self.steps += self.steps_of_next
        rewards, terminations, truncations, infos = self._act(actions)
        self._returns += rewards
        self._lengths += self.steps_per_action
        truncations = truncations | (self._lengths >= self._cut_at)
        ended = terminations | truncations
        self.starts, last = ended, {}
        if ended.any():
            last = {name: array[ended] for name, array in self._shown().items()}
            self._note(ended, counted_success(infos))
            self._start(ended, None)
        required = {name: np.asarray(infos[name]) for name in self.required_infos}
        return Step(rewards, terminations, truncations & ~terminations, last, required)

    def _act(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Rewards, terminations, truncations and infos of one action in every row."""
        _, rewards, terminations, truncations, infos = self.env.step(actions)
        return rewards, terminations, truncations, infos

    def propose(self, rows: np.ndarray) -> Sequence[Proposal]:
        """Levels that these rows (their indices, int64 (n,)) are to play."""
        return self.teacher.propose(rows, self.steps)

    def pop_finished_episodes(self) -> list[EpisodeColumns]:
        """The episodes that ended since this was last asked."""
        finished, self._finished = self._finished, []
        return finished

    def pop_proposed_tasks(self) -> list[Task]:
        """The newest levels among those that were proposed since this was last asked."""
        proposed = [task for tasks in self._proposed for task in tasks[-NEWEST:]][-NEWEST:]
        self._proposed.clear()
        return proposed

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays, of any dtype, and plain values from which :meth:`restore` goes on; the teacher's are apart."""
        recorded = {f"recorder.{name}": array for name, array in self.recorder.arrays().items()}
        if not self.can_be_kept:
            return recorded, {"steps": self.steps}
        arrays, values = pack_states(self.env.save_states(), self.env.task_space)
        own = (
            recorded | {name: getattr(self, name) for name in _KEPT} | {f"env.{name}": a for name, a in arrays.items()}
        )
        return own, {"steps": self.steps, "env": values}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` gave; rows that have begun, with their teacher's state restored."""
        self.recorder.restore(below(arrays, "recorder"))
        self._proposed.clear()
        self.steps = values["steps"]
        if "env" not in values:
            self.begin()
            return
        states = unpack_states(below(arrays, "env"), values["env"], self.env.task_space, self.env.rows_per_task)
        self.env.reset(options={"state": states})
        self.observations = self._shown()
        for name in _KEPT:
            setattr(self, name, arrays[name].copy())

    def _start(self, rows: np.ndarray, seeds: list[int | None] | None) -> None:
        starting = np.flatnonzero(rows)
        each = self.env.rows_per_task
        beginning = starting[::each]
        proposed = self.propose(beginning)
        if len(proposed) != len(beginning):
            raise InvalidOptionError(
                f"the teacher proposes {len(proposed)} levels, expected {len(beginning)}, one for each row that begins"
            )
        is_plain = each == 1 and seeds is None and not self._draws_co_players
        if is_plain and isinstance(proposed, FreshLevels) and isinstance(proposed.tasks, TaskBatch):
            self._start_fresh(rows, proposed.first, proposed.tasks)
            return
        if self._draws_co_players:
            proposed = self._with_co_players(proposed)
        proposals = [proposal for proposal in proposed for _ in range(each)]
        row_seeds = seeds or [None] * self.num_rows
        by_row: list[Proposal | None] = [None] * self.num_rows
        for row, proposal in zip(starting.tolist(), proposals):
            by_row[row] = proposal
            self._levels[row], self.train[row] = proposal.level, proposal.train
            self.player[row] = self._number_of(proposal.player)
            if proposal.seed is not None:
                row_seeds[row] = proposal.seed
        if each > 1:  # a task has one seed
            row_seeds = [row_seeds[row - row % each] for row in range(self.num_rows)]
        options = self._options_of(by_row) | {"reset_mask": rows}
        _, infos = self.env.reset(seed=row_seeds, options=options)
        self.acts[rows] = infos.get("acts", rows)[rows]
        self.train[rows] &= self.acting[rows]
        self._begun_with(rows, [proposal.task for proposal in proposals], [one.task for one in proposals if one.train])

    def _start_fresh(self, rows: np.ndarray, first: int, tasks: TaskBatch) -> None:
        """Begin new levels of the student's, the first of which has this number."""
        self.env.begin_batch(rows, tasks)
        self._levels[rows] = np.arange(first, first + len(tasks))
        self.player[rows] = self._number_of(STUDENT)
        self.acts[rows] = True
        self.train[rows] = self.learns[self._number_of(STUDENT)]
        self._begun_with(rows, tasks, tasks)

    def _begun_with(self, rows: np.ndarray, tasks: Sequence[Task], learned_from: Sequence[Task]) -> None:
        """Note which tasks these rows have begun, and which of them are learned from."""
        self.recorder.record(tasks)
        if len(learned_from):
            self._proposed.append(learned_from)
            while sum(map(len, self._proposed)) - len(self._proposed[0]) >= NEWEST:
                self._proposed.popleft()
        self.observations = self._shown()
        self._returns[rows] = 0.0
        self._lengths[rows] = 0
        self._cut_at[rows] = _UNCUT

    def _with_co_players(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Proposals in which somebody drawn takes the other seats where they say nothing of these."""
        rng = np.random.default_rng(seed_from_parts("co-players", self._seed, self.steps))
        drawn = rng.choice(np.array(self._draws_co_players, object), len(proposals))
        return [
            one
            if one.co_players or one.state is not None or name == LEARNER
            else dataclasses.replace(one, co_players=(name,) * self.env.single.num_co_players(one.task))
            for one, name in zip(proposals, drawn.tolist(), strict=True)
        ]

    def _drawn_ages(self) -> np.ndarray:
        """int64 (N,): steps after which the first episode of each row is cut, the same in rows of one task."""
        rng, each = np.random.default_rng(seed_from_parts("ages", self._seed, self.steps)), self.env.rows_per_task
        longest = find_spec(self.environment_id).max_episode_steps
        assert longest is not None  # of an environment whose episodes are all of one length
        actions = rng.integers(1, longest // self.steps_per_action, self.num_rows // each, endpoint=True)
        return np.repeat(actions * self.steps_per_action, each)

    def _number_of(self, player: str) -> int:
        if player not in self.players:
            raise UnknownNameError("player of a proposal", player, list(self.players))
        return self.players.index(player)

    def _options_of(self, by_row: list[Proposal | None]) -> dict[str, Any]:
        """Reset's options of the rows that begin these proposals."""
        tasks: list[Any] = [None if one is None or one.state is not None else one.task for one in by_row]
        options: dict[str, Any] = {"task": tasks}
        players_by_proposal: dict[int, tuple[Any, ...]] = {}
        for row, one in enumerate(by_row):
            if one is not None and one.state is not None:
                parts = _parts_beside_state(one, self.env)
                for name, value in parts.items():
                    options.setdefault(name, [None] * self.num_rows)[row] = value
            if one is not None and one.co_players:
                if (
                    id(one) not in players_by_proposal
                ):  # rows of one world share their proposal, and have to share these
                    players_by_proposal[id(one)] = self._co_players_of(one)
                options.setdefault("co_players", [None] * self.num_rows)[row] = players_by_proposal[id(one)]
        return options

    def _co_players_of(self, proposal: Proposal) -> tuple[Any, ...]:
        """The co-players of a proposal."""
        most = self.env.single.num_co_players(proposal.task)
        if len(proposal.co_players) > most:
            raise InvalidOptionError(
                f"a proposal has the co-players {', '.join(proposal.co_players)}, expected at most {most}: "
                f"the task of {self.environment_id} has no more players besides the first"
            )
        return tuple(self.co_players(name) or self._frozen_players.get(name, name) for name in proposal.co_players)

    def _note(self, ended: np.ndarray, successes: np.ndarray) -> None:
        seats = np.arange(self.num_rows, dtype=np.int16) % self.env.rows_per_task
        columns = (self._levels, self.player, self.train, self._returns, successes, self._lengths, seats)
        self._finished.append(EpisodeColumns(*(column[ended] for column in columns)))

    def _shown(self) -> Arrays:
        return named(self.env.observe(copy=False))


#: Arrays of the rows that a checkpoint keeps.
_KEPT = ("starts", "train", "acts", "player", "_levels", "_returns", "_lengths", "_cut_at")
#: Where an episode is not cut.
_UNCUT = np.iinfo(np.int64).max


@contextlib.contextmanager
def closed_on_error(env: Any) -> Iterator[None]:
    """What fails meanwhile closes the environment."""
    try:
        yield
    except BaseException:
        env.close()
        raise


def _co_players_to_draw(
    env: TaskVectorEnv, environment_id: str, names: Sequence[str], frozen_players: Mapping[str, Policy]
) -> tuple[str, ...]:
    """The names of those that may be drawn, checked; the environment's where there are none.

    Raises:
        InvalidOptionError: The learner would have a second seat where a row is all that there is of a task; there is a
            frozen player where tasks have no other seats, or one that observes otherwise.
        UnknownNameError: The environment knows no co-player of a name.
    """
    if not names:
        return env.single.training_co_players if env.rows_per_task > 1 else ()
    for name in names:
        if name in frozen_players:
            if not env.single.training_co_players:
                raise InvalidOptionError(f"co_players has {name}, expected none: {environment_id} has no co-players")
            env.single.requested_parts({"co_players": frozen_players[name]})
        elif name != LEARNER:
            env.single.check_co_player(name)
        elif env.rows_per_task == 1:
            raise InvalidOptionError(
                f"co_players has {LEARNER}, expected others: rows of {environment_id} have no seat beside the first"
            )
    return tuple(names)


def _parts_beside_state(proposal: Proposal, env: TaskVectorEnv) -> dict[str, Any]:
    """Reset's options for a proposal that begins from a state: the state, and what its task has in another way.

    Raises:
        InvalidOptionError: It is no state of this family, or the task differs in more than reset can replace.
    """
    state, options = proposal.state, {"state": proposal.state}
    if not isinstance(state, SavedState) or state.kind != env.single.state_kind:
        kind = getattr(state, "kind", type(state).__name__)
        raise InvalidOptionError(f"a proposal's state is one of {kind}, expected one of {env.single.state_kind}")
    if proposal.task is state.task or proposal.task.fingerprint() == state.task.fingerprint():
        return options
    single = env.single
    for name in sorted(single.reset_options - single.beginning_options - {"task", "state"}):
        if hasattr(proposal.task, name):
            options[name] = getattr(proposal.task, name)
    parts = {name: value for name, value in options.items() if name != "state"}
    if not parts or dataclasses.replace(state.task, **parts).fingerprint() != proposal.task.fingerprint():
        replaceable = ", ".join(parts) or "nothing"
        raise InvalidOptionError(
            f"a proposal's task differs from its state's in more than reset can replace beside a state ({replaceable})"
        )
    return options
