"""FetchBlocks-v0 as a goal environment: orders, rewards, reset's options, saved episodes, bad input."""

import subprocess
import sys
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import (
    DivergedError,
    InvalidActionError,
    InvalidOptionError,
    InvalidTaskError,
    ResetNeededError,
    UnknownNameError,
)
from procgen_bench.core.success import success_info
from procgen_bench.tasks.programs.states import block_positions, goals_with_block_first, with_block_first
from tests.envs.conformance.trajectory import assert_equal, play_vector
from tests.tasks.fetch_blocks.test_tasks import TASK

ID = "FetchBlocks-v0"
STILL = np.array([0, 0, 0, -1], np.float32)


@pytest.fixture(scope="module")
def env():
    return gymnasium.make(ID)


def make_vec(num_envs=3, **options):
    return gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)


def random_actions(steps: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (steps, 4)).astype(np.float32)


@pytest.mark.parametrize("first", range(4))
def test_observations_begin_with_the_block_to_act_on(env, first):
    observation, _ = env.reset(options={"task": TASK, "first": first})
    for action in [None, *random_actions(3)]:
        if action is not None:
            observation = env.step(action)[0]
        state = env.unwrapped.simulation.state
        assert np.array_equal(observation["observation"], with_block_first(state, first))
        assert np.array_equal(observation["achieved_goal"], block_positions(observation["observation"]).ravel())
        assert np.array_equal(observation["desired_goal"], goals_with_block_first(TASK.goal.ravel(), first))
    rows = observation["observation"][:-10].reshape(4, 15)
    assert np.array_equal(rows[1], state[:-10].reshape(4, 15)[(first + 1) % 4])
    assert env.unwrapped.task == replace(TASK, first=first)


@pytest.mark.parametrize("num_blocks", range(2, 7))
def test_every_number_of_blocks_plays(num_blocks):
    env = gymnasium.make(ID, num_blocks=num_blocks)
    observation, _ = env.reset(seed=num_blocks)
    assert {name: array.shape for name, array in observation.items()} == {
        "observation": (15 * num_blocks + 10,),
        "achieved_goal": (3 * num_blocks,),
        "desired_goal": (3 * num_blocks,),
    }
    steps = [env.step(action)[1:4] for action in random_actions(50)]
    assert [step[1:] for step in steps] == [(False, False)] * 49 + [(False, True)]


def test_a_goal_is_rewarded_as_long_as_it_is_met(env):
    start = TASK.start.positions
    env.reset(options={"task": TASK, "goal": start + np.array([0, 0, 0.02])})
    assert env.step(STILL)[1:] == (1.0, False, False, success_info(True))
    one_away = start.copy()
    one_away[0, 1] += 0.055
    _, info = env.reset(options={"task": TASK, "goal": one_away})
    assert info == success_info(False)
    assert env.step(STILL)[1:] == (0.0, False, False, success_info(False))
    # The held block is raised out of its sphere.
    env.reset(options={"task": TASK, "goal": start})
    rewards = [env.step(np.array([0, 0, 0.5, -1], np.float32))[1] for _ in range(10)]
    assert rewards[0] == 1.0 and rewards[-1] == 0.0


def test_rewards_of_batches_are_those_of_steps(env):
    observation, _ = env.reset(seed=4)
    achieved, rewards, desired = [], [], observation["desired_goal"]
    env.reset(options={"task": env.unwrapped.task, "goal": block_positions(env.unwrapped.simulation.state)})
    desired = env.step(STILL)[0]["desired_goal"]
    for action in random_actions(40):
        observation, reward, *_ = env.step(action)
        achieved.append(observation["achieved_goal"])
        rewards.append(reward)
    compute = env.unwrapped.compute_reward
    assert compute(np.array(achieved), np.tile(desired, (40, 1)), [{}] * 40).tolist() == rewards
    assert compute(np.array(achieved), desired, None).dtype == np.float64
    assert compute(achieved[0], desired, {}) == rewards[0] and isinstance(compute(achieved[0], desired, {}), float)
    vector = make_vec(2, num_threads=1)
    assert vector.compute_reward(np.array(achieved), desired, None).tolist() == rewards
    vector.close()
    for wrong, part in (
        (np.zeros(9), r"desired_goal's shape is \(9,\), expected \(12,\), or a batch of such goals"),
        (np.zeros((3, 12)), r"desired_goal's shape is \(3, 12\), expected \(40, 12\)"),
        (["a"] * 12, "desired_goal's dtype is '<U1', expected numbers"),
    ):
        with pytest.raises(InvalidTaskError, match=part):
            compute(np.array(achieved), wrong, None)


