"""Settings of stable-baselines3's learners."""

from dataclasses import dataclass
from typing import ClassVar

from procgen_bench.baselines.training.settings import (
    COUNT,
    CurriculumConfiguration,
    option,
)


@dataclass(frozen=True)
class StableBaselines3Configuration(CurriculumConfiguration):
    """What is not given is the algorithm's own default."""

    #: Its name in stable-baselines3.
    algorithm: ClassVar[str]

    num_envs: int = option(1, "Rows of the vector environment.", COUNT)
    arguments: str = option("", "The algorithm's own arguments, e.g. learning_rate=1e-4,batch_size=128.")
    width: int = option(64, "Units in each dense layer of the policy and of the critics.", COUNT)
    layers: int = option(2, "Dense layers.", COUNT)

    #: Whether the trained policy draws its actions; an option of methods whose policies can.
    stochastic: ClassVar[bool] = False


@dataclass(frozen=True)
class SB3PPOConfiguration(StableBaselines3Configuration):
    """Proximal policy optimisation; only the rows are not stable-baselines3's default, which is one."""

    method: ClassVar[str] = "sb3-ppo"
    algorithm: ClassVar[str] = "PPO"

    num_envs: int = option(8, "Rows of the vector environment.", COUNT)
    stochastic: bool = option(True, "Whether the trained policy draws its actions.")  # type: ignore[misc]


@dataclass(frozen=True)
class SB3DQNConfiguration(StableBaselines3Configuration):
    """Deep Q-learning."""

    method: ClassVar[str] = "sb3-dqn"
    algorithm: ClassVar[str] = "DQN"


@dataclass(frozen=True)
class SB3SACConfiguration(StableBaselines3Configuration):
    """Soft actor-critic."""

    method: ClassVar[str] = "sb3-sac"
    algorithm: ClassVar[str] = "SAC"

    width: int = option(256, "Units in each dense layer of the policy and of the critics.", COUNT)
    stochastic: bool = option(False, "Whether the trained policy draws its actions.")  # type: ignore[misc]
