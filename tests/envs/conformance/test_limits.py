"""Time limits: what ``max_episode_steps`` says means the same to ``make`` and to every mode of ``make_vec``."""

import gymnasium
import numpy as np
import pytest

#: A native vector environment, one over threads, one over processes, and one of several players.
IDS = ("GridWorld-v0", "FetchBlocks-v0", "TablePush-v0", "XLandSmall-v0")
MODES = ("sync", "vector_entry_point")


@pytest.mark.parametrize(
    "environment_id", [*IDS[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in IDS[2:])]
)
@pytest.mark.parametrize(("given", "limited"), [(None, True), (-1, False)])
def test_a_limit_that_is_not_given_is_the_registered_one(environment_id, given, limited):
    limit = gymnasium.spec(environment_id).max_episode_steps
    made = [gymnasium.make_vec(environment_id, 1, mode, max_episode_steps=given) for mode in MODES]
    last = [_steps_to_a_truncation(env, 4 * limit) for env in made]
    assert last == [limit if limited else None] * 2
    assert [env.spec.max_episode_steps for env in made] == [limit] * 2


def _steps_to_a_truncation(env, most: int) -> int | None:
    """Steps of the first episode that is truncated, under one action; ``None``: none is in so many steps."""
    env.action_space.seed(0)
    env.reset(seed=0)
    action, age = np.zeros_like(env.action_space.sample()), 0
    for _ in range(most):
        _, _, terminations, truncations, _ = env.step(action)
        age += 1
        if truncations[0]:
            return age
        age = -1 if terminations[0] else age  # the next step is a reset
    return None
