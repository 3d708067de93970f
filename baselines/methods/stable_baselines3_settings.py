"""Settings of stable-baselines3's and sb3-contrib's algorithms."""

import ast
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, get_args

from procgen_bench.baselines.training.settings import COUNT, CurriculumConfiguration, option
from procgen_bench.core.errors import InvalidOptionError

#: Those that learn from their own rollouts, and those that value few actions; the others choose bounded vectors.
FROM_ROLLOUTS, OF_VALUES = ("PPO", "A2C", "RecurrentPPO", "TRPO"), ("DQN", "QRDQN")
#: Those whose policies draw nothing.
_DETERMINISTIC = (*OF_VALUES, "TD3", "DDPG")


@dataclass(frozen=True)
class SB3Configuration(CurriculumConfiguration):
    """What is not given is the algorithm's own default; the rows are 8 where it learns from rollouts."""

    method: ClassVar[str] = "sb3"

    # All that read observations by name, which CrossQ and ARS do not; MaskablePPO is PPO where no masks are declared.
    algorithm: Literal["PPO", "A2C", "DQN", "SAC", "TD3", "DDPG", "RecurrentPPO", "TRPO", "QRDQN", "TQC"] = option(
        "PPO", "The algorithm; RecurrentPPO, TRPO, QRDQN and TQC are sb3-contrib's (extra `learners`)."
    )
    num_envs: int | None = option(None, "Rows of the vector environment; 8 or 1, by algorithm.", COUNT)
    arguments: str = option("", "The algorithm's own arguments, e.g. learning_rate=1e-4,batch_size=128.")
    width: int | None = option(
        None, "Units in each dense layer of the policy and of the critics; 256 or 64, by algorithm.", COUNT
    )
    layers: int = option(2, "Dense layers.", COUNT)
    stochastic: bool | None = option(None, "Whether the trained policy draws its actions; by algorithm.")

    def resolved(self, environment_id: str) -> Self:
        """With the algorithm's rows and widths."""
        from_rollouts, is_small = self.algorithm in FROM_ROLLOUTS, self.algorithm in FROM_ROLLOUTS + OF_VALUES
        usual: dict[str, Any] = {"num_envs": 8 if from_rollouts else 1, "width": 64 if is_small else 256}
        usual["stochastic"] = from_rollouts
        return replace(self, **{name: value for name, value in usual.items() if getattr(self, name) is None})

    def given_arguments(self) -> dict[str, Any]:
        """The algorithm's own arguments by name, plain values.

        Raises:
            InvalidOptionError: They are not written as Python's keyword arguments.
        """
        try:
            call = ast.parse(f"f({self.arguments})", mode="eval").body
            assert isinstance(call, ast.Call) and not call.args
            return {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        except (SyntaxError, ValueError, AssertionError):
            raise InvalidOptionError(
                f"arguments is {self.arguments!r}, expected plain values by name: learning_rate=1e-4,batch_size=128"
            ) from None

    def check(self, environment_id: str) -> None:
        """Refuse arguments that cannot be read, and to draw the actions of a policy that cannot."""
        self.given_arguments()
        if self.stochastic and self.algorithm in _DETERMINISTIC:
            raise InvalidOptionError(f"stochastic is True, expected False: {self.algorithm}'s policies draw no actions")


#: The choices of the option.
ALGORITHMS: tuple[str, ...] = get_args(SB3Configuration.__annotations__["algorithm"])


@dataclass(frozen=True)
class SB3PPOConfiguration(SB3Configuration):
    """``sb3`` with ``--algorithm PPO``, under its older name."""

    method: ClassVar[str] = "sb3-ppo"
    algorithm: ClassVar[str] = "PPO"  # type: ignore[misc]  # no option here


@dataclass(frozen=True)
class SB3DQNConfiguration(SB3Configuration):
    """``sb3`` with ``--algorithm DQN``, under its older name."""

    method: ClassVar[str] = "sb3-dqn"
    algorithm: ClassVar[str] = "DQN"  # type: ignore[misc]
    stochastic: ClassVar[bool] = False  # type: ignore[misc]


@dataclass(frozen=True)
class SB3SACConfiguration(SB3Configuration):
    """``sb3`` with ``--algorithm SAC``, under its older name."""

    method: ClassVar[str] = "sb3-sac"
    algorithm: ClassVar[str] = "SAC"  # type: ignore[misc]
