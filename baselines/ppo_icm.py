"""PPO on the sparse reward and intrinsic curiosity (Pathak et al., 2017), as Sibling Rivalry compares it."""

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
class CuriosityConfiguration(EpisodicConfiguration):
    """Defaults are the paper's (table 1 and appendix F)."""

    discount: float = option(0.98, "Discount factor.", SHARE)
    bootstrap: bool = option(True, "Whether the critic's value follows an episode that was cut off.")
    bonus_weight: float = option(0.01, "Weight of the bonus, where success is rewarded by 1.", AMOUNT)
    scale_bonus: bool = option(
        False,
        "Whether bonuses are divided by the running deviation of their discounted sums (not in the published source).",
    )
    module_rate: float = option(0.05, "Learning rate of the curiosity module, as a share of the policy's.", AMOUNT)


def train(benchmark: Benchmark, configuration: CuriosityConfiguration, seed: int, steps: int, out: Path) -> "RunFolder":
    """Train as long as whole episodes fit in ``steps`` environment steps; resumes the run that ``out`` holds."""
    from procgen_bench.baselines.episodic.bonus import BonusRewards, StateEncoder, bonus_settings, state_space
    from procgen_bench.baselines.episodic.training import train_on_episodes
    from procgen_bench.baselines.exploration.curiosity import Curiosity

    configuration = for_environment(configuration, benchmark.environment_id, TABLE_1)

    def make_labeller(rows: "EpisodeRows") -> BonusRewards:
        curiosity = Curiosity(
            state_space(rows.env.single_observation_space),
            rows.env.single_action_space,
            StateEncoder,
            bonus_settings(configuration, configuration.module_rate),
        )
        return BonusRewards(curiosity, configuration.bonus_weight, configuration.discount, configuration.scale_bonus)

    return train_on_episodes("ppo-icm", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")


if __name__ == "__main__":
    from procgen_bench.baselines.command_line import main

    main("ppo-icm")
