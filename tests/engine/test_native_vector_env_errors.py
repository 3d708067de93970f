"""Bad input to a native vector environment: one clear line each, and the environment stays usable."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.errors import (
    InvalidActionError,
    InvalidOptionError,
    InvalidTaskError,
    ProcgenBenchError,
    ResetNeededError,
    UnknownNameError,
)
from tests.envs.conformance.trajectory import assert_equal, play_vector


def make(num_envs=3, **options):
    return gymnasium.make_vec("GridWorld-v0", num_envs=num_envs, **options)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"num_envs": 0}, "num_envs is 0, expected an integer of at least 1"),
        ({"num_envs": -2}, "num_envs is -2"),
        ({"num_envs": 2.0}, "num_envs is 2.0"),
        ({"num_envs": True}, "num_envs is True"),
        ({"render_mode": "human"}, "render_mode is 'human', expected one of [None, 'rgb_array', 'ansi']"),
        ({"autoreset_mode": "sometimes"}, "autoreset_mode is 'sometimes'"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        ({"max_episode_steps": -3}, "max_episode_steps is -3"),
        ({"max_episode_steps": "fifty"}, "max_episode_steps is 'fifty'"),
    ],
)
def test_bad_argument_is_refused(options, part):
    with pytest.raises(InvalidOptionError) as caught:
        make(**options)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, "SameStep"])
def test_autoreset_mode_is_declared(mode):
    env = make(autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert make().metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize(
    ("options", "error", "part"),
    [
        ({"mask": np.ones(3, bool)}, InvalidOptionError, "unknown reset option 'mask'"),
        ("targets/A", InvalidOptionError, "reset's options are 'targets/A'"),
        ({"reset_mask": [True, False, True]}, InvalidOptionError, "expected a bool array of shape (3,)"),
        ({"reset_mask": np.ones(4, bool)}, InvalidOptionError, "expected a bool array of shape (3,)"),
        ({"reset_mask": np.ones(3, int)}, InvalidOptionError, "expected a bool array of shape (3,)"),
        ({"reset_mask": np.zeros(3, bool)}, InvalidOptionError, "selects no row"),
        ({"task": ["targets/A"] * 2}, InvalidOptionError, "task lists 2 tasks, expected one per row (3)"),
        ({"task": ["targets/A", None, "targets/Z"]}, UnknownNameError, "'Z'"),
        ({"task": ["targets/A", 5, None]}, InvalidTaskError, "task is 5"),
        ({"task": {}}, InvalidTaskError, "(missing)"),
    ],
)
def test_bad_reset_option_is_refused_and_the_episodes_go_on(options, error, part):
    env, undisturbed = make(), make()
    for one in (env, undisturbed):
        one.reset(seed=4, options={"task": "graded/199"})
    with pytest.raises(error) as caught:
        env.reset(seed=9, options=options)
    assert part in str(caught.value) and "\n" not in str(caught.value)
    for actions in np.random.default_rng(0).integers(4, size=(70, 3)):
        assert_equal(env.step(actions), undisturbed.step(actions), "the refused reset changed the episodes")


@pytest.mark.parametrize("seed", [[1, 2], [1, 2, 3, 4], -1, [1, -1, 2], "abc", [1, "a", 2], 1.5])
def test_bad_seeds_are_refused_and_the_episodes_go_on(seed):
    env, undisturbed = make(), make()
    for one in (env, undisturbed):
        one.reset(seed=4)
    with pytest.raises(ProcgenBenchError, match="seed") as caught:
        env.reset(seed=seed)
    assert "\n" not in str(caught.value)
    for actions in np.random.default_rng(0).integers(4, size=(70, 3)):
        assert_equal(env.step(actions), undisturbed.step(actions), "the refused seeds changed the random streams")


@pytest.mark.parametrize(
    ("actions", "part"),
    [
        ([0, 4, 1], "action of row 1 is 4, expected a member of Discrete(4)"),
        ([0, 1, -1], "action of row 2 is -1"),
        ([0, 1], "actions have shape (2,), expected (3,)"),
        (1, "actions have shape (), expected (3,)"),
        ([[0], [1], [2]], "actions have shape (3, 1)"),
        ([0.0, 1.0, 2.0], "actions have dtype float64, expected int64"),
        ([True, False, True], "actions have dtype bool"),
        ([0, 1, None], "actions have dtype object"),
        (["0", "1", "2"], "actions have dtype <U1"),
        ([0, 1, np.nan], "actions have dtype float64"),
        (np.array([0, 1, 2**63 + 1], np.uint64), "row 2"),
    ],
)
def test_bad_actions_are_refused_and_the_episodes_go_on(actions, part):
    env, undisturbed = make(), make()
    for one in (env, undisturbed):
        one.reset(seed=4)
    with pytest.raises(InvalidActionError) as caught:
        env.step(actions)
    assert part in str(caught.value) and "\n" not in str(caught.value)
    actions = np.array([0, 1, 2])
    assert_equal(env.step(actions), undisturbed.step(actions), "the refused actions changed the episodes")


def test_actions_of_other_integer_types_are_taken():
    batches = [np.array([0, 1, 3], dtype) for dtype in (np.int64, np.int8, np.uint8, np.int32)] + [[0, 1, 3]]
    outcomes = []
    for batch in batches:
        env = make()
        env.reset(seed=4, options={"task": "targets/C"})
        outcomes.append(env.step(batch))
    for outcome in outcomes[1:]:
        assert_equal(outcome, outcomes[0], "the actions' integer type matters")


def test_step_before_reset_names_the_rows():
    env = make()
    with pytest.raises(ResetNeededError, match=r"before reset in rows \[0, 1, 2\]; call reset first"):
        env.step([0, 0, 0])
    env.reset(seed=0, options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(ResetNeededError, match=r"before reset in rows \[1\]; call reset first"):
        env.step([0, 0, 0])
    play_vector(env, 0, 60)


def test_step_after_the_end_names_the_rows():
    env = make(autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=2)
    env.reset(seed=0, options={"task": "targets/A"})
    env.step([0, 0, 0])
    *_, truncations, _ = env.step([0, 0, 0])
    assert truncations.all()
    env.reset(options={"reset_mask": np.array([False, True, False])})
    with pytest.raises(ResetNeededError, match=r"after the end of the episode in rows \[0, 2\]; reset them first"):
        env.step([0, 0, 0])
    play_vector(env, 0, 60)


def test_arrays_of_an_uncopied_environment_are_the_simulation_s_own():
    own, copied = make(copy=False), make(copy=True)
    first, _ = own.reset(seed=2)
    kept, _ = copied.reset(seed=2)
    for actions in np.random.default_rng(1).integers(4, size=(120, 3)):
        ours, theirs = own.step(actions), copied.step(actions)
        assert_equal(ours, theirs, "copy=False gives other values")
        assert all(ours[0][name] is first[name] for name in first)
        assert not any(np.shares_memory(theirs[0][name], kept[name]) for name in kept)
