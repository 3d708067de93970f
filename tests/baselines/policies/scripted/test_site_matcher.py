import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.scripted.site_matcher import SiteMatcherPolicy
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.tasks.sites import HORIZON, SiteTaskSpace

SPACE = SiteTaskSpace()


def success(suite: str, every: int) -> float:
    """The share of a suite's tasks, one in so many, that comparing words solves."""
    tasks = [task for name, task in zip(SPACE.suite(suite).task_names, SPACE.suite(suite)) if "enter" not in name]
    tasks = tasks[::every]
    options = {"num_envs": len(tasks), "vectorization_mode": "vector_entry_point"}
    envs, policy = gymnasium.make_vec("GMiniWoB-v0", **options), SiteMatcherPolicy("GMiniWoB-v0")
    observations, _ = envs.reset(seed=0, options={"task": tasks})
    solved, over = np.zeros((2, len(tasks)), np.bool_)
    for _ in range(HORIZON):
        observations, _, terminations, _, infos = envs.step(policy.act(observations, over))
        solved |= infos["success"] & ~over
        over |= terminations
    return solved.mean()


def test_comparing_words_is_enough_on_published_pages_and_is_not_on_varied_ones():
    assert success("test", 20) == 1
    assert success("varied", 4) < 0.2


def test_words_in_common_are_worth_little_where_the_key_is_another_word():
    assert success("invented", 6) < 0.2


def test_other_environments_are_refused():
    with pytest.raises(InvalidPolicyError, match="plays 'GMiniWoB-v0' only, not 'GridWorld-v0'"):
        SiteMatcherPolicy("GridWorld-v0")
