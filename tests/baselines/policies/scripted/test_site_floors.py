"""Policies that read no label fill in what stands in its published order, and nothing that is varied or invented."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.errors import InvalidPolicyError
from tests.envs.web.figures import successes

FLOORS = ("site-in-order", "site-lists", "site-usual-order", "site-trier")


@pytest.mark.parametrize("name", [*FLOORS, "site-trier+rewards"])
@pytest.mark.parametrize("suite", ["varied", pytest.param("invented", marks=pytest.mark.slow)])
def test_whoever_reads_no_label_solves_next_to_nothing(suite, name):
    """Every third task; the whole suites are in docs/web_sites.md."""
    assert successes(name, suite, every=3).mean() <= 0.1


@pytest.mark.parametrize(
    ("name", "suite", "least"),
    [
        ("site-usual-order", "test", 0.9),
        ("site-usual-order", "ordered", 0.4),
        ("site-trier+rewards", "test", 0.8),
        ("site-lists", "test", 0.15),
        ("site-in-order", "test", 0.15),
    ],
)
def test_they_are_worth_something_where_the_order_tells(name, suite, least):
    assert successes(name, suite, every=10).mean() >= least


def test_rewards_are_all_that_a_trier_goes_by():
    assert successes("site-trier", "test", every=10).mean() < 0.3


@pytest.mark.parametrize("name", FLOORS)
def test_plans_are_each_row_s_own(name):
    """A row that restarts fills in its site as it would alone."""
    played = []
    for num_rows in (1, 3):
        env = gymnasium.make_vec("GMiniWoB-v0", num_envs=num_rows, vectorization_mode="vector_entry_point")
        policy, starts, actions = load_policy(name, "GMiniWoB-v0"), np.ones(num_rows, np.bool_), []
        observations, _ = env.reset(
            seed=3, options={"task": ["varied/login-4-1", "test/flight-3-1", "test/login-2-0"][:num_rows]}
        )
        for _ in range(6):
            chosen = policy.act(observations, starts)
            actions.append(chosen[0].tolist())
            observations, _, starts, _, _ = env.step(chosen)
        env.close()
        played.append(actions)
    assert played[0] == played[1]


@pytest.mark.parametrize("name", FLOORS)
def test_other_environments_are_refused(name):
    with pytest.raises(
        InvalidPolicyError, match=f"{name} plays 'GMiniWoB-v0' and 'GMiniWoBLiteral-v0' only, not 'GridWorld-v0'"
    ):
        load_policy(name, "GridWorld-v0")
