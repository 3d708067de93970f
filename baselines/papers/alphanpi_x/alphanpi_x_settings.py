"""Settings of AlphaNPI-X's planner."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    PAIR,
    SHARE,
    MethodConfiguration,
    option,
)
from procgen_bench.core.errors import InvalidOptionError


@dataclass(frozen=True)
class AlphaNPIXConfiguration(MethodConfiguration):
    """The paper's table 5 gives the search; the learner's own figures are faster than the paper's."""

    method: ClassVar[str] = "alphanpi-x"

    library: str = option(
        "4", "The paper's programs for so many blocks, 2 to 6, or a library of your own, MODULE:NAME."
    )
    atomic: str = option(
        "scripted",
        "Who carries out atomic programs: scripted (the expert), learned (the package's policy), or a folder that "
        "`procgen-bench train npi-goals` wrote.",
    )
    model: str = option(
        "symbolic",
        "How atomic programs are imagined: symbolic (they always reach their goals), learned (a model of calls "
        "that are recorded when the run begins), or the folder of such a model.",
    )
    recorded_calls: int = option(50_000, "Recorded calls that a learned model is fitted to (the paper's).", COUNT)
    model_epochs: int = option(500, "Epochs over these calls (the paper's).", COUNT)
    model_loss: Literal["median", "mean"] = option(
        "median", "What it predicts if the results of calls vary: their median, or their mean (the paper)."
    )
    failing: float = option(
        0.0, "Share of the recorded calls that do nothing, to learn a model of an arm that fails.", SHARE
    )
    plays: Literal["replan", "plan", "no-plan"] = option(
        "replan",
        "How its policy plays: replan (after every call), plan (once, without looking), or no-plan (the network "
        "alone; with a learned arm it can be exported, evaluated and submitted).",
    )
    calls: str = option(
        "levels",
        "What a program may call: levels (all of lower levels, the paper), or library (its definition's list).",
    )
    curriculum: str = option(
        "random", "Which programs are played: random, or progress (more often if their success changes; section B.3)."
    )
    episodes: int = option(64, "Searches between updates, all in parallel.", COUNT)
    simulations: int = option(100, "Simulations in each decision of a search that explores.", PAIR)
    discount: float = option(0.97, "Discount of a success for every call that it takes.", SHARE)
    discounted: Literal["calls", "atomic"] = option(
        "calls",
        "Which calls are discounted: the program's own calls (the paper), or atomic, all atomic ones at any depth, so "
        "that no calls are wasted.",
    )
    learning_rate: float = option(1e-3, "Step size of Adam.", AMOUNT)
    batch_size: int = option(64, "Trajectories of a gradient step.", COUNT)
    buffer_size: int = option(150, "Newest trajectories of each program that are kept.", COUNT)
    evaluation_episodes: int = option(50, "Searches of every program in an evaluation.", COUNT)
    evaluate_every: int = option(2_500_000, "Imagined steps between evaluations.", COUNT)
    checkpoint_every: int = option(5_000_000, "Least imagined steps between checkpoints.", COUNT)
    device: str = option("cpu", "Where the network is: cpu.")
    threads: int = option(1, "Threads of the learner; a run resumes exactly with the same number.", COUNT)

    def check(self, environment_id: str) -> None:
        """Refuse another device than the processor, and calls that fail where none are recorded."""
        if self.device != "cpu":
            raise InvalidOptionError(f"device is {self.device!r}, expected cpu: a search asks for few states at a time")
        if self.failing and self.model != "learned":
            raise InvalidOptionError(
                f"failing is {self.failing:g}, expected 0: calls are recorded under model=learned alone"
            )
