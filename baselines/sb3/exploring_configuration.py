"""Settings of deep Q-learning with an intrinsic reward."""

from dataclasses import dataclass

from procgen_bench.baselines.sb3.replay_configuration import DQNConfiguration
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, option


@dataclass(frozen=True)
class ExploringConfiguration(DQNConfiguration):
    """APT-Gen searched its rivals' settings and does not give them (section 4.2).

    As in RIDE's published code, which has all three bonuses: the weight (0.1 in half of its README's commands, 0.5 in
    the others), what teaches RIDE's features, and that the bonus learns at the policy's rate. There rewards are clipped
    to a goal's worth; here the bonus is. Ours are the running scale (there each task has its weight), that ICM's and
    RND's bonus is the squared error, of features of length 1 (there the error's norm, of features as they are), that
    only the inverse model teaches ICM's features (there the forward model, too), that bonuses learn from the replay and
    not from what was just played, how often they do, and the steps before any is given.
    """

    bonus_weight: float = option(0.1, "Weight of the scaled bonus, where a goal is worth 1.", AMOUNT)
    bonus_learning_rate: float = option(3e-4, "Step size of Adam for the bonus's networks.", AMOUNT)
    bonus_updates_per_step: float = option(
        0.125, "Gradient steps of the bonus's networks for every environment step.", AMOUNT
    )
    bonus_width: int = option(128, "Features of an observation in the bonus's networks.", COUNT)
    bonus_starts: int = option(
        1_000, "Steps whose bonuses are measured, to scale the later ones, and not given.", AMOUNT
    )
