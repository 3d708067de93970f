"""What every method under a teacher has to be set."""

from dataclasses import dataclass

from procgen_bench.baselines.configuration import COUNT, SHARE, option


@dataclass(frozen=True)
class TaughtConfiguration:
    """Settings of the one loop."""

    teacher: str = option(
        "uniform", "Who proposes levels: one that `procgen-bench list` shows, or your own, MODULE:CLASS."
    )
    teacher_options: str = option("", "The teacher's own settings, e.g. score=value_loss,buffer_size=1000.")
    target_share: float = option(
        0.0,
        "Share of levels that are like the benchmark's own, as of the teacher `targets`, whoever the teacher is.",
        SHARE,
    )
    solvable: bool = option(
        True, "Whether levels are solvable ones only, where that is quickly told; in TablePush, with a target."
    )
    evaluate_every: int = option(250_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        200, "Tasks of an evaluation, spread over the benchmark's; all where it has fewer.", COUNT
    )
    evaluation_episodes: int | None = option(
        None,
        "Episodes of each of them; one says all where neither the policy nor the environment is left to chance.",
        COUNT,
    )
    checkpoint_every: int = option(250_000, "Least steps between checkpoints.", COUNT)
    device: str = option("cpu", "Where the networks are: cpu, or cuda.")
    threads: int = option(1, "Threads of the learner; a run resumes exactly with the same number.", COUNT)


@dataclass(frozen=True)
class GoalConfiguration(TaughtConfiguration):
    """And of methods for goals, which choose subgoals for the ant."""

    low_level: str = option(
        "learned",
        "What walks the ant to subgoals: learned (a policy learns along), or shipped (the controller).",
    )
    precision: str = option(
        "float32",
        "What convolutions multiply in: float32, or bfloat16, 1.7 times as fast on bits where the processor can.",
    )
    ant_threads: int = option(
        1, "Threads that share out the ants' physics; the run is the same with any number.", COUNT
    )


@dataclass(frozen=True)
class RolloutConfiguration(TaughtConfiguration):
    """And of learners to which it is the same how long their rollouts are."""

    num_envs: int = option(256, "Rows of the vector environment.", COUNT)
    rollout_steps: int = option(32, "Steps of every row between updates.", COUNT)
    stochastic: bool = option(True, "Whether the trained policy draws its actions instead of taking the best.")
