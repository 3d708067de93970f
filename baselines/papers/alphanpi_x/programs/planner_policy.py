"""PlannerPolicy: plays FetchProgram-v0 by a network that plans, or that does without."""

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import LearnedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import ENDED, MODES, NO_PLAN, REPLAN, Interpreter
from procgen_bench.baselines.papers.alphanpi_x.programs.network_policy import ProgramNetworkPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS

#: Simulations of a decision when it plays, the paper's.
SIMULATIONS = 5


class PlannerPolicy(Policy):
    """Plays by an interpreter. A program that it has stopped before the episode ends is begun again.

    Args:
        parts: Of the paper's programs for four blocks.
        plays: The interpreter's mode.
    """

    def __init__(self, parts: PlannerParts, plays: str = REPLAN):
        settings = parts.search_settings(SIMULATIONS)
        self.parts, self.plays, self._rules, self._atomic = parts, plays, parts.rules, parts.atomic
        self._interpreter = Interpreter(parts.rules, parts.network, parts.model, plays, settings)
        self._programs = [*parts.rules.library.values()]
        self._steps: dict[int, int] = {}
        self._idle: set[int] = set()

    @classmethod
    def from_folder(cls, folder: PolicyFolder) -> Policy:
        """The policy that a folder holds: of the network alone over a learned arm, one whose step can be exported.

        Raises:
            InvalidPolicyError: It is of other programs than the paper's for four blocks, its weights do not fit, or
                how it plays is not known.
        """
        parts, plays = PlannerParts.from_folder(folder, PROGRAMS), folder.configuration.get("plays", REPLAN)
        if plays not in MODES:
            raise InvalidPolicyError(f"configuration.plays is {plays!r}, expected one of {', '.join(MODES)}")
        if plays == NO_PLAN and isinstance(parts.atomic, LearnedAtomicPolicy):
            return ProgramNetworkPolicy(parts)
        return cls(parts, plays)

    @property
    def unexportable(self) -> str:
        """See :class:`Policy`."""
        if self.plays == NO_PLAN:
            return "its arm is the scripted expert, which is no function of tensors; train one over --atomic learned"
        return (
            f"it plans by a search, which is no function of tensors; train one with --plays {NO_PLAN} and "
            "--atomic learned, which plays by the network alone"
        )

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The next action of every row: float32 (N, 4)."""
        assert isinstance(observations, dict)  # as the environment shows
        states = np.asarray(observations["observation"], np.float64)
        programs = np.asarray(observations["program"]).argmax(axis=1)
        for row in np.flatnonzero(episode_starts).tolist():
            self._steps[row] = 0
            if self._rules.levels[programs[row]] > 0:
                self._interpreter.begin(row, int(programs[row]))
        calling = [row for row in range(len(states)) if self._steps[row] % ATOMIC_STEPS == 0]
        if calling:
            self._call(np.array(calling), programs, states, np.asarray(observations["goal"]))
        actions = np.zeros((len(states), 4), np.float32)
        acting = np.array([row for row in range(len(states)) if row not in self._idle], np.int64)
        if len(acting):
            actions[acting] = self._atomic.act(acting, states[acting])
        for row in range(len(states)):
            self._steps[row] += 1
        return actions

    def _call(self, rows: np.ndarray, programs: np.ndarray, states: np.ndarray, goals: np.ndarray) -> None:
        """Begin the next call in each of these rows; where nothing is called twice in a row, the arm rests."""
        is_atomic = self._rules.levels[programs[rows]] == 0
        calls = np.where(is_atomic, programs[rows], ENDED)
        for _ in range(2):
            places = np.flatnonzero(calls == ENDED)
            if not len(places):
                break
            calls[places] = self._interpreter.next_calls(rows[places], states[rows[places]])
            for row in rows[places][calls[places] == ENDED].tolist():
                self._interpreter.begin(row, int(programs[row]))
        for row, call, own in zip(rows.tolist(), calls.tolist(), is_atomic.tolist()):
            (self._idle.add if call == ENDED else self._idle.discard)(row)
            if call != ENDED:
                goal = goals[row] if own else self._programs[call].goal(states[row])
                self._atomic.begin(row, self._programs[call], goal)
