"""Search: plays programs in imagination by recursive tree search, many at a time, one network call for all."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CallRules
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.forest import TRACED, make_forest, search_limits
from procgen_bench.baselines.papers.alphanpi_x.programs.search_kernels import (
    Weights,
    advance_rows,
    expand,
    gather_for_model,
    gather_for_network,
    plant,
    take_predictions,
)
from procgen_bench.core.errors import InvalidOptionError

#: The paper's (table 5): c_puct, c_level, the discount of a success for every call, the power of the visits by which
#: choices are drawn and learned, and the share of noise in the priors of a search that explores.
PAPER_WEIGHTS = Weights(prior=0.5, level=3.0, discount=0.97, temperature=1.3, noise=0.25)
#: Concentration of that Dirichlet noise (table 5).
_NOISE_CONCENTRATION = 0.03
#: Simulations in each decision of a program that is called, and of searches that exploit (table 5).
SUB_SIMULATIONS = 5


class ProgramModel(Protocol):
    """What is imagined to come of a call of an atomic program."""

    def predict(self, states: np.ndarray, programs: np.ndarray) -> np.ndarray:
        """The states float64 (n, 15 N + 10) after the calls of atomic programs, int64 (n,), in ``states``."""


@dataclass(frozen=True)
class SearchSettings:
    """What a search is set by; the paper's are its defaults.

    Attributes:
        simulations: Simulations in each decision, at least 2.
        sub_simulations: In each decision of a program that is called, which exploits.
        explores: Whether choices are drawn and priors disturbed.
        weights: How it weighs its choices.
        decisions: After how many decisions it ends in any case; ``None``: with the program.
    """

    simulations: int = 100
    sub_simulations: int = SUB_SIMULATIONS
    explores: bool = True
    weights: Weights = PAPER_WEIGHTS
    decisions: int | None = None


@dataclass(frozen=True)
class Searched:
    """What came of one search.

    Attributes:
        program: Number of the program.
        states: float64 (T, 15 N + 10), where each of its decisions was made.
        policies: float32 (T, P + 1), the tree's policy in each.
        trace: int16 (L,), the actions in the order in which they were taken: calls, those of the programs that were
            called among them, and Stop at the end of each.
        memory: float32 (M,), the network's after the last decision.
        succeeded: Whether the program stopped with its post-condition true.
        value: The discount to the power of its calls, or of its atomic ones, where it did, else -1.
    """

    program: int
    states: np.ndarray
    policies: np.ndarray
    trace: np.ndarray
    memory: np.ndarray
    succeeded: bool
    value: float


class Search:
    """Searches under one setting, up to ``rows`` at a time.

    Args:
        rules: The programs.
        network: Guides the search.
        model: What atomic programs are imagined to do.
        settings: How is searched.
        rows: Searches at a time.

    Raises:
        InvalidOptionError: Fewer than two simulations: the first gives a decision's root its children.

    Attributes:
        evaluations: States that the network has evaluated so far.
        imagined_calls: Calls of atomic programs that have been imagined so far.
    """

    def __init__(
        self, rules: CallRules, network: CoreNetwork, model: ProgramModel, settings: SearchSettings, rows: int
    ):
        for name in ("simulations", "sub_simulations"):
            if getattr(settings, name) < 2:
                raise InvalidOptionError(f"{name} is {getattr(settings, name)}, expected at least 2")
        self.rules, self.network, self.model, self.settings = rules, network, model, settings
        self.evaluations = self.imagined_calls = 0
        self._limits = limits = search_limits(rules, settings.simulations, settings.sub_simulations)
        self._rows, self._forest = rows, make_forest(rules, limits, rows, network.memory_width)
        self._simulations = np.full(limits.frames, settings.sub_simulations, np.int32)
        self._simulations[0] = settings.simulations
        self._states = np.zeros((rows, rules.library.state_size))
        self._memories = np.zeros((rows, network.memory_width), np.float32)
        self._programs = np.zeros(rows, np.int64)
        self._no_goals = np.zeros((rows, 1, rules.library.goal_size))
        self._no_gammas = np.zeros((rows, rules.num_actions))
        self._for_network, self._for_model = np.zeros((2, rows, 2), np.int32)
        self._every = np.arange(len(rules.library))[np.newaxis]

    def run(
        self,
        programs: np.ndarray,
        states: np.ndarray,
        rng: np.random.Generator | None = None,
        memories: np.ndarray | None = None,
    ) -> list[Searched]:
        """Search for each of n programs from its state; a row whose search ends takes the next.

        Args:
            programs: int64 (n,), of programs that are not atomic.
            states: float64 (n, 15 N + 10).
            rng: Draws where the search explores.
            memories: float32 (n, M), the network's before each; ``None``: none has any yet.
        """
        if self.settings.explores and rng is None:
            raise InvalidOptionError("rng is None, expected a generator: a search that explores draws")
        memories = np.zeros((len(programs), self.network.memory_width), np.float32) if memories is None else memories
        found: list[Searched | None] = [None] * len(programs)
        searches = np.full(self._rows, -1)
        waiting = iter(range(len(programs)))
        active = np.arange(min(self._rows, len(programs)), dtype=np.int32)
        for row in active.tolist():
            self._begin(row, number := next(waiting), programs, states, memories, rng)
            searches[row] = number
        while len(active):
            count, ended = self._advance(active)
            self._evaluate(count, rng)
            going_on = self._for_network[:count, 0].copy()
            for row in ended:
                found[searches[row]] = self._searched(row, int(programs[searches[row]]))
                if (following := next(waiting, None)) is not None:
                    self._begin(row, following, programs, states, memories, rng)
                    searches[row] = following
                    going_on = np.append(going_on, np.int32(row))
            active = going_on
        return [one for one in found if one is not None]

    def _begin(self, row, number, programs, states, memories, rng) -> None:
        forest, settings = self._forest, self.settings
        plant(forest, row, programs[number], states[number], memories[number])
        forest.explores[row] = settings.explores
        forest.decisions_left[row] = settings.decisions or self._limits.decisions
        if settings.explores:
            forest.draws[row] = rng.random(self._limits.decisions)

    def _advance(self, active: np.ndarray) -> tuple[int, list[int]]:
        """Let the searches of these rows run until all wait for the network or have ended.

        Returns:
            How many are in the network's queue, and the rows that have ended.
        """
        rules, forest, count, left = self.rules, self._forest, 0, active
        arguments = rules.levels, rules.depth_limits, self._simulations, self.settings.weights
        while True:
            num_network, num_model = advance_rows(
                forest, left, len(left), *arguments, self._for_network[count:], self._for_model
            )
            count += num_network
            if not num_model:
                break
            gather_for_model(forest, self._for_model, num_model, self._states, self._programs)
            predicted = self.model.predict(self._states[:num_model], self._programs[:num_model])
            take_predictions(forest, self._for_model, num_model, predicted)
            self.imagined_calls += num_model
            left = self._for_model[:num_model, 0].copy()
        ended = np.setdiff1d(active, self._for_network[:count, 0])
        return count, ended.tolist()

    def _evaluate(self, count: int, rng: np.random.Generator | None) -> None:
        """Ask the network about the states in its queue, and expand them."""
        if not count:
            return
        rules, forest, settings = self.rules, self._forest, self.settings
        library, states, programs = rules.library, self._states[:count], self._programs[:count]
        gather_for_network(forest, self._for_network, count, self._states, self._memories, self._programs)
        logits, values, memories = evaluated(self.network, states, programs, self._memories[:count])
        startable = np.empty((count, len(library)), np.bool_)
        library.kernels.preconditions(states, self._every, library.table, startable)
        done = np.empty((count, 1), np.bool_)
        library.kernels.postconditions(states, programs[:, np.newaxis], self._no_goals[:count], library.table, done)
        gammas = self._no_gammas
        if settings.explores and rng is not None:
            gammas = rng.standard_gamma(_NOISE_CONCENTRATION, (count, rules.num_actions))
        expand(
            forest,
            self._for_network,
            count,
            logits,
            values,
            memories,
            startable,
            done[:, 0],
            rules.callable,
            gammas,
            settings.weights,
        )
        self.evaluations += count

    def _searched(self, row: int, program: int) -> Searched:
        forest, made = self._forest, int(self._forest.num_decisions[row])
        decided_in = forest.decided_in[row, :made]
        succeeded = bool(forest.succeeded[row])
        frame_trace = forest.frame_traces[row, 0, : forest.frames[row, 0, TRACED]]
        return Searched(
            program=program,
            states=forest.states[row, decided_in],
            policies=forest.labels[row, :made].copy(),
            trace=frame_trace.copy(),
            memory=forest.memories[row, decided_in[-1]].copy(),
            succeeded=succeeded,
            value=float(self.settings.weights.discount ** forest.stopped_at[row]) if succeeded else -1.0,
        )


@torch.inference_mode()
def evaluated(
    network: CoreNetwork, states: np.ndarray, programs: np.ndarray, memories: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the network says: logits float32 (n, P + 1), values (n,) and memories (n, M)."""
    logits, values, after = network(torch.from_numpy(states), torch.from_numpy(programs), torch.from_numpy(memories))
    return logits.numpy(), values.numpy(), after.numpy()
