"""Rewards at every step."""

import numpy as np
import torch

from tests.baselines.parts.off_policy.beginners import dense_dqn


def solving(collector):
    """Let every row but the first play solutions, so that tasks are solved among those that are cut off."""
    rows, rng = collector.rows, np.random.default_rng(0)
    plans = [[]] * rows.num_rows

    def act(observations, memory):
        for row in np.flatnonzero(rows.starts):
            solution = rows.env.task_space.solve(rows.env.tasks[row]) if row else None
            plans[row] = [] if solution is None else list(solution)
        chosen = [plan.pop(0) if plan else int(rng.integers(9)) for plan in plans]
        return torch.as_tensor(chosen), {"values": memory.sum(dim=1)}, memory

    collector.learner.act = act
    return collector


def test_every_step_is_rewarded_by_how_much_nearer_it_came():
    collector = solving(dense_dqn())
    goals, successes, totals = collector.rows.env, [], np.zeros(collector.rows.num_rows)
    for _ in range(3):
        rollout = collector.collect()
        rewards = collector.learner.rewarded(rollout).rewards
        assert rewards.dtype == np.float32
        following = rollout.following("achieved_goal")
        for t, row in np.ndindex(*rewards.shape):
            goal, achieved = (rollout.observations[name][t, row] for name in ("desired_goal", "achieved_goal"))
            before, after = float((goal != achieved).sum()), np.abs(goal.numpy() - following[t, row]).sum()
            assert rewards[t, row] == before - after + rollout.terminations[t, row]
            totals[row] = rewards[t, row] + (-before if rollout.starts[t, row] else totals[row])
            if rollout.ends[t, row]:
                assert totals[row] == float(after == 0) - after
                successes.append(after == 0)
    assert 0 < sum(successes) < len(successes)
    held = collector.learner.replay
    held.extend(collector.learner.rewarded(rollout), rollout.actions.numpy()[..., None])
    assert np.array_equal(held.rewards[:50], rewards) and goals.distance_threshold == 0
