"""Runs of Sibling Rivalry's off-policy rivals.

stable-baselines3's hindsight replay over a native goal environment, as both are.
"""

from dataclasses import fields

import gymnasium
import numpy as np
import pytest
from safetensors.numpy import load_file
from stable_baselines3 import DQN, HerReplayBuffer
from stable_baselines3.common.vec_env import DummyVecEnv

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.parts.replay_settings import TargetUpdates
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import UnsupportedEnvironmentError
from tests.hindsight import filled_buffer

METHODS = {"ddpg-her": "point-maze/corridor-2", "dqn-her": "bit-grid/test", "dqn-dense": "bit-grid/test"}
STEPS = 4_000
SMALL = {"rollouts": 8, "minibatches": 2, "batch_size": 16, "buffer_size": 1_000, "evaluation_tasks": 1}


def test_the_ant_is_trained_on_subgoals_and_counted_in_its_own_steps(tmp_path):
    """A run of 8 rows for 25 subgoals is 4,000 steps; its policy plays torques."""
    benchmark = get_benchmark("ant-maze/test")
    configuration = get_method("ddpg-her").load("configuration")(**SMALL)
    run = get_method("ddpg-her").train(benchmark, configuration, 0, STEPS, tmp_path / "run")
    assert [int(row["step"]) for row in curve_of(run.path)] == [0, STEPS]
    replay = load_file(run.path / "checkpoint" / "arrays.safetensors")
    assert replay["player.student.replay.actions"].shape[1:] == (8, 2)
    assert replay["player.student.replay.left"].max() == 24
    policy = load_policy(run.policy_path, benchmark.environment_id)
    assert policy.chooser[-2].out_features == 2
    with gymnasium.make(benchmark.environment_id) as env:
        observation, _ = env.reset(seed=0)
        torques = policy.act({name: array[None] for name, array in observation.items()}, np.ones(1, np.bool_))
        assert env.action_space.contains(torques[0])


@pytest.mark.parametrize("method", list(METHODS))
def test_an_environment_that_the_method_does_not_learn_in_is_refused(method, tmp_path):
    with pytest.raises(UnsupportedEnvironmentError, match=r"does not support GridWorld-v0; supported: "):
        get_method(method).train(
            get_benchmark("grid-world/graded"), get_method(method).load("configuration")(), 0, STEPS, tmp_path / "run"
        )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", list(METHODS))
def test_every_option_is_described(method):
    for field in fields(get_method(method).load("configuration")):
        assert field.metadata["description"].endswith(".")


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """begun(method, benchmark, **options) -> the training of a run, before its first step."""
    kept = []
    monkeypatch.setattr(Trainer, "advance", lambda trainer, steps: kept.append(trainer))

    def of(method, benchmark_id, **options):
        configuration = get_method(method).load("configuration")(**options)
        get_method(method).train(get_benchmark(benchmark_id), configuration, 0, 1_000_000, tmp_path / f"{len(kept)}")
        return kept[-1]

    return of


@pytest.mark.parametrize(
    ("method", "benchmark_id", "batch_size", "relabelled"),
    [
        ("ddpg-her", "point-maze/test", 512, 4 / 5),
        ("dqn-her", "bit-grid/test", 256, 4 / 5),
        ("dqn-dense", "bit-grid/test", 256, 0.0),
    ],
)
def test_table_2(method, benchmark_id, batch_size, relabelled, begun):
    training = begun(method, benchmark_id)
    learner = training.student.learner
    settings, replay = learner.settings, learner.replay
    assert (replay.num_rows, settings.updates_per_rollout, learner.epsilon) == (80, 40, 0.2)
    assert (settings.learning_starts, settings.updates_per_step) == (0, 0.0)
    assert (settings.discount, settings.target_updates) == (0.98, TargetUpdates(pytest.approx(0.05), "updates"))
    for optimizer in learner.optimizers.values() or [learner.q.optimizer]:
        assert (optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["eps"]) == (1e-3, 1e-3)
    assert (replay.capacity * 80, settings.batch_size, replay._relabelled) == (400_000, batch_size, relabelled)
    assert training._collector.num_steps == 50, "a whole horizon"
    if method == "ddpg-her":
        assert (learner.noise, learner.action_l2) == (0.1, 0.25)
    else:
        assert learner.dense == (method == "dqn-dense")