def test_a_saved_episode_goes_on_with_another_goal_or_order(env):
    env.reset(seed=5)
    for action in random_actions(12):
        env.step(action)
    saved, task = env.unwrapped.save_state(), env.unwrapped.task
    other, goal = gymnasium.make(ID), np.full((4, 3), 0.5)
    observation, _ = other.reset(options={"state": saved, "goal": goal, "first": 1})
    assert np.array_equal(observation["observation"], with_block_first(saved.values["state"], 1))
    assert (observation["desired_goal"] == 0.5).all()
    assert other.unwrapped.task == replace(task, goal=goal, first=1) and other.unwrapped.elapsed == 0
    observation, reward, *_ = other.step(STILL)
    expected = env.step(STILL)[0]["observation"]
    assert np.array_equal(observation["observation"][-10:], expected[-10:]) and reward == 0.0


def test_another_goal_on_a_saved_episode_has_all_its_steps_in_a_row(env):
    env.reset(seed=5)
    for _ in range(12):
        env.step(STILL)
    rows = make_vec(num_threads=1)
    rows.reset(options={"state": env.unwrapped.save_state(), "goal": [np.full((4, 3), 0.5), None, None]})
    truncations = np.array([rows.step(np.zeros((3, 4), np.float32))[3] for _ in range(50)])
    assert (truncations.argmax(axis=0) + 1).tolist() == [50, 38, 38]
    rows.close()


def test_a_saved_episode_spreads_over_the_rows_of_a_vector_environment(env):
    env.reset(seed=6)
    env.step(STILL)
    saved, vector = env.unwrapped.save_state(), make_vec(num_threads=2)
    observations, _ = vector.reset(options={"state": [saved, None, saved], "first": 2}, seed=0)
    expected = with_block_first(saved.values["state"], 2)
    assert np.array_equal(observations["observation"][[0, 2]], [expected, expected])
    drawn, _ = env.reset(seed=1, options={"first": 2})
    assert np.array_equal(observations["observation"][1], drawn["observation"])
    vector.close()


def test_randomness_decides_where_blocks_start():
    def stacked_or_held(randomness: float) -> int:
        env = gymnasium.make(ID, randomness=randomness)
        starts = [env.reset(seed=seed) and env.unwrapped.task.start for seed in range(12)]
        return sum(bool((start.levels != 0).any()) for start in starts)

    assert stacked_or_held(1.0) == 0 < 4 < stacked_or_held(0.0)


def test_tasks_are_drawn_from_what_was_given():
    env = gymnasium.make(ID, tasks=["test/3", "test/5"])
    suite = env.unwrapped.task_space.suite("test")
    seen = {suite.tasks.index(env.reset(seed=seed) and env.unwrapped.task) for seed in range(8)}
    assert seen == {3, 5}


