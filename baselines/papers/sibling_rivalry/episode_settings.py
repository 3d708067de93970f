"""Settings of PPO on whole episodes whose rewards a labeller decides."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    POSITIVE,
    SHARE,
    GoalConfiguration,
    PaperDefaults,
    for_environment,
    option,
)

#: What the rows of a pair share.
Siblings = Literal["none", "goal", "start and goal"]


#: Tasks of an evaluation on the ant: 15,000 simulated steps every 200,000, so that evaluating takes at most a tenth of
#: the steps that training takes in runs of 600,000 and more.
ANT_EVALUATION_TASKS = 30


#: Table 1's figures that differ between environments; voxel building's, which it leaves out, are the bits' but for the
#: epochs: two, as IMPALA's actors, which the paper trains it by, hand every step to the learner about once.
TABLE_1: PaperDefaults = {
    "BitGrid-v0": {"epochs": 4, "learning_rate_decay": 0.999, "entropy_weight": 0.025, "discount": 1.0},
    "SparsePointMaze-v0": {"epochs": 4, "learning_rate_decay": 0.999, "entropy_weight": 0.025, "discount": 1.0},
    "SparseAntMaze-v0": {
        "epochs": 2,
        "learning_rate_decay": 1.0,
        "entropy_weight": 0.025,
        "discount": 1.0,
        "evaluation_tasks": ANT_EVALUATION_TASKS,
    },
    "VoxelBuild-v0": {"epochs": 2, "learning_rate_decay": 0.999, "entropy_weight": 0.025, "discount": 0.99},
    "VoxelBuildSmall-v0": {"epochs": 2, "learning_rate_decay": 0.999, "entropy_weight": 0.025, "discount": 0.99},
}


#: What methods that are rewarded by distances have besides: values for families that are not in the paper,
#: and how they are paid. GridWorld's learning rate stays: its episodes are short, and so updates are many. In voxel
#: building distances are paid with every block, as the paper has it, elsewhere at the end; the published source's
#: critic values what follows a cut wherever they are not paid at the end.
GOALS: PaperDefaults = {
    name: figures | dict.fromkeys(("per_step", "bootstrap"), name.startswith("VoxelBuild"))
    for name, figures in {
        **TABLE_1,
        "FetchBlocks-v0": {**TABLE_1["SparsePointMaze-v0"], "evaluation_tasks": 100},
        "GridWorld-v0": {**TABLE_1["SparsePointMaze-v0"], "learning_rate_decay": 1.0},
    }.items()
}


@dataclass(frozen=True)
class EpisodicConfiguration(GoalConfiguration):
    """Table 1's, for 20 workers in one."""

    rollouts: int = option(80, "Episodes between updates: the paper's 4 of each of 20 workers.", COUNT)
    group_size: int = option(4, "Episodes of a group; every group weighs as much, as the paper's workers do.", COUNT)
    epochs: int | None = option(None, "Passes over the episodes; the paper's for the environment by default.", COUNT)
    minibatches: int = option(4, "Gradient steps per epoch.", COUNT)
    learning_rate: float = option(1e-3, "Learning rate of Adam.", AMOUNT)
    adam_epsilon: float = option(1e-3, "Adam's epsilon (the published source's).", AMOUNT)
    learning_rate_decay: float | None = option(
        None, "Factor of the learning rate after every update; the paper's for the environment by default.", POSITIVE
    )
    entropy_weight: float | None = option(
        None, "Weight of the entropy bonus; the paper's for the environment by default.", AMOUNT
    )
    entropy_cooldown: float = option(
        0.0,
        "Share of the run, at its end, over which the weight of the entropy bonus falls to 0; not in the paper.",
        SHARE,
    )
    gae_lambda: float = option(0.98, "Decay of generalised advantage estimation.", SHARE)
    discount: float | None = option(None, "Discount factor; the paper's for the environment by default.", SHARE)
    bootstrap: bool | None = option(False, "Whether the critic's value follows an episode that was cut off.")
    clip_range: float = option(0.2, "Clip range of the probability ratio (not given in the paper).", AMOUNT)
    evaluate_every: int = option(200_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        None, "Tasks per evaluation; by default all of the benchmark's, ant 30, blocks 100.", COUNT
    )
    checkpoint_every: int = option(1_000_000, "Least steps between checkpoints.", COUNT)
    stochastic: bool = option(True, "Whether the trained policy draws its actions instead of taking the mean or best.")
    recognition: float = option(
        0.0,
        "Weight of recognising the agent's pose in VoxelBuild-v0's picture, as training alone knows it; 0: the paper's "
        "network.",
        AMOUNT,
    )
    observation: str = option("", "The environment's argument of that name, as VoxelBuild-v0's `pose`; empty: its own.")

    #: Name of the method, and the tables that fill in what is ``None``, later ones over earlier ones.
    method: ClassVar[str]
    rows_option: ClassVar[str] = "rollouts"
    tables: ClassVar[tuple[PaperDefaults, ...]] = (TABLE_1,)

    def resolved(self, environment_id: str) -> Self:
        """With the paper's values for the environment in place of ``None``."""
        return for_environment(self, environment_id, *self.tables)

    @property
    def siblings(self) -> Siblings:
        """What the rows of a pair share."""
        return "none"


@dataclass(frozen=True)
class DistanceConfiguration(EpisodicConfiguration):
    """And of methods that are rewarded by distances."""

    bootstrap: bool | None = option(
        None, "Whether the critic's value follows an episode that was cut off; in voxel building only by default."
    )
    per_step: bool | None = option(
        None, "Whether the reward is paid as it changes with every step; in voxel building only by default."
    )
