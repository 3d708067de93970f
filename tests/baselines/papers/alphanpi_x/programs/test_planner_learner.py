"""What the planner learns from: all programs alike, and of each as many successes as failures."""

import numpy as np
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs.planner_learner import PlannerLearner, PlannerSettings
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Searched
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY, fresh_network

RULES_ACTIONS = len(LIBRARY) + 1


def search_of(program: int, succeeded: bool, value: float) -> Searched:
    """One that made a single decision, for the first action."""
    policies = np.zeros((1, RULES_ACTIONS), np.float32)
    policies[0, 0] = 1
    nothing = np.zeros(0)
    states = np.zeros((1, LIBRARY.state_size))
    return Searched(program, states, policies, nothing, nothing, succeeded, value)


def learner() -> PlannerLearner:
    settings = PlannerSettings(1e-2, 64, buffer_size=20)
    return PlannerLearner(fresh_network(), settings, np.random.default_rng(0))


def value_of(program: int, learned: PlannerLearner) -> float:
    states = torch.zeros(1, LIBRARY.state_size, dtype=torch.float64)
    memory = torch.zeros(1, learned.network.memory_width)
    with torch.inference_mode():
        return learned.network(states, torch.tensor([program]), memory)[1].item()


def test_a_program_that_nearly_always_fails_is_not_drowned_by_its_failures_nor_by_others():
    """Half of what is learned of it are the few successes, so that what leads to them is worth more than -1."""
    learned = learner()
    learned.keep([search_of(7, False, -1.0)] * 10 + [search_of(7, True, 0.9)])
    learned.keep([search_of(8, True, 0.9)] * 10)
    for _ in range(150):
        measures = learned.update()
    assert abs(value_of(7, learned) + 0.05) < 0.25, "between -1 and 0.9"
    assert value_of(8, learned) > 0.7
    assert measures["policy_loss"] < 0.1


def test_rare_failures_are_not_learned_by_heart():
    learned = learner()
    learned.keep([search_of(7, True, 0.9)] * 19 + [search_of(7, False, -1.0)])
    for _ in range(150):
        learned.update()
    assert value_of(7, learned) > 0.6


def test_what_is_kept_is_restored():
    learned, other = learner(), learner()
    learned.keep([search_of(7, False, -1.0), search_of(8, True, 0.9), search_of(7, True, 0.5)])
    learned.update()
    other.restore(*learned.state())
    assert learned.update() == other.update()
    arrays, others = learned.state()[0], other.state()[0]
    assert all(np.array_equal(array, others[name]) for name, array in arrays.items())
