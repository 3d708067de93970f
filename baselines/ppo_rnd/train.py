"""Training PPO on the sparse reward and random network distillation."""

from pathlib import Path

from procgen_bench.baselines.episodic.bonus import BonusRewards, StateEncoder, bonus_settings, state_space
from procgen_bench.baselines.episodic.training import paper_figures, train_on_episodes
from procgen_bench.baselines.exploration.distillation import Distillation
from procgen_bench.baselines.ppo_rnd.configuration import DistillationConfiguration
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.benchmark import Benchmark
from procgen_bench.goal_env import GoalVectorEnv


def train(
    benchmark: Benchmark, configuration: DistillationConfiguration, seed: int, steps: int, out: Path
) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    configuration = configuration.with_defaults(paper_figures(benchmark.environment_id))

    def make_labeller(rows: GoalVectorEnv) -> BonusRewards:
        settings = bonus_settings(configuration, configuration.module_rate)
        distillation = Distillation(state_space(rows.single_observation_space), StateEncoder, settings)
        return BonusRewards(distillation, configuration.bonus_weight, configuration.discount)

    return train_on_episodes("ppo-rnd", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")
