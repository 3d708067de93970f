"""Training PPO on the sparse reward and intrinsic curiosity."""

from pathlib import Path

from procgen_bench.baselines.episodic.bonus import BonusRewards, StateEncoder, bonus_settings, state_space
from procgen_bench.baselines.episodic.training import paper_figures, train_on_episodes
from procgen_bench.baselines.exploration.curiosity import Curiosity
from procgen_bench.baselines.ppo_icm.configuration import CuriosityConfiguration
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.benchmark import Benchmark
from procgen_bench.goal_env import GoalVectorEnv


def train(benchmark: Benchmark, configuration: CuriosityConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (rounded up to whole rollouts); resumes the run that ``out`` holds."""
    configuration = configuration.with_defaults(paper_figures(benchmark.environment_id))

    def make_labeller(rows: GoalVectorEnv) -> BonusRewards:
        curiosity = Curiosity(
            state_space(rows.single_observation_space),
            rows.single_action_space,
            StateEncoder,
            bonus_settings(configuration, configuration.module_rate),
        )
        return BonusRewards(curiosity, configuration.bonus_weight, configuration.discount)

    return train_on_episodes("ppo-icm", benchmark, configuration, seed, steps, out, make_labeller, siblings="none")
