"""What goal environments promise (procgen_bench/engine/goal_env.py), over BitGrid-v0."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError
from procgen_bench.core.success import success_info
from tests.envs.conformance.trajectory import assert_equal, play

GOAL = np.zeros((13, 13), np.int8)
GOAL[3, 4:6] = 1
ROWS = 5


def make(**options):
    return gymnasium.make("BitGrid-v0", **options)


def make_vec(num_envs=ROWS, **options):
    return gymnasium.make_vec("BitGrid-v0", num_envs=num_envs, **options)


def goals_of(num_goals: int, seed: int) -> np.ndarray:
    return (np.random.default_rng(seed).random((num_goals, 13, 13)) < 0.05).astype(np.float32)


@pytest.mark.parametrize("factory", [make, make_vec])
@pytest.mark.parametrize("reward", ["sparse", "distance"])
def test_compute_reward_is_equation_1_or_2_for_goals_and_batches(factory, reward):
    env = factory(reward=reward).unwrapped
    achieved, desired = goals_of(40, 0), goals_of(40, 1)
    desired[::2] = achieved[::2]
    differences = [int((one != other).sum()) for one, other in zip(achieved, desired)]
    expected = [1.0 if d == 0 else -float(d) if reward == "distance" else 0.0 for d in differences]
    assert min(differences) == 0 and max(differences) > 5
    before = achieved.copy(), desired.copy()
    batch = env.compute_reward(achieved, desired, [{} for _ in range(40)])
    assert batch.dtype == np.float64 and batch.tolist() == expected
    assert env.distance(achieved, desired).tolist() == differences
    assert env.distance(achieved.reshape(4, 10, 13, 13), desired[:10]).shape == (4, 10)
    for one, other, value in zip(achieved, desired, expected):
        single = env.compute_reward(one, other, {})
        assert type(single) is float and single == value
    assert (achieved == before[0]).all() and (desired == before[1]).all()
    assert env.compute_reward(GOAL.astype(bool), GOAL, None) == 1.0
    assert env.distance_threshold == 0


def test_step_rewards_are_those_of_compute_reward():
    env = make()
    rng, rewards = np.random.default_rng(3), []
    for name in ("test/0", "test/5", None):
        env.reset(seed=0, options={"task": name})
        solution = env.unwrapped.task_space.solve(env.unwrapped.task)
        for action in [*rng.integers(4, size=5), *solution] if name is None else solution:
            observation, reward, _, _, info = env.step(int(action))
            goals = observation["achieved_goal"], observation["desired_goal"]
            assert reward == env.unwrapped.compute_reward(*goals, info)
            rewards.append(reward)
    assert sum(rewards) >= 2


def test_start_and_goal_replace_their_part_of_a_given_task():
    env = make()
    given = env.unwrapped.task_space.resolve("test/3")
    for options in ({"start": [3, 5]}, {"goal": GOAL}, {"start": (3, 5), "goal": GOAL.astype(np.float32)}):
        env.reset(seed=1, options={"task": "test/3", **options})
        task = env.unwrapped.task
        assert task.start.tolist() == ([3, 5] if "start" in options else given.start.tolist())
        assert np.array_equal(task.goal, GOAL if "goal" in options else given.goal)
        env.unwrapped.task_space.validate(task)


def test_start_and_goal_replace_their_part_of_the_drawn_task():
    env, plain = make(), make()
    plain.reset(seed=2)
    drawn = plain.unwrapped.task
    observation, _ = env.reset(seed=2, options={"goal": GOAL})
    assert np.array_equal(env.unwrapped.task.start, drawn.start)
    assert np.array_equal(observation["desired_goal"], GOAL)
    observation, _ = env.reset(seed=2, options={"start": [3, 5]})
    assert np.array_equal(env.unwrapped.task.goal, drawn.goal)
    assert np.argwhere(observation["observation"][..., 1]).tolist() == [[5, 3]]
    assert_equal(env.reset(), plain.reset(), "the replaced part changed the following draw")


def test_siblings_share_start_and_goal():
    """The use that Sibling Rivalry makes of it: the observation of one episode makes the next one's start and goal."""
    env = make()
    observation, _ = env.reset(seed=4)
    (y, x), goal = np.argwhere(observation["observation"][..., 1])[0], observation["desired_goal"]
    sibling, _ = env.reset(options={"start": [x, y], "goal": goal})
    assert_equal(sibling, observation, "the sibling begins elsewhere")


@pytest.mark.parametrize("one_for_all", [True, False])
def test_rows_get_the_starts_and_goals_that_single_environments_get(one_for_all):
    env, singles = make_vec(), [make() for _ in range(ROWS)]
    goals = np.array([np.roll(GOAL, row) for row in range(ROWS)])
    starts = np.array([[row, 12 - row] for row in range(ROWS)])
    tasks = [None, "test/1", None, "test/2", "test/499"]
    parts = {"start": starts[0], "goal": goals[0]} if one_for_all else {"start": starts, "goal": goals}
    for names in (["start"], ["goal"], ["start", "goal"]):
        given = {name: parts[name] for name in names}
        observations, infos = env.reset(seed=10, options={"task": tasks, **given})
        for row, single in enumerate(singles):
            own = {name: value if one_for_all else value[row] for name, value in given.items()}
            expected = single.reset(seed=10 + row, options={"task": tasks[row], **own})
            found = {name: array[row] for name, array in observations.items()}
            assert_equal((found, success_info(bool(infos["success"][row]))), expected, f"row {row} with {names}")
            assert env.unwrapped.tasks[row] == single.unwrapped.task
    assert len(set(env.unwrapped.tasks)) == (1 if one_for_all else ROWS)


