"""Bad input to a native single environment: one clear line each, and the environment stays usable.

Bad input to a native vector environment: one clear line each, and the environment stays usable.
"""

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
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from tests.envs.conformance.trajectory import assert_equal, play, play_vector

SPACE = GridWorldTaskSpace()
PARAMS = SPACE.sample(np.random.default_rng(0))


def changed(name: str, index: tuple, value: float) -> dict:
    params = {key: array.copy() for key, array in PARAMS.items()}
    params[name][index] = value
    return params


def task_with(tiles=None, objects=None) -> GridWorldTask:
    task = SPACE.decode(PARAMS)
    return GridWorldTask(task.tiles if tiles is None else tiles, task.objects if objects is None else objects)


BAD_TASKS = [
    ("targets/Z", UnknownNameError, "'Z'; known: A, B, C"),
    ("nothing", UnknownNameError, "unknown task 'nothing'"),
    (3.5, InvalidTaskError, "task is 3.5, expected a GridWorldTask"),
    (["targets/A"], InvalidTaskError, "expected a GridWorldTask"),
    ({}, InvalidTaskError, "coordinates (missing)"),
    (PARAMS | {"colour": 1}, InvalidTaskError, "parameter name is 'colour'"),
    (PARAMS | {"tiles": PARAMS["tiles"][:7]}, InvalidTaskError, "tiles's shape is (7, 8, 3), expected (8, 8, 3)"),
    (PARAMS | {"tiles": PARAMS["tiles"].ravel()}, InvalidTaskError, "tiles's shape is (192,), expected (8, 8, 3)"),
    (PARAMS | {"coordinates": np.zeros(10)}, InvalidTaskError, "coordinates's shape is (10,), expected (5, 2)"),
    (PARAMS | {"coordinates": np.full((5, 2), "a")}, InvalidTaskError, "coordinates's dtype"),
    (changed("coordinates", (0, 1), np.nan), InvalidTaskError, "coordinates[0, 1] is nan"),
    (changed("coordinates", (3, 0), np.inf), InvalidTaskError, "coordinates[3, 0] is inf"),
    (changed("coordinates", (3, 0), -0.1), InvalidTaskError, "expected a number in [0.0, 10.0]"),
    (changed("tiles", (3, 0, 2), np.inf), InvalidTaskError, "tiles[3, 0, 2] is inf"),
    (task_with(tiles=np.full((8, 8), 3, np.int8)), InvalidTaskError, "tiles[0, 0] is 3"),
    (task_with(tiles=np.zeros((10, 10), np.int8)), InvalidTaskError, "tiles's shape is (10, 10), expected (8, 8)"),
    (task_with(tiles=np.zeros((8, 8))), InvalidTaskError, "tiles's type is 'float64', expected an array of int8"),
    (task_with(tiles=[[0] * 8] * 8), InvalidTaskError, "tiles's type is 'list', expected an array of int8"),
    (task_with(objects=np.full((5, 2), 9, np.int8)), InvalidTaskError, "position of goal is (9, 9)"),
    (task_with(np.zeros((8, 8), np.int8), np.full((5, 2), 4, np.int8)), InvalidTaskError, "not taken by goal"),
]


@pytest.mark.parametrize(
    ("environment_id", "words"), [("GridWorld-v0", "training, solvable, targets"), ("XLand-v0", "training, test")]
)
def test_the_words_that_tasks_may_be_are_listed(environment_id, words):
    with pytest.raises(UnknownNameError, match=f"unknown task 'nothing'; known: {words}"):
        gymnasium.make(environment_id, tasks="nothing")
    with pytest.raises(UnknownNameError, match="did you mean 'training'"):
        gymnasium.make(environment_id, tasks="trainning")


