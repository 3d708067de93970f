"""Chains of random calls that an arm carries out, recorded step by step: a data set that is named by its content."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, play_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import described_atomic
from procgen_bench.baselines.policies.arrays import Arrays, content_address
from procgen_bench.baselines.policies.folders import regular_file
from procgen_bench.core.atomic import write_text, write_weights
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS, Program

#: The most calls of a chain: all chains are played side by side to their ends.
MOST_CALLS = 100
_DESCRIPTION, _ARRAYS = "chains.json", "arrays.safetensors"
_MAX_DESCRIPTION_BYTES, _MAX_ARRAYS_BYTES = 64 * 1024, 4 * 1024**3


class InvalidChainsError(ProcgenBenchError):
    """A data set of chains that cannot be read, or is not what its address says."""


@dataclass(frozen=True)
class ChainSettings:
    """What is played.

    Attributes:
        chains: How many.
        calls: Calls of a chain at most, 1 to ``MOST_CALLS``.
        seed: Draws starts, and of each chain the programs in its states.

    Raises:
        InvalidOptionError: ``calls`` is out of its range.
    """

    chains: int = 100
    calls: int = 10
    seed: int = 0

    def __post_init__(self):
        if not 1 <= self.calls <= MOST_CALLS:
            raise InvalidOptionError(f"random is {self.calls}, expected 1 to {MOST_CALLS} calls of a chain")


@dataclass(frozen=True)
class RecordedChains:
    """The calls of chains, those of a place in their chains together, the first ones first.

    Attributes:
        about: Plain values: the ``atomic`` policy, and the settings ``chains``, ``calls`` and ``seed``.
        chain: int64 (n,), of which chain each call is.
        programs: int64 (n,), which of the paper's programs.
        goals: float64 (n, 12), where it puts the blocks, metres.
        states: float32 (n, 51, 70), before the first step and after each.
        actions: float32 (n, 50, 4).
        kept: bool (n,), whether the call's post-condition held at its end; a chain goes on only then.
    """

    about: dict[str, Any]
    chain: np.ndarray
    programs: np.ndarray
    goals: np.ndarray
    states: np.ndarray
    actions: np.ndarray
    kept: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """int64 (chains,), how many calls of each chain were kept before the first that was not."""
        return np.bincount(self.chain[self.kept], minlength=self.about["chains"])

    @property
    def address(self) -> str:
        """SHA-256 (hexadecimal) of all of it."""
        return content_address(json.dumps(self.about, sort_keys=True), self._arrays())

    def write(self, folder: Path) -> Path:
        """Write it to a folder in ``folder`` whose name is its address; returns that."""
        path = folder / f"chains-{self.address}"
        path.mkdir(parents=True, exist_ok=True)
        write_weights(path / _ARRAYS, self._arrays())
        write_text(path / _DESCRIPTION, json.dumps(self.about, indent=2, sort_keys=True) + "\n")
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """The data set of a folder that :meth:`write` has written.

        Raises:
            InvalidChainsError: A file is missing or is not what its name says, the content is not what the address
                says, or a chain is longer than its horizon.
        """
        try:
            about = json.loads(regular_file(path / _DESCRIPTION, _MAX_DESCRIPTION_BYTES).read_text("utf-8"))
            found = cls(about, **load_file(regular_file(path / _ARRAYS, _MAX_ARRAYS_BYTES)))
            address, calls = found.address, int(about["calls"])
        except (OSError, ValueError, KeyError, TypeError, SafetensorError, ProcgenBenchError) as error:
            raise InvalidChainsError(f"{path} is no data set of chains: {' '.join(str(error).split())}") from None
        longest = int(np.bincount(found.chain).max(initial=0))
        if longest > calls:
            raise InvalidChainsError(f"{path} has a chain of {longest} calls, expected at most its horizon, {calls}")
        if path.name != f"chains-{address}":
            raise InvalidChainsError(f"{path} holds chains-{address}, expected what its name says; fetch it again")
        return found

    def _arrays(self) -> Arrays:
        names = ("chain", "programs", "goals", "states", "actions", "kept")
        return {name: getattr(self, name) for name in names}


class _Watched(AtomicPolicy):
    """Another policy, whose states and actions are noted."""

    def __init__(self, inner: AtomicPolicy):
        self._inner = inner
        self.states: list[np.ndarray] = []
        self.actions: list[np.ndarray] = []

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`.AtomicPolicy`."""
        self._inner.begin(row, program, goal)

    def act(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`.AtomicPolicy`."""
        self.states.append(np.array(states, np.float32))
        self.actions.append(np.array(self._inner.act(rows, states), np.float32))
        return self.actions[-1]


def record_chains(atomic: AtomicPolicy, settings: ChainSettings) -> RecordedChains:
    """Let an arm carry out chains of random calls, side by side, each to its first call that is not kept.

    Each call is drawn uniformly from the paper's atomic programs that can be called where the one before has ended, and
    have something to do there. A chain that has none left ends, too.
    """
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    rngs = [np.random.default_rng(seed_from_parts("calls in a row", settings.seed, n)) for n in range(settings.chains)]
    simulations = [FetchBlocksSimulation(PROGRAMS.num_blocks) for _ in rngs]
    for simulation, rng in zip(simulations, rngs):
        simulation.begin(draw_start(rng, PROGRAMS.num_blocks, randomness=1.0))
    going, calls = [*range(settings.chains)], list[tuple]()
    with Progress(total=settings.calls, unit="call", desc="calls in a row", delay=2) as bar:
        for _ in range(settings.calls):
            drawn = {row: _drawn_call(simulations[row].state, rngs[row]) for row in going}
            called = {row: program for row, program in drawn.items() if program is not None}
            if not called:
                break
            rows, programs = [*called], [*called.values()]
            watched, playing = _Watched(atomic), [simulations[row] for row in rows]
            goals = play_calls(playing, watched, programs, rows)
            ended = [simulation.state.copy() for simulation in playing]
            kept = [bool(one.postcondition(state, goal)) for one, state, goal in zip(programs, ended, goals)]
            states = np.stack([*watched.states, np.array(ended, np.float32)], axis=1)
            calls.append((rows, [one.number for one in programs], goals, states, np.stack(watched.actions, 1), kept))
            going = [row for row, is_kept in zip(rows, kept) if is_kept]
            bar.update(1)
    about = {"atomic": described_atomic(atomic), "chains": settings.chains, "calls": settings.calls}
    return RecordedChains(about | {"seed": settings.seed}, *_joined(calls))


def _joined(calls: Sequence[tuple]) -> list[np.ndarray]:
    """The attributes of :class:`RecordedChains`, of calls that were made place by place; there may be none."""
    state, action = (0, ATOMIC_STEPS + 1, PROGRAMS.state_size), (0, ATOMIC_STEPS, 4)
    none = [np.zeros(shape) for shape in ((0,), (0,), (0, PROGRAMS.goal_size), state, action, (0,))]
    kinds = (np.int64, np.int64, np.float64, np.float32, np.float32, np.bool_)
    columns = zip(*calls) if calls else ((empty,) for empty in none)
    return [np.concatenate([np.asarray(part) for part in column]).astype(kind) for column, kind in zip(columns, kinds)]


def _drawn_call(state: np.ndarray, rng: np.random.Generator) -> Program | None:
    """An atomic program that can be called in a state and has something to do there; ``None``: there is none."""
    programs = [
        program
        for program in PROGRAMS.values()
        if program.is_atomic and program.precondition(state) and not program.postcondition(state, program.goal(state))
    ]
    return programs[rng.integers(len(programs))] if programs else None
