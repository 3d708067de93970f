"""Rewards at every step."""

import numpy as np
import pytest

from procgen_bench.baselines.off_policy.dense_rewards import DenseTaskVecEnv
from procgen_bench.core.registrations import environment_type

ROWS, STEPS = 3, 160


@pytest.mark.parametrize("environment_id", ["BitGrid-v0", "SparsePointMaze-v0"])
def test_every_step_is_rewarded_by_how_much_nearer_it_came(environment_id):
    """Row 0 acts at random, the others play solutions: episodes are cut off and tasks are solved among the steps."""
    env, space = DenseTaskVecEnv(environment_id, ROWS), environment_type(environment_id).task_space
    env.seed(0)
    env.action_space.seed(0)

    def plan(row):
        solution = list(space.solve(env.rows.simulation.task(row)))
        return solution if row else [env.action_space.sample() for _ in solution]

    def distances(observations):
        return env.rows.distance(observations["achieved_goal"], observations["desired_goal"])

    before = distances(env.reset())
    starts, totals = before.copy(), np.zeros(ROWS)
    plans = [plan(row) for row in range(ROWS)]
    successes = []
    for _ in range(STEPS):
        actions = np.array([one.pop(0) if one else env.action_space.sample() for one in plans])
        observations, rewards, ended, infos = env.step(actions)
        after = distances(observations)
        totals += rewards
        for row in np.flatnonzero(ended):
            final, success = distances(infos[row]["terminal_observation"]), infos[row]["is_success"]
            assert rewards[row] == pytest.approx(before[row] - final + success, abs=1e-5)
            assert totals[row] == pytest.approx(starts[row] - final + success, abs=1e-4)
            assert infos[row]["episode"]["r"] == float(success)
            starts[row], totals[row], plans[row] = after[row], 0.0, plan(row)
            successes.append(success)
        assert np.allclose(rewards[~ended], (before - after)[~ended], atol=1e-5)
        before = after
    assert 0 < sum(successes) < len(successes)
