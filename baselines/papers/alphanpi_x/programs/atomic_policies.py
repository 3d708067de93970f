"""AtomicPolicy: who plays calls of atomic programs, many side by side; the scripted expert and stage 1's policy do."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.policies.folders import POLICY_FOLDER, PolicyFolder
from procgen_bench.core.errors import InvalidPolicyError, InvalidTaskError, UnsolvedTaskError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.tasks.programs import ATOMIC_STEPS, Program
from procgen_bench.tasks.programs.states import goals_with_block_first, with_block_first

if TYPE_CHECKING:
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

_METHOD = "npi-goals"
#: The arm that programs call: the package's policy of FetchBlocks-v0, trained further to let go of placed blocks.
#: That policy does better at goals outside programs.
_LETTING_GO = Path(__file__).parent / "data" / "letting_go"
#: The action of an arm that stays where it is.
_REST = np.zeros(4, np.float32)


class AtomicPolicy(ABC):
    """Plays one call of an atomic program in each row, from states in the canonical order, block 0 first.

    A call lasts ``ATOMIC_STEPS`` actions, which its caller counts.
    """

    @abstractmethod
    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """A call begins in ``row``, in place of the one before.

        Args:
            row: Any number of at least 0.
            program: An atomic one.
            goal: (3 N,), what the program set where it begins (:meth:`.Program.goal`).

        Raises:
            InvalidTaskError: The program is not atomic.
            InvalidPolicyError: It is for another number of blocks than the policy.
        """

    @abstractmethod
    def act(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> np.ndarray:
        """The next actions float32 (n, 4) of rows that have begun, in [-1, 1], from their states (n, 15 N + 10)."""


class ScriptedAtomicPolicy(AtomicPolicy):
    """The scripted expert, which looks at nothing but states, either.

    The arm rests in a call whose goal is not over the table: a plan that is followed blindly may have such calls.
    """

    def __init__(self):
        self._calls: dict[int, Expert | None] = {}

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`AtomicPolicy`."""
        _check_atomic(program)
        try:
            self._calls[row] = Expert(program, goal)
        except UnsolvedTaskError:
            self._calls[row] = None

    def act(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`AtomicPolicy`."""
        experts = [self._calls[row] for row in rows]
        return np.array(
            [_REST if expert is None else expert.act(state) for expert, state in zip(experts, states, strict=True)],
            np.float32,
        )


class LearnedAtomicPolicy(AtomicPolicy):
    """Stage 1's policy. With the relative view it plays programs for any number of blocks.

    Args:
        policy: As it was trained.

    Attributes:
        policy: The same.
    """

    def __init__(self, policy: BlockPolicy):
        self.policy = policy
        #: By row the block to act on, and the goal (3 N,) with this block first.
        self._calls: dict[int, tuple[int, np.ndarray]] = {}

    @classmethod
    def from_folder(cls, path: str | PathLike) -> "LearnedAtomicPolicy":
        """The policy of a folder that ``procgen-bench train npi-goals`` has written: the run's, or the policy's in it.

        Raises:
            InvalidPolicyError: The folder cannot be read, or holds a policy of another method.
        """
        path = Path(path)
        inside = path / POLICY_FOLDER
        folder = PolicyFolder.read(inside if inside.is_dir() else path)
        if folder.method != _METHOD:
            raise InvalidPolicyError(f"{path} holds a policy of {folder.method!r}, expected one of {_METHOD!r}")
        return cls(BlockPolicy.from_folder(folder))

    @classmethod
    def shipped(cls) -> "LearnedAtomicPolicy":
        """The package's own, for any number of blocks; it lets go of a block in its place."""
        return cls(BlockPolicy.from_folder(PolicyFolder.read(_LETTING_GO)))

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`AtomicPolicy`."""
        _check_atomic(program)
        self.policy.check_num_blocks(program.library.num_blocks)
        block = program.blocks[0]
        self._calls[row] = block, goals_with_block_first(np.asarray(goal, np.float32), block)

    @torch.inference_mode()
    def act(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`AtomicPolicy`."""
        calls = [self._calls[row] for row in rows]
        seen = [with_block_first(state, block) for (block, _), state in zip(calls, states, strict=True)]
        shown = {"observation": np.array(seen, np.float32), "desired_goal": np.array([goal for _, goal in calls])}
        return self.policy.network({name: torch.as_tensor(array) for name, array in shown.items()}).numpy()


class FailingAtomicPolicy(AtomicPolicy):
    """One some of whose calls fail: the arm stays where it is for the whole call.

    Args:
        inner: Carries out the other calls.
        failing: Probability that a call fails, independently of all others.
        seed: Decides which: a row's first call, its second, ..., whatever happens in other rows.

    Attributes:
        inner, failing: As they were given.
    """

    def __init__(self, inner: AtomicPolicy, failing: float, seed: int):
        self.inner, self.failing, self._seed = inner, failing, seed
        self._calls: dict[int, int] = {}
        self._fails: dict[int, bool] = {}

    def begin(self, row: int, program: Program, goal: np.ndarray) -> None:
        """See :class:`AtomicPolicy`."""
        number = self._calls[row] = self._calls.get(row, -1) + 1
        rng = np.random.default_rng(seed_from_parts("failing call", self._seed, row, number))
        self._fails[row] = bool(rng.random() < self.failing)
        self.inner.begin(row, program, goal)

    def act(self, rows: Sequence[int] | np.ndarray, states: np.ndarray) -> np.ndarray:
        """See :class:`AtomicPolicy`."""
        actions = self.inner.act(rows, states)
        actions[[self._fails[row] for row in np.asarray(rows).tolist()]] = 0.0
        return actions


def play_calls(
    simulations: Sequence["FetchBlocksSimulation"],
    atomic: AtomicPolicy,
    programs: Sequence[Program],
    rows: Sequence[int],
) -> np.ndarray:
    """Carry out one call in each simulation; returns the goals float64 (n, 3 N) that the programs set.

    Args:
        simulations: In which to play, at least one.
        atomic: Carries out the calls.
        programs: What is called in each.
        rows: By what numbers ``atomic`` knows them.
    """
    goals = np.stack([program.goal(simulation.state) for simulation, program in zip(simulations, programs)])
    for row, program, goal in zip(rows, programs, goals, strict=True):
        atomic.begin(row, program, goal)
    for _ in range(ATOMIC_STEPS):
        actions = atomic.act(rows, np.stack([simulation.state for simulation in simulations]))
        for simulation, action in zip(simulations, actions, strict=True):
            simulation.step(action)
    return goals


def _check_atomic(program: Program) -> None:
    if not program.is_atomic:
        raise InvalidTaskError("program", program.name, "an atomic one")
