"""How deep Q-learning with an intrinsic reward is trained."""

from pathlib import Path

from procgen_bench.baselines.action_kinds import check_few
from procgen_bench.baselines.sb3.exploring_configuration import ExploringConfiguration
from procgen_bench.baselines.sb3.exploring_q_learner import ExploringQLearner, MakeBonus
from procgen_bench.baselines.sb3.replay_training import train_from_replay
from procgen_bench.baselines.sb3.value_policy import ValuePolicy
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.core.benchmark import Benchmark


def train_exploring(
    method: str,
    benchmark: Benchmark,
    configuration: ExploringConfiguration,
    seed: int,
    steps: int,
    out: Path,
    make_bonus: MakeBonus,
    episodic: bool = False,
) -> RunFolder:
    """Train for ``steps`` environment steps; resumes the run that ``out`` holds. For the rest see the learner."""

    def make_learner(rows, *others):
        spaces = rows.observation_space, rows.env.single_action_space
        return ExploringQLearner(*spaces, *others, make_bonus=make_bonus, episodic=episodic)

    return train_from_replay(method, benchmark, configuration, seed, steps, out, make_learner, ValuePolicy, check_few)
