"""Rewards at every step."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.dqn_dense.rewards import DenseTaskVecEnv
from procgen_bench.registration import environment_type

ROWS, STEPS = 3, 160


@pytest.mark.parametrize("environment_id", ["BitGrid-v0", "SparsePointMaze-v0"])
def test_every_step_is_rewarded_by_how_much_nearer_it_came(environment_id):
    """Rows play solutions with detours, in single environments too; ends and successes are among the steps."""
    env, space = DenseTaskVecEnv(environment_id, ROWS), environment_type(environment_id).task_space
    env.seed(0)
    env.reset()
    single = gymnasium.make(environment_id)
    plans = [[] for _ in range(ROWS)]
    totals, successes, ends = np.zeros(ROWS), 0, 0

    def begin(row):
        task = env.rows.simulation.task(row)
        observation, _ = single.reset(options={"task": task})
        solution = list(space.solve(task))
        plans[row] = solution if row else [env.action_space.sample() for _ in range(50)]
        return float(single.unwrapped.distance(observation["achieved_goal"], observation["desired_goal"]))

    distances = [begin(row) for row in range(ROWS)]
    starts = list(distances)
    for _ in range(STEPS):
        actions = np.array([plan.pop(0) if plan else env.action_space.sample() for plan in plans])
        observations, rewards, ended, infos = env.step(actions)
        for row in range(ROWS):
            seen = infos[row].get("terminal_observation") or {name: array[row] for name, array in observations.items()}
            now = float(env.rows.distance(seen["achieved_goal"], seen["desired_goal"]))
            success = bool(ended[row] and infos[row]["is_success"])
            assert rewards[row] == pytest.approx(distances[row] - now + success, abs=1e-5)
            totals[row] += rewards[row]
            distances[row] = now
            if ended[row]:
                assert totals[row] == pytest.approx(starts[row] - now + success, abs=1e-4)
                assert infos[row]["episode"]["r"] == float(success)
                successes, ends, totals[row] = successes + success, ends + 1, 0.0
                starts[row] = distances[row] = begin(row)
    assert 0 < successes < ends
