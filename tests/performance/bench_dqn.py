"""APT-Gen's student on GridWorld-v0, ten gradient steps for every environment step, beside stable-baselines3's DQN.

All in one run and on one thread: ``make bench``. All play uniform levels; the network of all but stable-baselines3's
defaults is the paper's.
"""

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DQN

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.baselines.methods.dqn import DQN as OurDQN
from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.parts.space_features import SpaceFeatures
from tests.performance.stepping import in_processor_seconds, time_training
from tests.performance.taught_training import taught_rows, training_round

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = DQNConfiguration(learning_starts=1_000)
STEPS = 50


@in_processor_seconds
def test_ours(benchmark):
    rows = taught_rows(1)
    spaces = rows.env.single_observation_space, rows.env.single_action_space
    train_once = training_round(rows, OurDQN(*spaces, SETTINGS, 100_000, np.random.default_rng(0)), 1)

    def train(steps: int) -> None:
        for _ in range(steps):
            train_once()

    train(SETTINGS.learning_starts)
    time_training(benchmark, "ours", "ours", STEPS, lambda: train(STEPS))


@in_processor_seconds
@pytest.mark.parametrize("with_our_network", [False, True], ids=["its network", "our network"])
def test_stable_baselines3(benchmark, with_our_network):
    reader = {"network": "", "otherwise": ModalityEncoder}
    ours = {"features_extractor_class": SpaceFeatures, "features_extractor_kwargs": reader, "net_arch": [128]}
    model = DQN(
        "MultiInputPolicy",
        gymnasium.make("GridWorld-v0"),
        learning_rate=SETTINGS.learning_rate,
        batch_size=SETTINGS.batch_size,
        learning_starts=SETTINGS.learning_starts,
        train_freq=1,
        gradient_steps=int(SETTINGS.updates_per_step),
        target_update_interval=1,
        policy_kwargs=ours if with_our_network else None,
        device="cpu",
        seed=0,
    )
    model.learn(SETTINGS.learning_starts)
    label = f"stable-baselines3, {'our' if with_our_network else 'its own'} network"
    time_training(benchmark, label, "peer", STEPS, lambda: model.learn(STEPS, reset_num_timesteps=False))
