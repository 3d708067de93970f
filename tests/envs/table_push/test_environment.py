import subprocess
import sys
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidActionError, InvalidOptionError, InvalidTaskError, ResetNeededError
from procgen_bench.core.success import success_info
from procgen_bench.envs.table_push import TablePushEnv
from procgen_bench.envs.table_push.observations import observe
from procgen_bench.envs.table_push.rewards import progress, reward_push
from procgen_bench.tasks.table_push import TablePushTask
from tests.envs.table_push.tables import open_table, table


@pytest.fixture
def env():
    env = gymnasium.make("TablePush-v0")
    yield env
    env.close()


def plan_of(env, name: str) -> list[int]:
    suite = env.unwrapped.task_space.suite("targets")
    plan = suite.records["plan"][suite.task_names.index(name)]
    return plan[plan >= 0].tolist()


@pytest.mark.parametrize("name", ["A", "B", "C", "out-of-space"])
def test_recorded_plans_succeed_with_their_last_push(env, name):
    env.reset(options={"task": f"targets/{name}"})
    plan = plan_of(env, name)
    for number, action in enumerate(plan, start=1):
        _, reward, terminated, truncated, info = env.step(action)
        assert (terminated, info["success"], truncated) == (number == len(plan), number == len(plan), False)
        assert not info["fallen"] and not info["collided"]
    assert reward == 1.0


@pytest.mark.parametrize(
    ("task", "action", "reward", "happened"),
    [
        (open_table((0.825, 0.3)), 0, -0.2, "fallen"),
        (open_table((0.3, 0.3), (0.075, 0.075)), 7, -0.2, "fallen"),
        (open_table((0.3, 0.3), (0.42, 0.3)), 0, -0.1, "collided"),
        (table("......\n..#...\n......\n......", (0.375, 0.225)), 2, -0.1, "collided"),
        (open_table((0.3, 0.3), goal=(0.45, 0.35)), 0, 1.0, "success"),
    ],
)
def test_ends_of_episodes(env, task, action, reward, happened):
    env.reset(options={"task": task})
    _, found, terminated, truncated, info = env.step(action)
    assert (found, terminated, truncated) == (reward, True, False)
    fates = {"fallen": False, "collided": False} | ({happened: True} if happened != "success" else {})
    assert info == success_info(happened == "success") | fates


def test_progress_is_paid_inside_the_range(env):
    task = open_table((0.3, 0.3), goal=(0.75, 0.3), goal_range=0.4)
    env.reset(options={"task": task})
    rewards = [env.step(action)[1] for action in (0, 1, 0, 0)]
    assert rewards[0] == pytest.approx((0.4 - 0.3) / 0.3, abs=0.02)
    assert rewards[1] == pytest.approx(-rewards[0], abs=0.02)
    assert rewards[3] == pytest.approx(0.15 / 0.3, abs=0.02)


def test_a_target_that_starts_on_the_goal_earns_nothing_until_it_comes_back(env):
    """An absent can is pushed, one behind which the tool has no room, one that moves; then the target, off and back."""
    task = open_table((0.3, 0.3), (0.375, 0.3), goal=(0.33, 0.3), goal_range=0.2)
    env.reset(options={"task": task})
    for action in (8, 4, 6):
        _, reward, terminated, _, info = env.step(action)
        assert (info["success"], terminated, reward) == (False, False, 0.0)
    _, reward, terminated, *_ = env.step(0)
    assert reward < 0 and not terminated
    _, reward, terminated, _, info = env.step(1)
    assert (info["success"], terminated, reward) == (True, True, 1.0)


def test_observations_say_what_is_there():
    plain = table("......\n..#o..\n......\n......", (0.375, 0.225), (0.825, 0.075), goal=(0.5, 0.25), goal_range=0.3)
    box = np.array([[0.68, 0.1, 0.02, 0.2, 0.0]])
    task = TablePushTask(plain.blocks, plain.objects, plain.goal, plain.goal_range, box)
    found = observe(task, task.objects)
    assert np.allclose(found["objects"], [(0.375, 0.225), (0.825, 0.075), (-1, -1)])
    assert np.allclose(found["goal"], (0.5, 0.25))
    # +x, -x, +y, -y
    assert np.allclose(found["landscape"], [(0, 0, 0.1, 0), (-0.15, 0.1, 0, -0.15), (0, 0, 0, 0)])


