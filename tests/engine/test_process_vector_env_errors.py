"""Bad input to a process vector environment: the native one's errors, and the episodes go on."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from tests.engine.process_families import GridWorldProcessVectorEnv, make_faulty, make_grid_worlds
from tests.engine.process_tree import children
from tests.envs.conformance.trajectory import CHECKOUT, assert_equal

ROWS = 3
BAD_ARGUMENTS = [
    {"num_envs": 0},
    {"num_envs": True},
    {"render_mode": "human"},
    {"autoreset_mode": "sometimes"},
    {"max_episode_steps": 0},
    {"max_episode_steps": "fifty"},
    {"tasks": "targets/Z"},
    {"tasks": []},
    {"tasks": 5},
]
BAD_RESETS = [
    {"options": {"mask": np.ones(3, bool)}},
    {"options": "targets/A"},
    {"options": {"reset_mask": [True, False, True]}},
    {"options": {"reset_mask": np.ones(4, bool)}},
    {"options": {"reset_mask": np.ones(3, int)}},
    {"options": {"reset_mask": np.zeros(3, bool)}},
    {"options": {"task": ["targets/A"] * 2}},
    {"options": {"task": ["targets/A", None, "targets/Z"]}},
    {"options": {"task": ["targets/A", 5, None]}},
    {"options": {"task": {}}},
    {"seed": [1, 2]},
    {"seed": -1},
    {"seed": [1, -1, 2]},
    {"seed": "abc"},
    {"seed": 1.5},
]
BAD_ACTIONS = [
    [0, 4, 1],
    [0, 1, -1],
    [0, 1],
    1,
    [[0], [1], [2]],
    [0.0, 1.0, 2.0],
    [True, False, True],
    [0, 1, None],
    ["0", "1", "2"],
    np.array([0, 1, 2**63 + 1], np.uint64),
]


@pytest.fixture(autouse=True, scope="module")
def importable_tests():
    """Workers are given this process's path, and import ``FaultyGridWorldEnv``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CHECKOUT)
        yield


def make_native(num_envs=ROWS, **options):
    return gymnasium.make_vec("GridWorld-v0", num_envs=num_envs, **options)


def error_of(call, *arguments, **keywords) -> tuple[type, str]:
    with pytest.raises(ProcgenBenchError) as caught:
        call(*arguments, **keywords)
    return caught.type, str(caught.value)


@pytest.fixture(scope="module")
def ours():
    return make_grid_worlds(num_envs=ROWS, num_workers=2)


@pytest.fixture(scope="module")
def native():
    return make_native()


@pytest.mark.parametrize("options", BAD_ARGUMENTS, ids=str)
def test_bad_argument_is_the_native_one_s_error(options):
    before = children()
    assert error_of(make_grid_worlds, **{"num_envs": ROWS} | options) == error_of(make_native, **options)
    assert children() == before


@pytest.mark.parametrize("num_workers", [0, -1, True, 1.0, "two", ROWS + 1])
def test_bad_number_of_workers_is_refused(num_workers):
    part = f"num_workers is {num_workers!r}, expected"
    with pytest.raises(InvalidOptionError, match=part):
        GridWorldProcessVectorEnv(num_envs=ROWS, num_workers=num_workers)


@pytest.mark.parametrize("bad", BAD_RESETS, ids=str)
def test_bad_reset_is_the_native_one_s_error_and_the_episodes_go_on(bad, ours, native):
    for env in (ours, native):
        env.reset(seed=4, options={"task": "graded/199"})
    assert error_of(ours.reset, **{"seed": 9} | bad) == error_of(native.reset, **{"seed": 9} | bad)
    for actions in np.random.default_rng(0).integers(4, size=(60, ROWS)):
        assert_equal(ours.step(actions), native.step(actions), "the refused reset changed the episodes")


@pytest.mark.parametrize("actions", BAD_ACTIONS, ids=str)
def test_bad_actions_are_the_native_one_s_error_and_the_episodes_go_on(actions, ours, native):
    for env in (ours, native):
        env.reset(seed=4)
    assert error_of(ours.step, actions) == error_of(native.step, actions)
    actions = np.array([0, 1, 2])
    assert_equal(ours.step(actions), native.step(actions), "the refused actions changed the episodes")


def test_step_before_reset_and_after_the_end_are_the_native_one_s_errors():
    envs = [
        make(num_envs=ROWS, max_episode_steps=2, autoreset_mode="Disabled") for make in (make_grid_worlds, make_native)
    ]
    for rows in ([True, False, True], [False, True, False]):
        one, other = (error_of(env.step, [0, 0, 0]) for env in envs)
        assert one == other
        for env in envs:
            env.reset(seed=0, options={"reset_mask": np.array(rows), "task": "targets/A"})
    for _ in range(2):
        one, other = (env.step([0, 0, 0]) for env in envs)
        assert_equal(one, other, "the episodes differ")
    one, other = (error_of(env.step, [0, 0, 0]) for env in envs)
    assert one == other


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"level": [1, 2]}, "level lists 2 entries, expected one per row (3); a tuple is for every row"),
        ({"level": [1, "two", 3]}, "level is 'two', expected a whole number"),
        ({"level": (1, 2, 3)}, "level is (1, 2, 3), expected a whole number"),
        ({"level": "high"}, "level is 'high', expected a whole number"),
        ({"levels": 1}, "unknown reset option 'levels'"),
    ],
)
def test_bad_further_options_are_refused_before_anything_is_changed(options, part, faulty):
    faulty.reset(seed=4)
    first = faulty.step([0, 1, 2])
    faulty.reset(seed=4)
    with pytest.raises(InvalidOptionError) as caught:
        faulty.reset(seed=9, options=options)
    assert part in str(caught.value)
    assert_equal(faulty.step([0, 1, 2]), first, "the refused reset changed the episodes")


@pytest.fixture(scope="module")
def faulty():
    return make_faulty(num_envs=ROWS, num_workers=2)


def test_further_options_are_for_every_row_or_one_per_row(faulty):
    _, infos = faulty.reset(seed=1, options={"level": 5})
    assert infos["level"].tolist() == [5, 5, 5] and infos["_level"].all()
    _, infos = faulty.reset(options={"level": [1, None, 3], "reset_mask": np.array([True, True, False])})
    assert infos["_level"].tolist() == [True, False, False] and infos["level"][0] == 1
    assert set(faulty.step([0, 0, 0])[4]) == {"success", "_success", "is_success", "_is_success"}


@pytest.mark.parametrize("given", [lambda: 0, type("Local", (), {})()], ids=["lambda", "local class"])
def test_arguments_that_cannot_be_sent_are_refused(given):
    before = children()
    with pytest.raises(InvalidOptionError, match="cannot be sent to worker processes"):
        make_faulty(num_envs=ROWS, given=given)
    assert children() <= before  # those of earlier tests may still be ending