def test_table_2_for_the_ant(begun):
    training = begun("ddpg-her", "ant-maze/test", rollouts=2, buffer_size=1_000)
    learner = training.student.learner.high
    assert (learner.action_l2, learner.settings.batch_size, training.run.configuration.evaluation_tasks) == (
        0.0002,
        512,
        30,
    )
    assert (training._collector.num_steps, learner.replay.num_rows) == (25, 2)


def test_options_come_before_table_2(begun):
    learner = begun("ddpg-her", "point-maze/test", noise=0.5, action_l2=2.0, relabelled=1, **SMALL).student.learner
    assert (learner.noise, learner.action_l2, learner.replay._relabelled) == (0.5, 2.0, 1 / 2)
    assert learner.settings.batch_size == SMALL["batch_size"]
    assert begun("dqn-her", "bit-grid/test", relabelled=1, **SMALL).student.learner.replay._relabelled == 1 / 2


ROWS, NUM_STEPS, EPISODE = 4, 150, 50


def random_play(env) -> HerReplayBuffer:
    """Three whole episodes in every row."""
    return filled_buffer(env, 1_000, NUM_STEPS, lambda rng: rng.integers(9, size=env.num_envs))


def make_task_vec_env() -> TaskVecEnv:
    env = TaskVecEnv("BitGrid-v0", ROWS)
    env.seed(0)
    return env


def make_dummy_vec_env() -> DummyVecEnv:
    env = DummyVecEnv([lambda: gymnasium.make("BitGrid-v0")] * ROWS)
    env.seed(0)
    return env


@pytest.mark.parametrize("make", [make_task_vec_env, make_dummy_vec_env])
def test_relabelled_rewards_are_those_of_the_relabelled_goals(make):
    buffer = random_play(make())
    np.random.seed(0)  # the buffer draws from it
    samples = buffer.sample(4_000)
    achieved = samples.next_observations["achieved_goal"].numpy()
    desired = samples.next_observations["desired_goal"].numpy()
    reached = (achieved == desired).all(axis=(1, 2))
    assert np.array_equal(samples.rewards.numpy()[:, 0], reached.astype(np.float32))
    assert 0.1 < reached.mean() < 0.9
    assert np.array_equal(desired, samples.observations["desired_goal"].numpy())


def test_the_task_vec_env_and_the_dummy_one_store_the_same():
    """Same seeds, same actions: the buffers hold the same transitions, so the adapter loses nothing."""
    ours, theirs = (random_play(make()) for make in (make_task_vec_env, make_dummy_vec_env))
    assert ours.pos == theirs.pos == NUM_STEPS
    for name in ("observation", "achieved_goal", "desired_goal"):
        assert np.array_equal(ours.observations[name][:NUM_STEPS], theirs.observations[name][:NUM_STEPS])
        assert np.array_equal(ours.next_observations[name][:NUM_STEPS], theirs.next_observations[name][:NUM_STEPS])
    for name in ("rewards", "dones", "timeouts", "ep_length"):
        assert np.array_equal(getattr(ours, name)[:NUM_STEPS], getattr(theirs, name)[:NUM_STEPS]), name


def test_dqn_with_hindsight_trains():
    model = DQN(
        "MultiInputPolicy",
        make_task_vec_env(),
        replay_buffer_class=HerReplayBuffer,
        learning_starts=EPISODE * ROWS,
        buffer_size=1_000,
        policy_kwargs={"net_arch": [16]},
        seed=0,
    )
    model.learn(EPISODE * ROWS * 2)
    assert model._n_updates > 0
    assert model.num_timesteps == EPISODE * ROWS * 2
