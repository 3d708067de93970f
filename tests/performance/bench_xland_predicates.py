"""XLand's predicates: the kernel beside the plain Python reference, in one run and on one thread. No time is asserted.

The table's steps are states: all 212 atoms of two players with twelve objects, in worlds of arbitrary tiles (spread and
crowded) or generated ones.
"""

import numpy as np
import pytest

from procgen_bench.tasks.xland.games.generation import sample_game
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from procgen_bench.tasks.xland.predicates.states import States
from tests.performance.stepping import ROUNDS, in_processor_seconds, time_steps
from tests.tasks.xland.predicates.makers import LAYOUTS, arranged_states
from tests.tasks.xland.predicates.reference_predicates import reference_atoms

STATES, PEER_STATES = 1_000, 10


def states_of(count: int, layout: str) -> States:
    """The same in every run, each in its own world."""
    return arranged_states(np.random.default_rng(0), count, 2, layout)


@in_processor_seconds
@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_atoms(benchmark, layout):
    states = states_of(STATES, layout)
    out = evaluate_atoms(states)
    time_steps(benchmark, f"all atoms, {layout}", "ours", STATES, lambda: evaluate_atoms(states, out))


@in_processor_seconds
def test_atoms_of_goals(benchmark):
    """Six atoms a game, as the evaluation's games use at most."""
    rng = np.random.default_rng(1)
    states = states_of(STATES, "generated")
    wanted = np.zeros((STATES, 2, 212), bool)
    for s in range(STATES):
        wanted[s, :, rng.choice(212, 6, replace=False)] = True
    out = evaluate_atoms(states, wanted=wanted)
    time_steps(benchmark, "six atoms, generated", "ours", STATES, lambda: evaluate_atoms(states, out, wanted))


@in_processor_seconds
def test_rewards(benchmark):
    """Three options of one to three atoms for either player, another game in every state."""
    rng = np.random.default_rng(2)
    goals = compile_goals([sample_game(rng, 3, 3) for _ in range(STATES)])
    truths, out = rng.random((STATES, 2, 212)) < 0.5, np.empty((STATES, 2))
    rewards(truths, goals, out)
    # Its own line of pytest-benchmark's table, per 1,000 states: the peer does not reward.
    benchmark.pedantic(rewards, args=(truths, goals, out), rounds=ROUNDS, warmup_rounds=2)


@in_processor_seconds
@pytest.mark.parametrize("layout", LAYOUTS)
def test_plain_python(benchmark, layout):
    states = states_of(PEER_STATES, layout)
    assert np.array_equal(reference_atoms(states), evaluate_atoms(states))  # faithful
    time_steps(benchmark, f"plain Python, {layout}", "peer", PEER_STATES, lambda: reference_atoms(states))
