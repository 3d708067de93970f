"""XLand's predicates: the kernel beside the plain Python reference, in one run and on one thread. No time is asserted.

The table's steps are states: all 212 atoms of two players with twelve objects, in worlds of arbitrary tiles.
"""

import numpy as np
import pytest

from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.rewards import compile_goals, rewards
from procgen_bench.tasks.xland.predicates.states import States
from tests.performance.stepping import ROUNDS, in_processor_seconds, time_steps
from tests.tasks.xland.predicates.makers import placed_states
from tests.tasks.xland.predicates.reference_predicates import reference_atoms

STATES, PEER_STATES = 1_000, 10


def states_of(count: int, crowded: bool) -> States:
    """Things all over their worlds, or crowded around a point, the same in every run."""
    return placed_states(np.random.default_rng(0), count, 2, crowded=crowded)


@in_processor_seconds
@pytest.mark.parametrize(("crowded", "how"), [(False, "spread"), (True, "crowded")])
def test_all_atoms(benchmark, crowded, how):
    states = states_of(STATES, crowded)
    out = evaluate_atoms(states)
    time_steps(benchmark, f"all atoms, {how}", "ours", STATES, lambda: evaluate_atoms(states, out))


@in_processor_seconds
def test_atoms_of_goals(benchmark):
    """Six atoms a game, as the evaluation's games use at most."""
    rng = np.random.default_rng(1)
    states = states_of(STATES, crowded=False)
    wanted = np.zeros((STATES, 2, 212), bool)
    for s in range(STATES):
        wanted[s, :, rng.choice(212, 6, replace=False)] = True
    out = evaluate_atoms(states, wanted=wanted)
    time_steps(benchmark, "six atoms, spread", "ours", STATES, lambda: evaluate_atoms(states, out, wanted))


@in_processor_seconds
def test_rewards(benchmark):
    """Three options of three atoms for either player."""
    rng = np.random.default_rng(2)
    matrices = np.zeros((STATES, 2, 3, 212), np.int8)
    for option in matrices.reshape(-1, 212):
        option[rng.choice(212, 3, replace=False)] = rng.choice([-1, 1], 3)
    goals, truths, out = compile_goals(list(matrices)), rng.random((STATES, 2, 212)) < 0.5, np.empty((STATES, 2))
    rewards(truths, goals, out)
    # Its own line of pytest-benchmark's table, per 1,000 states: the peer does not reward.
    benchmark.pedantic(rewards, args=(truths, goals, out), rounds=ROUNDS, warmup_rounds=2)


@in_processor_seconds
@pytest.mark.parametrize(("crowded", "how"), [(False, "spread"), (True, "crowded")])
def test_plain_python(benchmark, crowded, how):
    states = states_of(PEER_STATES, crowded)
    assert np.array_equal(reference_atoms(states), evaluate_atoms(states))  # faithful
    time_steps(benchmark, f"plain Python, {how}", "peer", PEER_STATES, lambda: reference_atoms(states))
