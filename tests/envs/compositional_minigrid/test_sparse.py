"""CompositionalMiniGridSparse-v0: the same rooms, paid at the goal alone."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTaskSpace
from tests.envs.compositional_minigrid.policies import at_random

ID, SHAPED_ID = "CompositionalMiniGridSparse-v0", "CompositionalMiniGrid-v0"
SPACE = CompositionalMiniGridTaskSpace()
ALL = SPACE.suite("test")["key+door+ball+box+drop-3"]

both_backends = pytest.mark.parametrize("backend", ["numba", "minigrid"])


@both_backends
@pytest.mark.parametrize("name", ["goal-0", "key-3", "key+door+ball+box+drop-3"])
def test_a_solution_is_paid_1_at_the_goal_and_nothing_before(name, backend):
    task = SPACE.suite("test")[name]
    env = gymnasium.make(ID, backend=backend)
    env.reset(seed=0, options={"task": task})
    steps = [env.step(action) for action in SPACE.solve(task)]
    assert [reward for _, reward, *_ in steps] == [0.0] * (len(steps) - 1) + [1.0]
    assert steps[-1][2] and steps[-1][4]["success"]


@both_backends
def test_the_goal_pays_nothing_before_all_is_done(backend):
    env = gymnasium.make(ID, backend=backend)
    env.reset(options={"task": ALL})
    bare = SPACE.decode(SPACE.encode(ALL) | {"subtasks": np.zeros(5, np.int8)})
    walk = SPACE.solve(bare)
    steps = []
    for action in walk:
        steps.append(env.step(action))
        if steps[-1][2]:
            break
    assert sum(reward for _, reward, *_ in steps) == 0 and not any(info["success"] for *_, info in steps)


def test_rooms_are_observed_and_end_as_those_that_pay_subtasks():
    """Of all random episodes only the rewards differ."""
    envs, rng = [gymnasium.make(one) for one in (ID, SHAPED_ID)], np.random.default_rng(3)
    unlike = 0
    for task in SPACE.suite("test").tasks[::8]:
        for env in envs:
            env.reset(seed=1, options={"task": task})
        for _, action in zip(range(256), at_random(task, rng)):
            (seen, paid, *ends), (other_seen, other_paid, *other_ends) = (env.step(action) for env in envs)
            assert ends == other_ends and all(np.array_equal(seen[name], other_seen[name]) for name in seen)
            assert paid == float(ends[-1]["success"])
            unlike += paid != other_paid
            if ends[0] or ends[1]:
                break
    assert unlike > 20, "subtasks were done that the other environment paid for"


def test_rows_and_the_single_environment_pay_alike():
    rows = gymnasium.make_vec(ID, num_envs=4, vectorization_mode="vector_entry_point", tasks=[ALL])
    rows.reset(seed=0)
    paid = [rows.step(np.full(4, action))[1] for action in SPACE.solve(ALL)]
    assert np.sum(paid, axis=0).tolist() == [1.0] * 4 and not np.any(paid[:-1])


def test_a_state_goes_on_under_the_same_rewards_alone():
    shaped, option = gymnasium.make(SHAPED_ID), gymnasium.make(SHAPED_ID, rewards="goal")
    sparse = gymnasium.make(ID)
    sparse.reset(seed=0, options={"task": ALL})
    actions = SPACE.solve(ALL)
    for action in actions[:-3]:
        sparse.step(action)
    state = sparse.unwrapped.save_state()
    option.reset(options={"state": state})
    assert [option.step(action)[1] for action in actions[-3:]] == [0, 0, 1]
    with pytest.raises(InvalidOptionError, match="rewards 'goal'"):
        shaped.reset(options={"state": state})


def test_unknown_rewards_are_refused():
    with pytest.raises(InvalidOptionError, match=r"rewards.*'goal'"):
        gymnasium.make(SHAPED_ID, rewards="steps")
