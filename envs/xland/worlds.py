"""WorldRows: many worlds side by side in one process, every player of each a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector.utils import batch_space

from procgen_bench.core.errors import ClosedEnvironmentError
from procgen_bench.engine.row_thread_pool import RowThreadPool, first_failure
from procgen_bench.engine.saved_state import SavedState, copied_generator, generator_of, generator_text
from procgen_bench.engine.simulation import ObservedRows
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.arena import Arena
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.companies import Companies, Company
from procgen_bench.envs.xland.frames import draw_frame
from procgen_bench.envs.xland.observations import GOAL_ATOMS, NO_ACTIONS, shown_arrays
from procgen_bench.envs.xland.participants import (
    Participant,
    SavedParticipant,
    load_participants,
    save_participants,
)
from procgen_bench.envs.xland.rows import PlayerRows, step_rows, write_rows
from procgen_bench.envs.xland.simulation import DIVERGED
from procgen_bench.envs.xland.stepping import WORLD
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.entities import MAX_PLAYERS

_SEEDS = 2**63
#: Of several threads, each takes about so many shares of the worlds in a step: who is done early takes one more.
_SHARES = 4


@dataclass
class _Opening:
    """A world's next episode, before it takes the place of the last one.

    Attributes:
        arena: Where it is played; one that is under way still plays its own.
        rng: The world's random generator from then on.
        task: The task.
        state: The state that it goes on from; ``None``: it begins.
        seats: Who plays the players other than the first; ``None``: their rows.
    """

    arena: Arena
    rng: np.random.Generator
    task: XLandTask
    state: SavedState[XLandTask] | None
    seats: list[Any]


class WorldRows(ObservedRows):
    """N worlds of at most P players each; row ``P * world + player`` is a player's.

    Rows of players that a world has not are zeros throughout, and end with their world.

    Attributes:
        num_rows: N * P.
        rewards, terminations, truncations, successes, elapsed, observations: As
            :class:`~procgen_bench.engine.simulation.NativeSimulation` has them.
        all_rewards: float64 (N * P, 3), of the last step, the rewards of all players of the row's world; 0 for players
            that it has not.
        goal_truths: bool (N * P, 12), whether the row's ``goal_atoms`` are true.
        plays: bool (N * P,), whether the row is a player's.
        acts: bool (N * P,), whether that player does what the row's action says, rather than what a co-player chooses.

    Args:
        num_worlds: N.
        seats: P.
        num_threads: How many threads share out the worlds.
        space: Of one observation.
        observation, privileged: See :class:`~procgen_bench.envs.xland.arena.Arena`.
        max_episode_steps: Steps after which an episode is truncated; ``None``: as the simulation has it.
    """

    def __init__(
        self,
        num_worlds: int,
        seats: int,
        num_threads: int,
        space: spaces.Dict,
        observation: str,
        privileged: bool,
        max_episode_steps: int | None,
    ):
        self.num_worlds, self.seats, self.num_rows = num_worlds, seats, num_worlds * seats
        self.max_episode_steps = np.inf if max_episode_steps is None else max_episode_steps
        self._observing = observation, privileged
        self._arenas = [Arena(observation, privileged) for _ in range(num_worlds)]
        self._rngs: list[np.random.Generator | None] = [None] * num_worlds
        self._places, self._sound = np.zeros(num_worlds, WORLD), np.ones(num_worlds, np.bool_)
        self._last_actions = np.zeros((num_worlds, seats, len(ACTION_CHOICES)), np.int64)
        self._has_acted = np.zeros(num_worlds, np.bool_)
        self._participants: list[list[Participant]] = [[] for _ in range(num_worlds)]
        self._companies, self._pool, self._closed = Companies(), RowThreadPool(num_threads), False
        rows = self.num_rows
        layout = {name: batch_space(part, rows) for name, part in space.items()}
        self._shown = {name: np.zeros(part.shape or (), part.dtype) for name, part in layout.items()}
        self.observations = self._shown
        self.rewards, self.elapsed = np.zeros(rows), np.zeros(rows, np.int64)
        self.terminations, self.truncations = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
        self.successes, self.plays, self.acts = (np.zeros(rows, np.bool_) for _ in range(3))
        self.all_rewards, self.goal_truths = np.zeros((rows, MAX_PLAYERS)), np.zeros((rows, GOAL_ATOMS), np.bool_)
        self._rows = PlayerRows(
            shown_arrays(self._shown),
            self._shown["goal_atoms"],
            self.rewards,
            self.all_rewards,
            self.successes,
            self.goal_truths,
        )

    def rows_of(self, world: int) -> slice:
        """The rows of a world, those of players that it has not among them."""
        return slice(self.seats * world, self.seats * (world + 1))

    def generator(self, world: int, seed: int | None, state: SavedState | None) -> np.random.Generator:
        """The generator of a world that is to be reset; the world's own stays as it is."""
        rng = self._rngs[world]
        if seed is not None:
            return seeding.np_random(seed)[0]
        if state is not None:
            return generator_of(state.values["chance"])
        return seeding.np_random(None)[0] if rng is None else copied_generator(rng)

    def opening(
        self,
        world: int,
        rng: np.random.Generator,
        task: XLandTask,
        state: SavedState[XLandTask] | None,
        seats: list[Any],
    ) -> _Opening:
        """Get an episode of a checked task ready; nothing changes yet."""
        arena = self._arenas[world]
        if state is not None or not arena.plays(task):
            arena = Arena(*self._observing)
            if state is None:
                arena.begin(task)
            else:
                arena.go_on(task, state.values)
        return _Opening(arena, rng, task, state, seats)

    def start(self, openings: Mapping[int, _Opening]) -> None:
        """Begin, or go on with, an episode in these worlds, and write its first observation."""
        self._check_open()
        starting = np.zeros(self.num_rows, np.bool_)
        for world in openings:
            starting[self.rows_of(world)] = True
        self._companies.leave(starting)
        self._companies.join(_resumed({world: one.state for world, one in openings.items()}, self.seats))
        for world, opening in openings.items():
            self._arenas[world], self._rngs[world] = opening.arena, opening.rng
            if opening.state is None:
                opening.arena.begin(opening.task)
                self._seat(world, opening)
            else:
                self._participants[world] = load_participants(_saved_ones(opening.state), opening.arena.simulation)
            self._note_beginning(world, opening)
        self._draw(list(openings))

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance the worlds of the ``active`` rows (bool (N * P,)) by the rows' actions (N * P, 6)."""
        self._check_open()
        joint = actions.astype(np.int64)
        worlds = np.flatnonzero(active[:: self.seats]).tolist()
        self._companies.act(self._shown, active, joint)
        for world in worlds:
            for participant in self._participants[world]:
                joint[self.seats * world + participant.seat] = participant.act()
        self._last_actions[worlds], self._has_acted[worlds] = joint.reshape(self._last_actions.shape)[worlds], True
        self._advance(worlds)
        self.elapsed[active] += 1
        self.truncations[active] = self.elapsed[active] >= self.max_episode_steps
        sound = self._sound.tolist()
        for world in worlds:
            if self._arenas[world].simulation.note_step(sound[world]):
                self.truncations[self.rows_of(world)] = True
        self._draw(worlds)

    def task(self, row: int) -> XLandTask:
        """The task of a row's world."""
        return self._arenas[row // self.seats].simulation.task

    def diverged(self) -> list[int]:
        """The worlds whose episode ended because the physics diverged."""
        return np.flatnonzero(~self._sound).tolist()

    def frames(self) -> tuple[np.ndarray, ...]:
        """The rows' worlds, each with the views of all of its players: uint8 (height, width, 3)."""
        frames = [draw_frame(arena.simulation, arena.simulation.states.num_players) for arena in self._arenas]
        return tuple(frames[row // self.seats] for row in range(self.num_rows))

    def save_states(self, worlds: Sequence[int], kind: str, ended: np.ndarray) -> list[SavedState[XLandTask]]:
        """The episodes of these worlds as they are; ``ended`` (bool (N * P,)) says which are over."""
        self._check_open()
        copies: dict[int, Company] = {}
        return [self._saved(world, kind, bool(ended[self.seats * world]), copies) for world in worlds]

    def close(self) -> None:
        """End the threads; again without effect. The arrays stay."""
        self._closed = True
        self._pool.close()

    def _seat(self, world: int, opening: _Opening) -> None:
        """Let co-players take their seats."""
        taken = [(player, who) for player, who in enumerate(opening.seats, start=1) if who is not None]
        self._participants[world] = []
        for (player, who), rng in zip(taken, opening.rng.spawn(len(taken))):
            if isinstance(who, str):
                participant = new_co_player(who)
                participant.begin(opening.arena.simulation, player, rng)
                self._participants[world].append(participant)
            else:
                self._companies.sit(who, self.seats * world + player, int(rng.integers(_SEEDS)))

    def _note_beginning(self, world: int, opening: _Opening) -> None:
        rows, simulation = self.rows_of(world), opening.arena.simulation
        players = slice(rows.start, rows.start + simulation.states.num_players)
        for array in (self.rewards, self.all_rewards, self.terminations, self.truncations):
            array[rows] = 0
        shown: list[np.ndarray] = [*self._shown.values(), self.successes, self.goal_truths, self.plays]
        for array in shown:
            array[rows] = 0
        self.elapsed[rows], self.plays[players] = simulation.steps, True
        self.acts[rows] = self.plays[rows]
        self._places[world], self._sound[world] = simulation.places[0], simulation.ended != DIVERGED
        arena, observer = opening.arena, opening.arena.observer
        for row, goal in zip(range(players.start, players.stop), observer.goals):
            self._shown["goal_matrix"][row], self._shown["goal_atoms"][row] = goal
        actions = NO_ACTIONS if arena.last_actions is None else arena.last_actions
        self._has_acted[world], self._last_actions[world, : len(actions)] = len(actions) > 0, actions
        self.successes[players] = arena.successes
        write_rows(self._places, world, actions, self._observing[1], self._rows)
        for participant in self._participants[world]:
            self.acts[rows.start + participant.seat] = False
        for row in range(players.start, players.stop):
            self.acts[row] &= self._companies.of_row(row) is None

    def _advance(self, worlds: list[int]) -> None:
        """Advance worlds by ``_last_actions``, and write what came of it; threads take some of them at a time."""
        num_shares = self._pool.num_threads * (_SHARES if self._pool.num_threads > 1 else 1)
        shares = np.array_split(np.array(worlds, np.int64), min(num_shares, max(len(worlds), 1)))
        self._each(list(range(len(shares))), lambda number: self._step(shares[number]))

    def _step(self, worlds: np.ndarray) -> None:
        step_rows(self._places, worlds, self._last_actions, self._sound, self._observing[1], self._rows)

    def _draw(self, worlds: list[int]) -> None:
        """Draw what the players of these worlds see, where they observe it."""
        if "rgb" in self._shown:
            self._each(worlds, self._draw_world)

    def _draw_world(self, world: int) -> None:
        first, arena = self.seats * world, self._arenas[world]
        arena.observer.draw(self._shown["rgb"][first : first + arena.simulation.states.num_players])

    def _each(self, numbers: list[int], work) -> None:
        _, failed = self._pool.each(numbers, work)
        if failed:
            raise first_failure(failed)

    def _saved(self, world: int, kind: str, ended: bool, copies: dict[int, Company]) -> SavedState[XLandTask]:
        """A world's state; ``copies`` holds the copies of companies that are there already, by who was copied."""
        arena, rng = self._arenas[world], self._rngs[world]
        assert rng is not None  # since it has begun
        policies = []
        for row in range(*self.rows_of(world).indices(self.num_rows)):
            company = self._companies.of_row(row)
            if company is not None:
                copy = copies[id(company)] = copies.get(id(company)) or company.saved()
                policies.append((row - self.seats * world, row, copy))
        players = self.rows_of(world).start + np.arange(arena.simulation.states.num_players)
        last_actions = self._last_actions[world, : len(players)].copy() if self._has_acted[world] else None
        of_rows = {"successes": self.successes[players], "last_actions": last_actions, "chance": generator_text(rng)}
        values = arena.save() | of_rows
        seated = save_participants(self._participants[world], arena.simulation)
        if seated or policies:
            values |= {"participants": seated, "policies": tuple(policies)}
        return SavedState(kind, self.task(self.seats * world), int(self.elapsed[self.seats * world]), ended, values)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for world, arena in enumerate(self._arenas):  # simulations of a copy lie elsewhere
            if arena.has_begun:
                self._places[world] = arena.simulation.places[0]

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError


def _saved_ones(state: SavedState) -> tuple[SavedParticipant, ...]:
    return state.values.get("participants", ())


def _resumed(states: Mapping[int, SavedState | None], seats: int) -> list[Company]:
    """The companies of the states from which worlds go on; those that were saved together stay together."""
    found: dict[int, tuple[Company, dict[int, int]]] = {}
    again: list[Company] = []
    for world, state in states.items():
        for player, row, company in state.values.get("policies", ()) if state is not None else ():
            rows = found.setdefault(id(company), (company, {}))[1]
            now = seats * world + player
            if row in rows:  # one state in several worlds
                again.append(company.resumed({row: now}))
            else:
                rows[row] = now
    return [company.resumed(rows) for company, rows in found.values()] + again