@pytest.mark.parametrize(("task", "error", "part"), BAD_TASKS, ids=range(len(BAD_TASKS)))
def test_bad_task_is_refused_and_the_episode_goes_on(task, error, part):
    env, undisturbed = gymnasium.make("GridWorld-v0"), gymnasium.make("GridWorld-v0")
    for one in (env, undisturbed):
        one.reset(seed=4, options={"task": "graded/199"})
        one.step(0)
    with pytest.raises(error) as caught:
        env.reset(seed=9, options={"task": task})
    assert part in str(caught.value) and "\n" not in str(caught.value)
    assert isinstance(caught.value, ProcgenBenchError)
    assert_equal(env.step(1), undisturbed.step(1), "the refused reset changed the running episode")
    assert_equal(env.reset(), undisturbed.reset(), "the refused reset changed the random stream")


@pytest.mark.parametrize("action", [4, -1, 1.0, "1", None, np.array([1]), True + 4, np.int64(7), np.nan])
def test_action_outside_is_refused_and_the_episode_goes_on(action):
    env, undisturbed = gymnasium.make("GridWorld-v0"), gymnasium.make("GridWorld-v0")
    for one in (env, undisturbed):
        one.reset(seed=4, options={"task": "graded/199"})
    with pytest.raises(InvalidActionError, match=r"expected a member of Discrete\(4\)") as caught:
        env.step(action)
    assert repr(action) in str(caught.value) and "\n" not in str(caught.value)
    assert_equal(env.step(0), undisturbed.step(0), "the refused action changed the episode")


@pytest.mark.parametrize("wrapped", [True, False])
def test_step_before_reset_is_refused(wrapped):
    made = gymnasium.make("GridWorld-v0")
    env = made if wrapped else made.unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded) as caught:
        env.step(0)
    assert "reset" in str(caught.value) and "\n" not in str(caught.value)
    play(made, 0, 60)


def test_step_after_the_goal_is_refused():
    env = gymnasium.make("GridWorld-v0")
    env.reset(seed=0, options={"task": "graded/0"})
    for action in SPACE.solve(SPACE.suite("graded")["0"]):
        *_, terminated, _, info = env.step(int(action))
    assert terminated and info["success"]
    with pytest.raises(ResetNeededError, match="after the end of the episode; call reset first") as caught:
        env.step(0)
    assert "\n" not in str(caught.value)
    play(env, 0, 60)


@pytest.mark.parametrize("options", [{"tasks": "targets/A"}, {"reset_mask": np.ones(1, bool)}, "targets/A", 5])
def test_unknown_reset_option_is_refused(options):
    env = gymnasium.make("GridWorld-v0")
    with pytest.raises(InvalidOptionError, match=r"expected .*\['state', 'task'\]"):
        env.reset(options=options)
    play(env, 0, 60)


def test_unknown_render_mode_is_refused():
    with (
        pytest.warns(UserWarning, match="not in the possible render_modes"),
        pytest.raises(InvalidOptionError, match="render_mode is 'png', expected one of"),
    ):
        gymnasium.make("GridWorld-v0", render_mode="png")


@pytest.mark.parametrize("tasks", ["hard", "graded/201", 5, [], ["targets/A", None], [PARAMS, PARAMS | {"tiles": 0}]])
def test_bad_tasks_argument_is_refused(tasks):
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ProcgenBenchError) as caught:
            make("GridWorld-v0", tasks=tasks)
        assert "\n" not in str(caught.value)


def test_tasks_argument_decides_what_resets_draw():
    graded, named = SPACE.suite("graded"), SPACE.suite("targets")["B"]
    env = gymnasium.make("GridWorld-v0", tasks="graded")
    env.reset(seed=1)
    drawn = set()
    for _ in range(1_000):
        env.reset()
        drawn.add(env.unwrapped.task)
    assert drawn <= set(graded.tasks) and len(drawn) > 190
    for tasks in ("targets/B", named, SPACE.encode(named), [named]):
        env = gymnasium.make("GridWorld-v0", tasks=tasks)
        env.reset(seed=1)
        assert env.unwrapped.task == named


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
