"""Interpreter: plays programs that call others, by the network alone, by one plan, or by planning after every call."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CallRules
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.search import ProgramModel, Search, SearchSettings, evaluated
from procgen_bench.core.errors import InvalidOptionError

#: The network alone along the real states; a whole plan in imagination, then blindly; planning from the real state
#: after every atomic call (AlphaNPI-X, section 4.2).
MODES = (NO_PLAN, PLAN, REPLAN) = ("no-plan", "plan", "replan")
#: In the place of an atomic program: the program has ended.
ENDED = -1


class TraceLine(NamedTuple):
    """One line of an execution trace.

    Attributes:
        depth: Programs that are under way above it; 0 for the one that was begun.
        name: The program that is called, or ``"Stop"``.
        is_atomic: Whether it is an atomic program.
    """

    depth: int
    name: str
    is_atomic: bool


@dataclass
class _Frame:
    """A program under way: its number, and the network's memory before its next decision."""

    program: int
    memory: np.ndarray


@dataclass
class _Row:
    """What is under way in a row: the stack of programs, the plan's calls still to come, decisions since the last
    atomic call, and the trace."""

    stack: list[_Frame]
    plan: list[int] | None = None
    idle: int = 0
    trace: list[TraceLine] = field(default_factory=list)


class Interpreter:
    """Says, row by row, which atomic program to call next.

    Args:
        rules: The programs.
        network: The trained core network.
        model: What plans are imagined by; the network alone needs none.
        mode: One of ``MODES``.
        settings: Of the searches; they exploit, whatever it says.
        rows: Searches at a time.

    Raises:
        InvalidOptionError: There is no such mode.
    """

    def __init__(
        self,
        rules: CallRules,
        network: CoreNetwork,
        model: ProgramModel,
        mode: str,
        settings: SearchSettings,
        rows: int = 64,
    ):
        if mode not in MODES:
            raise InvalidOptionError(f"mode is {mode!r}, expected one of {', '.join(MODES)}")
        self._rules, self._network, self._mode = rules, network, mode
        decisions = 1 if mode == REPLAN else None
        self._search = Search(rules, network, model, replace(settings, explores=False, decisions=decisions), rows)
        self._no_memory = np.zeros(network.memory_width, np.float32)
        self._under_way: dict[int, _Row] = {}

    def begin(self, row: int, program: int) -> None:
        """A program that calls others begins in a row."""
        self._under_way[row] = _Row([_Frame(program, self._no_memory)])
        self._trace(row, program)

    def trace(self, row: int) -> list[TraceLine]:
        """What the row's program has called so far."""
        return self._under_way[row].trace

    def next_calls(self, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
        """The atomic programs to be called next: int64 (n,), ``ENDED`` where the program has ended.

        Args:
            rows: int64 (n,), rows that have begun, and whose last call is over.
            states: float64 (n, 15 N + 10), where they are.
        """
        if self._mode == PLAN:
            return self._planned(rows, states)
        calls = np.full(len(rows), ENDED)
        for row in rows.tolist():
            self._under_way[row].idle = 0
        left = np.arange(len(rows))
        while True:
            for place in left.tolist():
                self._leave_exhausted(int(rows[place]))
            left = np.array([place for place in left.tolist() if self._under_way[int(rows[place])].stack], np.int64)
            if not len(left):
                return calls
            actions, memories = self._decided(rows[left], states[left])
            going_on = []
            for place, action, memory in zip(left.tolist(), actions.tolist(), memories):
                if self._take(int(rows[place]), action, memory):
                    calls[place] = action
                else:
                    going_on.append(place)
            left = np.array(going_on, np.int64)

    def _leave_exhausted(self, row: int) -> None:
        """End programs that have made all their decisions without an atomic call: they would go round for ever."""
        under_way = self._under_way[row]
        if under_way.idle > self._rules.depth_limits.max():
            under_way.stack.clear()

    def _decided(self, rows: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the innermost program of each row does: actions int64 (n,), and the network's memories after that."""
        frames = [self._under_way[row].stack[-1] for row in rows.tolist()]
        programs, memories = np.array([one.program for one in frames]), np.stack([one.memory for one in frames])
        if self._mode == REPLAN:
            searched = self._search.run(programs, states, memories=memories)
            return np.array([one.trace[0] for one in searched]), np.stack([one.memory for one in searched])
        logits, _, after = evaluated(self._network, np.ascontiguousarray(states), programs, memories)
        startable = np.ones_like(logits, np.bool_)
        startable[:, :-1] = self._rules.library.preconditions(states)
        logits = np.where(self._rules.callable[programs] & startable, logits, -np.inf)
        return logits.argmax(axis=1), after

    def _take(self, row: int, action: int, memory: np.ndarray) -> bool:
        """Do what was decided in a row; whether that is an atomic call."""
        under_way = self._under_way[row]
        frame = under_way.stack[-1]
        frame.memory = memory
        under_way.idle += 1
        self._trace(row, action)
        if action == self._rules.stop:
            under_way.stack.pop()
        elif self._rules.levels[action] > 0:
            under_way.stack.append(_Frame(action, self._no_memory))
        return bool(self._rules.levels[action] == 0)

    def _planned(self, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
        """The next call of each row's plan, which is made when it is first asked for."""
        fresh = [place for place, row in enumerate(rows.tolist()) if self._under_way[row].plan is None]
        if fresh:
            programs = np.array([self._under_way[int(rows[place])].stack[0].program for place in fresh])
            for place, found in zip(fresh, self._search.run(programs, states[fresh])):
                self._under_way[int(rows[place])].plan = found.trace.tolist()
        return np.array([self._next_of_plan(row) for row in rows.tolist()])

    def _next_of_plan(self, row: int) -> int:
        under_way = self._under_way[row]
        assert under_way.plan is not None  # made before
        while under_way.plan:
            action = under_way.plan.pop(0)
            if self._take(row, action, self._no_memory):
                return action
        under_way.stack.clear()
        return ENDED

    def _trace(self, row: int, action: int) -> None:
        under_way, rules = self._under_way[row], self._rules
        depth = len(under_way.stack) if under_way.trace else 0
        under_way.trace.append(TraceLine(depth, rules.names[action], bool(rules.levels[action] == 0)))
