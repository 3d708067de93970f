"""PPO on the sparse reward and random network distillation (Burda et al., 2018b), Sibling Rivalry's rival."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from procgen_bench.baselines.configuration import AMOUNT, SHARE, for_environment, option
from procgen_bench.baselines.episodic.configuration import TABLE_1, EpisodicConfiguration
from procgen_bench.core.benchmark import Benchmark

if TYPE_CHECKING:
    from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
    from procgen_bench.baselines.run_folder import RunFolder


@dataclass(frozen=True)
class DistillationConfiguration(EpisodicConfiguration):
    """The paper gives no figures: defaults are its curiosity's (table 1 and appendix F)."""

    discount: float = option(0.98, "Discount factor.", SHARE)
    bootstrap: bool = option(True, "Whether the critic's value follows an episode that was cut off.")
    bonus_weight: float = option(0.01, "Weight of the bonus, where success is rewarded by 1.", AMOUNT)
    scale_bonus: bool = option(
        True, "Whether bonuses are divided by the running deviation of their discounted sums (Burda et al. do)."
    )
    module_rate: float = option(0.05, "Learning rate of the predictor, as a share of the policy's.", AMOUNT)


def train(
    benchmark: Benchmark, configuration: DistillationConfiguration, seed: int, steps: int, out: Path
) -> "RunFolder":
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds."""
    from procgen_bench.baselines.episodic.bonus import BonusRewards, StateEncoder, bonus_settings, state_space
    from procgen_bench.baselines.episodic.training import train_on_episodes
    from procgen_bench.baselines.exploration.distillation import Distillation

    configuration = for_environment(configuration, benchmark.environment_id, TABLE_1)

    def make_labeller(rows: "EpisodeRows") -> BonusRewards:
        settings = bonus_settings(configuration, configuration.module_rate)
        distillation = Distillation(state_space(rows.env.single_observation_space), StateEncoder, settings)
        return BonusRewards(distillation, configuration.bonus_weight, configuration.discount, configuration.scale_bonus)

    return train_on_episodes("ppo-rnd", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo-rnd")