@pytest.mark.parametrize(
    ("options", "error", "part"),
    [
        ({"num_blocks": 7}, InvalidOptionError, "num_blocks is 7, expected an integer from 2 to 6"),
        ({"num_blocks": 1}, InvalidOptionError, "num_blocks is 1"),
        ({"num_blocks": 4.0}, InvalidOptionError, "num_blocks is 4.0"),
        ({"randomness": 1.5}, InvalidOptionError, r"randomness is 1.5, expected a number in \[0, 1\]"),
        ({"randomness": "all"}, InvalidOptionError, "randomness is 'all'"),
        ({"render_mode": "ansi"}, InvalidOptionError, "render_mode is 'ansi'"),
        ({"tasks": "train"}, UnknownNameError, "unknown task 'train'"),
        ({"tasks": "test", "num_blocks": 3}, UnknownNameError, "unknown task 'test'"),
        ({"tasks": TASK, "num_blocks": 5}, InvalidTaskError, r"number of blocks is 4, expected 5 \(num_blocks\)"),
    ],
)
@pytest.mark.parametrize("factory", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.filterwarnings("ignore:.*The environment is being initialised with render_mode='ansi'")
def test_bad_arguments_are_refused(factory, options, error, part):
    with pytest.raises(error, match=part):
        factory(ID, **options)


@pytest.mark.parametrize(
    ("options", "error", "part"),
    [
        ({"first": 4}, InvalidTaskError, "first is 4, expected the index of a block, 0 to 3"),
        ({"first": "blue"}, InvalidTaskError, "first is 'blue', expected the index of a block, 0 to 3"),
        ({"goal": np.zeros(12)}, InvalidTaskError, r"goal's shape is \(12,\), expected \(4, 3\)"),
        ({"goal": np.full((4, 3), np.nan)}, InvalidTaskError, "goal is .*expected finite numbers"),
        ({"task": replace(TASK, first=9)}, InvalidTaskError, "first is 9"),
        ({"task": "test/500"}, UnknownNameError, "'500'"),
        ({"colour": "red"}, InvalidOptionError, "unknown reset option 'colour'"),
    ],
)
def test_bad_reset_options_are_refused_and_leave_the_episode_as_it_is(env, options, error, part):
    env.reset(seed=0, options={"task": TASK})
    before = env.unwrapped.simulation.state.copy()
    with pytest.raises(error, match=part):
        env.reset(options=options)
    assert env.unwrapped.task == TASK and np.array_equal(env.unwrapped.simulation.state, before)
    env.step(STILL)


def test_states_that_do_not_fit_are_refused(env):
    env.reset(seed=0)
    saved, other = env.unwrapped.save_state(), gymnasium.make(ID, num_blocks=3)
    with pytest.raises(
        InvalidOptionError, match=r"belongs to FetchBlocksEnv with 4 blocks; this environment needs one .* 3 blocks"
    ):
        other.reset(options={"state": saved})


def test_steps_are_checked(env):
    fresh = gymnasium.make(ID).unwrapped
    for call in (lambda: fresh.step(STILL), lambda: fresh.task, lambda: fresh.save_state()):
        with pytest.raises(ResetNeededError):
            call()
    env.reset(seed=0)
    for action in (np.array([0, 0, 0, 1.5], np.float32), np.zeros(3, np.float32), np.full(4, np.nan, np.float32)):
        with pytest.raises(InvalidActionError, match="expected a member of Box"):
            env.unwrapped.step(action)


WITHOUT = """
import sys
sys.modules[{module!r}] = None
import gymnasium, procgen_bench
import procgen_bench.tasks.fetch_blocks
try:
    gymnasium.make("FetchBlocks-v0")
except gymnasium.error.DependencyNotInstalled as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("module", ["mujoco", "gymnasium_robotics"])
def test_a_missing_package_is_answered_with_the_extra(module):
    command = [sys.executable, "-c", WITHOUT.format(module=module)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == (
        f"MissingExtraError {module} is not installed; install it with: pip install 'procgen-bench[fetch]'\n"
    )


def test_gymnasium_robotics_is_imported_without_a_word():
    program = "import gymnasium, procgen_bench; gymnasium.make('FetchBlocks-v0')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == run.stderr == ""


def test_rows_are_the_same_for_any_number_of_threads():
    played = []
    for num_threads in (1, 2, 3):
        env = make_vec(4, num_threads=num_threads, max_episode_steps=6)
        first = play_vector(env, 3, 10)
        env.reset(options={"state": env.unwrapped.save_states()[::-1]})
        played.append((first, play_vector(env, 4, 4)))
        env.close()
    assert_equal(played[1:], played[:1] * 2, "threads change what happens")


def test_a_diverged_row_is_named_and_the_others_go_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warning into a file there
    rows, undisturbed = make_vec(3, num_threads=2), make_vec(3, num_threads=2)
    for env in (rows, undisturbed):
        env.reset(seed=0)
    rows.unwrapped.simulation._rows[1].simulation.data.qvel[-3] = np.nan
    with pytest.raises(DivergedError, match=r"diverged under the action \[0.0, 0.0, 0.0, 0.0\]") as caught:
        rows.step(np.zeros((3, 4), np.float32))
    assert caught.value.__notes__ == ["In row 1."]
    undisturbed.step(np.zeros((3, 4), np.float32))
    rows.reset(options={"state": undisturbed.unwrapped.save_states()[1], "reset_mask": np.array([False, True, False])})
    ours, expected = (env.step(np.zeros((3, 4), np.float32)) for env in (rows, undisturbed))
    assert_equal(ours, expected, "the rows were disturbed")