def test_only_rows_of_the_mask_get_a_new_start():
    env = make_vec()
    env.reset(seed=0, options={"start": [1, 1]})
    mask = np.array([True, False, True, False, False])
    starts = np.full((ROWS, 2), 7)
    starts[~mask] = 99  # of rows that do not reset: not looked at
    env.reset(options={"reset_mask": mask, "start": starts})
    assert [task.start.tolist() for task in env.unwrapped.tasks] == [[7, 7] if reset else [1, 1] for reset in mask]


def test_the_next_episode_draws_a_whole_task():
    env = make_vec(num_envs=64, autoreset_mode="SameStep")
    env.reset(seed=0, options={"start": [1, 1], "goal": GOAL})
    for _ in range(50):
        observations, *_ = env.step(np.zeros(64, int))
    assert not (observations["desired_goal"] == GOAL).all(axis=(1, 2)).any()
    assert len({tuple(task.start.tolist()) for task in env.unwrapped.tasks}) > 20


EMPTY = np.zeros((13, 13), np.int8)
BAD_PARTS = [
    ({"start": [13, 0]}, "start is (13, 0), expected x and y, whole numbers in [0, 12]"),
    ({"start": [0, -1]}, "start is (0, -1), expected x and y, whole numbers in [0, 12]"),
    ({"start": [0.5, 1.0]}, "start is (0.5, 1.0), expected x and y, whole numbers"),
    ({"start": [np.nan, 1.0]}, "start is (nan, 1.0), expected x and y, whole numbers"),
    ({"start": [2**40, 1]}, "start is (1099511627776, 1), expected x and y, whole numbers"),
    ({"start": [1, 2, 3]}, "start's shape is (3,), expected (2,)"),
    ({"start": 3}, "start's shape is (), expected (2,)"),
    ({"start": "middle"}, "start's dtype is '<U6', expected numbers, as an array of shape (2,)"),
    ({"goal": GOAL[:5]}, "goal's shape is (5, 13), expected (13, 13)"),
    ({"goal": [[1, 0], [1]]}, "goal is [[1, 0], [1]], expected an array of shape (13, 13)"),
    ({"goal": GOAL.astype(str)}, "goal's dtype is '<U4', expected numbers, as an array of shape (13, 13)"),
    ({"goal": GOAL.astype(complex)}, "goal's dtype is 'complex128', expected numbers"),
    ({"goal": EMPTY}, "number of goal bits that are on is 0, expected at least 1"),
    ({"goal": GOAL * 2}, "goal[3, 4] is 2, expected 0 (off) or 1 (on)"),
    ({"goal": GOAL * 0.5}, "goal[3, 4] is 0.5, expected 0 (off) or 1 (on)"),
    ({"goal": GOAL + np.nan}, "goal[0, 0] is nan, expected 0 (off) or 1 (on)"),
    ({"goal": GOAL, "start": [0, 13]}, "start is (0, 13)"),
]


@pytest.mark.parametrize(("options", "part"), BAD_PARTS, ids=range(len(BAD_PARTS)))
@pytest.mark.parametrize("task", [{}, {"task": "test/1"}], ids=["drawn", "given"])
@pytest.mark.parametrize("factory", [make, make_vec])
def test_bad_parts_are_refused_and_the_episode_goes_on(factory, task, options, part):
    env, undisturbed = factory(), factory()
    action = 0 if factory is make else np.zeros(ROWS, int)
    for one in (env, undisturbed):
        one.reset(seed=4, options={"task": "test/7"})
        one.step(action)
    with pytest.raises(InvalidTaskError) as caught:
        env.reset(seed=9, options=task | options)
    assert part in str(caught.value) and "\n" not in str(caught.value)
    assert_equal(env.step(action), undisturbed.step(action), "the refused reset changed the running episode")
    assert_equal(env.reset(), undisturbed.reset(), "the refused reset changed the random stream")


def test_parts_of_other_batches_are_refused():
    env = make_vec()
    for options, part in [
        ({"start": np.zeros((4, 2))}, "start's shape is (4, 2), expected (2,), or (5, 2) with one row each"),
        ({"goal": np.zeros((2, 13, 13))}, "goal's shape is (2, 13, 13), expected (13, 13), or (5, 13, 13)"),
    ]:
        with pytest.raises(InvalidTaskError) as caught:
            env.reset(options=options)
        assert part in str(caught.value)
    starts = np.zeros((ROWS, 2))
    starts[3] = 13
    with pytest.raises(InvalidTaskError, match=r"start is \(13.0, 13.0\)"):
        env.reset(options={"start": starts})


def test_unknown_options_are_refused():
    with pytest.raises(InvalidOptionError, match=r"'goals', expected keys among \['goal', 'start', 'state', 'task'\]"):
        make().reset(options={"goals": GOAL})
    with pytest.raises(
        InvalidOptionError, match=r"'goals', expected .* \['goal', 'reset_mask', 'start', 'state', 'task'\]"
    ):
        make_vec().reset(options={"goals": GOAL})
    with pytest.raises(InvalidOptionError, match="unknown reset option 'start'"):
        gymnasium.make("GridWorld-v0").reset(options={"start": [1, 1]})


def test_a_side_has_its_own_goals():
    env = make(side=5)
    observation, _ = env.reset(seed=0, options={"goal": np.eye(5), "start": [4, 4]})
    assert observation["desired_goal"].shape == (5, 5) and observation["observation"].shape == (5, 5, 2)
    with pytest.raises(InvalidTaskError, match=r"start is \(5, 4\)"):
        env.reset(options={"start": [5, 4]})
    with pytest.raises(InvalidTaskError, match=r"goal's shape is \(13, 13\), expected \(5, 5\)"):
        env.reset(options={"goal": GOAL})
    play(env, 0, 60)
