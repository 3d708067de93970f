"""PPO on GridWorld-v0 beside stable-baselines3's and a loop of sixty lines, in one run on one thread: ``make bench``.

All draw uniform levels; all but stable-baselines3's defaults read observations by the same parts.
"""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.baselines.fast.ppo import twin_of
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration, RecurrentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.parts.space_features import SpaceFeatures
from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.trainer import freed_memory_is_kept
from tests.performance.plain_ppo import PlainPPO
from tests.performance.stepping import in_processor_seconds, in_wall_seconds, time_training
from tests.performance.taught_training import taught_rows, training_round

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = PPOConfiguration()
STEPS = SETTINGS.num_envs * SETTINGS.rollout_steps


def our_learner(configuration, compiled: bool = True) -> PolicyGradient:
    policy = ActorPolicy("GridWorld-v0", True, **configuration.sizes)
    learner = PolicyGradient(policy.network, policy.actions, configuration, np.random.default_rng(0))
    return twin_of(learner) if compiled else learner


def our_training(configuration, teacher: str, compiled: bool = True):
    """A function that trains by one rollout of all rows."""
    rows = taught_rows(configuration.num_envs, teacher, configuration.solvable)
    return training_round(rows, our_learner(configuration, compiled), configuration.rollout_steps)


@in_wall_seconds
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("configuration", [SETTINGS, RecurrentPPOConfiguration()], ids=lambda each: each.method)
def test_updates_in_threads(benchmark, configuration, threads):
    rows = taught_rows(configuration.num_envs, "uniform", configuration.solvable)
    rows.begin()
    torch.set_num_threads(threads)  # the fixture has noted what to go back to
    learner = our_learner(configuration)
    rollout = Collector(rows, learner, configuration.rollout_steps).collect()
    steps, role = configuration.num_envs * configuration.rollout_steps, "peer" if threads == 1 else "ours"
    label = f"{configuration.method}, updates alone, threads {threads}, wall seconds"
    with freed_memory_is_kept():
        time_training(benchmark, label, role, steps, lambda: learner.update(rollout))


@in_processor_seconds
@pytest.mark.parametrize("solvable", [False, True], ids=["all levels", "solvable levels"])
def test_ours(benchmark, solvable):
    configuration = PPOConfiguration(solvable=solvable)
    label = f"ours, uniform {'solvable ' if solvable else ''}levels"
    with freed_memory_is_kept():
        time_training(benchmark, label, "ours", STEPS, our_training(configuration, "uniform"))


@in_processor_seconds
@pytest.mark.parametrize("teacher", ["uniform", "ladder"])
def test_ours_with_memory(benchmark, teacher):
    configuration = RecurrentPPOConfiguration()
    steps = configuration.num_envs * configuration.rollout_steps
    with freed_memory_is_kept():
        time_training(
            benchmark, f"ours, memory 128, teacher {teacher}", "ours", steps, our_training(configuration, teacher)
        )


@in_processor_seconds
def test_torch_with_memory(benchmark):
    configuration = RecurrentPPOConfiguration()
    steps = configuration.num_envs * configuration.rollout_steps
    with freed_memory_is_kept():
        training = our_training(configuration, "uniform", compiled=False)
        time_training(benchmark, "in torch, memory 128, teacher uniform", "peer", steps, training)


@in_processor_seconds
def test_stable_baselines3_as_it_comes(benchmark):
    env = DummyVecEnv([lambda: gymnasium.make("GridWorld-v0")])
    model = PPO("MultiInputPolicy", env, device="cpu", seed=0)
    time_training(benchmark, "SB3's defaults", "peer", model.n_steps, lambda: model.learn(model.n_steps))


@in_processor_seconds
def test_stable_baselines3_with_the_same_settings(benchmark):
    model = PPO(
        "MultiInputPolicy",
        TaskVecEnv("GridWorld-v0", SETTINGS.num_envs),
        n_steps=SETTINGS.rollout_steps,
        batch_size=STEPS // SETTINGS.minibatches,
        n_epochs=SETTINGS.epochs,
        learning_rate=SETTINGS.learning_rate,
        ent_coef=SETTINGS.entropy_weight,
        policy_kwargs={
            "features_extractor_class": SpaceFeatures,
            "net_arch": [SETTINGS.width] * SETTINGS.layers,
            "activation_fn": torch.nn.ReLU,
        },
        device="cpu",
        seed=0,
    )
    time_training(benchmark, "SB3, same rows and settings", "peer", STEPS, lambda: model.learn(STEPS))


@in_processor_seconds
@pytest.mark.parametrize("tasks", [None, "solvable"], ids=["all levels", "solvable levels"])
def test_plain_loop(benchmark, tasks):
    env = gymnasium.make_vec(
        "GridWorld-v0", SETTINGS.num_envs, "vector_entry_point", autoreset_mode=AutoresetMode.SAME_STEP, tasks=tasks
    )
    label = f"sixty-line loop, {tasks or 'all'} levels"
    time_training(benchmark, label, "peer", STEPS, PlainPPO(env, SETTINGS).train_once)