def test_what_has_fallen_is_observed_as_absent(env):
    env.reset(options={"task": open_table((0.3, 0.3), (0.825, 0.3))})
    observation = env.step(4)[0]
    assert observation["objects"][1].tolist() == [-1, -1] and (observation["landscape"][1] == 0).all()
    assert env.observation_space.contains(observation)


def test_what_is_no_argument_is_refused(env):
    for name in ("arm", "view", "render_mode"):
        with pytest.raises(InvalidOptionError, match=f"{name} is 'hand', expected one of"):
            TablePushEnv(**{name: "hand"})
    env.reset(options={"task": "targets/A"})
    with pytest.raises(
        InvalidOptionError, match="with arm 'tool'; this environment needs one of TablePushEnv with arm 'sawyer'"
    ):
        TablePushEnv(arm="sawyer").reset(options={"state": env.unwrapped.save_state()})
    with pytest.raises(InvalidOptionError, match="unknown reset option 'goal'"):
        env.reset(options={"goal": 3})
    with pytest.raises(InvalidTaskError, match="task is 3, expected a TablePushTask"):
        env.reset(options={"task": 3})
    with pytest.raises(InvalidTaskError, match="a place on a flat block"):
        broken = open_table((0.3, 0.3))
        blocks = np.ones((6, 4), np.int8)
        env.reset(options={"task": TablePushTask(blocks, broken.objects, broken.goal, broken.goal_range)})


def test_steps_at_the_wrong_time_are_refused():
    env = TablePushEnv(render_mode="rgb_array")
    for call in (lambda: env.step(0), env.render, env.save_state, lambda: env.task):
        with pytest.raises(ResetNeededError):
            call()
    env.reset(seed=0, options={"task": open_table((0.825, 0.3))})
    for action in (12, -1, 1.5, "left", None):
        with pytest.raises(InvalidActionError, match="expected a member of Discrete"):
            env.step(action)
    assert env.step(0)[2]
    with pytest.raises(ResetNeededError):
        env.step(0)


def test_every_action_has_a_key():
    assert sorted(TablePushEnv.keys_to_action.values()) == list(range(12))


def test_without_pybullet_the_extra_is_named():
    program = (
        "import sys; sys.modules['pybullet'] = None\n"
        "import gymnasium, procgen_bench\n"
        "try: gymnasium.make('TablePush-v0')\n"
        "except procgen_bench.core.errors.MissingExtraError as error: print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'procgen-bench[pybullet]'" in printed


def test_pybullet_is_imported_without_a_word():
    program = "import procgen_bench.envs.table_push"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == run.stderr == ""


distances = st.lists(st.floats(0.0, 1.2), min_size=2, max_size=10)


def test_ends():
    assert reward_push(0.3, 0.1, 0.4, False, False) == (1.0, True, True)
    assert reward_push(0.3, 0.05, 0.4, True, True) == (-0.2, True, False)
    assert reward_push(0.3, 0.05, 0.4, False, True) == (-0.1, True, False)
    assert reward_push(np.nan, np.nan, 0.4, False, False) == (0.0, False, False)


def test_the_goal_is_earned_by_coming_to_it():
    assert reward_push(0.05, 0.05, 0.4, False, False) == (0.0, False, False)
    assert reward_push(0.1, 0.05, 0.4, False, False) == (0.0, False, False)
    assert reward_push(0.101, 0.1, 0.4, False, False) == (1.0, True, True)


def test_progress_is_the_gained_share_of_the_range():
    assert progress(0.4, 0.25, 0.6) == pytest.approx(0.15 / 0.5)
    assert progress(0.25, 0.4, 0.6) == pytest.approx(-0.15 / 0.5)
    assert progress(0.65, 0.5, 0.6) == pytest.approx(0.10 / 0.5)
    assert progress(0.7, 0.65, 0.6) == progress(0.7, 0.8, 0.6) == 0.0
    assert progress(0.2, 0.15, 0.1) == progress(0.05, 0.2, 0.1) == 0.0
    assert progress(0.05, 0.2, 0.6) == pytest.approx(-0.1 / 0.5)


@given(distances, st.floats(0.11, 0.6))
def test_progress_of_an_episode_is_at_most_one_and_nothing_for_a_round_trip(way, goal_range):
    total = sum(progress(before, after, goal_range) for before, after in pairwise(way))
    assert -1 - 1e-9 <= total <= 1 + 1e-9
    back = total + progress(way[-1], way[0], goal_range)
    assert back == pytest.approx(0, abs=1e-9)
