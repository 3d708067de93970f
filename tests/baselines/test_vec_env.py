"""The adapter to stable-baselines3."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.sb3.vec_env import TaskVecEnv
from procgen_bench.baselines.teachers import Teacher
from procgen_bench.core.registrations import environment_type

SPACE = environment_type("GridWorld-v0").task_space


class RecordingTeacher(Teacher):
    """Proposes the graded tasks in turn, and keeps what it hears."""

    def __init__(self):
        self.proposed, self.heard = 0, []

    def propose(self, count):
        tasks = SPACE.suite("graded").tasks
        self.proposed += count
        return [SPACE.encode(tasks[k % len(tasks)]) for k in range(self.proposed - count, self.proposed)]

    def observe(self, parameters, episodes):
        self.heard += list(zip(parameters, episodes, strict=True))

    def state(self):
        return {"proposed": self.proposed}

    def restore(self, state):
        self.proposed = state["proposed"]


def test_rows_replay_in_single_environments():
    """Every row's stream of observations, rewards and ends is that of single episodes on the proposed tasks."""
    num_envs, steps = 5, 300
    env = TaskVecEnv("GridWorld-v0", num_envs, RecordingTeacher())
    actions = np.random.default_rng(0).integers(0, 4, (steps, num_envs))
    singles = [gymnasium.make("GridWorld-v0") for _ in range(num_envs)]
    observations = env.reset()
    for row, single in enumerate(singles):
        first, _ = single.reset(options={"task": env._parameters[row]})
        assert all(np.array_equal(first[key], observations[key][row]) for key in first)
    for step in range(steps):
        before = {key: array.copy() for key, array in observations.items()}
        following, rewards, ended, infos = env.step(actions[step])
        assert all(np.array_equal(before[key], observations[key]) for key in before), "a returned batch was overwritten"
        observations = following
        for row, single in enumerate(singles):
            expected, reward, terminated, truncated, info = single.step(actions[step, row])
            assert rewards[row] == np.float32(reward)
            assert ended[row] == (terminated or truncated)
            if ended[row]:
                final = infos[row]["terminal_observation"]
                assert all(np.array_equal(expected[key], final[key]) for key in expected)
                assert infos[row]["TimeLimit.truncated"] == (truncated and not terminated)
                assert infos[row]["is_success"] == info["success"]
                expected, _ = single.reset(options={"task": env._parameters[row]})
            assert all(np.array_equal(expected[key], observations[key][row]) for key in expected)


def test_the_teacher_hears_of_every_episode():
    teacher = RecordingTeacher()
    env = TaskVecEnv("GridWorld-v0", 4, teacher)
    env.reset()
    rng, ends = np.random.default_rng(1), 0
    for _ in range(200):
        _, _, ended, _ = env.step(rng.integers(0, 4, 4))
        ends += ended.sum()
    assert len(teacher.heard) == ends
    assert teacher.proposed == ends + 4
    assert all(1 <= episode.length <= 50 for _, episode in teacher.heard)


@pytest.mark.parametrize("teacher", [None, RecordingTeacher])
def test_a_restored_environment_goes_on_alike(teacher):
    def build():
        return TaskVecEnv("GridWorld-v0", 3, teacher() if teacher else None, tasks=None if teacher else "graded")

    def play(env, actions):
        return [env.step(row) for row in actions]

    actions = np.random.default_rng(2).integers(0, 4, (120, 3))
    env = build()
    env.seed(5)
    env.reset()
    play(env, actions[:60])
    state, teacher_state = env.save_state(), env.teacher.state() if teacher else None
    other = build()
    other.reset()
    other.restore_state(state)
    if teacher:
        other.teacher.restore(teacher_state)
    for left, right in zip(play(env, actions[60:]), play(other, actions[60:]), strict=True):
        assert all(np.array_equal(left[0][key], right[0][key]) for key in left[0])
        assert np.array_equal(left[1], right[1])
        assert np.array_equal(left[2], right[2])
