"""Settings of the off-policy methods."""

from dataclasses import dataclass
from typing import ClassVar

from procgen_bench.baselines.training.settings import AMOUNT, COUNT, SHARE, GoalConfiguration, option


@dataclass(frozen=True)
class OffPolicyConfiguration(GoalConfiguration):
    """Table 2's, for 20 workers in one."""

    rollouts: int = option(80, "Rows, each played for one horizon between updates: the paper's 4 of 20 workers.", COUNT)
    minibatches: int = option(40, "Gradient steps per update.", COUNT)
    batch_size: int | None = option(
        None, "Transitions per minibatch; by default bounded by what one processor core can do (see the method).", COUNT
    )
    learning_rate: float = option(1e-3, "Step size of Adam.", AMOUNT)
    adam_epsilon: float = option(
        1e-3, "What Adam adds to the root of its second moments (the published source's).", AMOUNT
    )
    discount: float = option(0.98, "Discount factor.", SHARE)
    polyak: float = option(0.95, "Share of the target networks that stays, once per update.", SHARE)
    epsilon: float = option(0.2, "Chance of a uniformly random action.", SHARE)
    buffer_size: int = option(400_000, "Transitions that the replay holds.", COUNT)
    evaluate_every: int = option(200_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        None, "Tasks per evaluation; by default all of the benchmark's, ant 30.", COUNT
    )
    checkpoint_every: int = option(1_000_000, "Least steps between checkpoints.", COUNT)

    #: Trained policies play their best action.
    stochastic: ClassVar[bool] = False
