"""Settings of teachers of designs: CoDE's generator, its rivals on the same designs, and designs that are drawn."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from procgen_bench.baselines.papers.code.objectives import Objective
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, POSITIVE, SHARE, Range, option
from procgen_bench.core.errors import InvalidOptionError


@dataclass(frozen=True)
class DesignConfiguration:
    """What designs are made of, and who plays them."""

    population: int = option(1, "Players that every design is proposed to.", COUNT)
    episodes: int = option(2, "Episodes of each player in each design.", COUNT)
    batch: int = option(24, "Designs between two updates.", COUNT)
    slots: int = option(12, "Choices of a primitive, or of none, in a design; shopping/4 takes 25.", COUNT)
    pages: int = option(10, "Pages that a site has at most.", COUNT)


@dataclass(frozen=True)
class RandomDesignsConfiguration(DesignConfiguration):
    """Numbers of pages, primitives and pages drawn uniformly."""


@dataclass(frozen=True)
class ScheduledDesignsConfiguration(DesignConfiguration):
    """Every choice is a primitive with a probability that rises."""

    first_share: float = option(0.1, "Probability of a primitive, and not SKIP, at first.", SHARE)
    rises_over: int = option(2_400_000, "Steps of the learner over which it rises to 1.", COUNT)


@dataclass(frozen=True)
class GeneratorConfiguration(DesignConfiguration):
    """And how a generator learns; the paper tells none of these numbers."""

    objective: ClassVar[Objective]

    learning_rate: float = option(1e-3, "Step size of Adam.", POSITIVE)
    max_gradient: float = option(0.5, "Greatest norm of the gradient.", POSITIVE)
    entropy_weight: float = option(
        0.05, "Weight of the choices' entropy, as a share of the greatest, at first.", AMOUNT
    )
    entropy_target: float = option(
        0.9, "Share of the greatest entropy that the weight is adapted to; 0: it stays as it is.", SHARE
    )


@dataclass(frozen=True)
class RegretConfiguration(GeneratorConfiguration):
    """And of generators that population regret pays."""

    population: int = option(2, "Players of every design.", COUNT)
    regret: Literal["mean", "episode"] = option(
        "mean",
        "What regret is counted from: the best player's mean return, as published, or the best episode of any player, "
        "which sees what all players fail alike.",
    )

    def __post_init__(self):
        self._check_players()

    def _check_players(self, otherwise: str = "") -> None:
        if self.regret == "mean" and self.population < 2:
            raise InvalidOptionError(
                f"population is {self.population}, expected at least 2{otherwise}: one has no regret"
            )
        if self.population * self.episodes < 2:
            raise InvalidOptionError(
                f"episodes is {self.episodes}, expected at least 2 of one player{otherwise}: one has no regret"
            )


@dataclass(frozen=True)
class CoDEConfiguration(RegretConfiguration):
    """Population regret and difficulty together."""

    objective: ClassVar[Objective] = "code"

    alpha: float = option(
        0.8, "Share of difficulty in the objective; the rest is regret, in units of its deviation.", SHARE
    )
    threshold: float = option(
        0.0,
        "Return of the best player above which difficulty is paid for, the paper's beta and delta.",
        Range("from -1 to 1", -1, 1),
    )
    count: Literal["all", "active", "distinct"] = option(
        "all",
        "What difficulty counts: all choices but SKIP, by their probability, as published; or of what is placed the "
        "active primitives, or all distinct ones, as a reward.",
    )

    trivial: Literal["whole", "scaled"] = option(
        "whole",
        "Reward of a design with nothing to do: -1, whole, which also counts in regret's deviation; or -1 scaled as "
        "regret is, by 1 - alpha, and left out of it.",
    )

    def __post_init__(self):
        if self.alpha < 1:
            self._check_players(" or alpha=1")
        elif self.trivial == "scaled":
            raise InvalidOptionError("trivial is 'scaled', expected 'whole' or alpha below 1: it would cost nothing")


@dataclass(frozen=True)
class PopRegretConfiguration(RegretConfiguration):
    """Population regret alone."""

    objective: ClassVar[Objective] = "pop-regret"


@dataclass(frozen=True)
class DifficultyConfiguration(GeneratorConfiguration):
    """Difficulty alone."""

    objective: ClassVar[Objective] = "difficulty"

    count: Literal["all", "active", "distinct"] = option("all", "What difficulty counts, as of the teacher `code`.")


@dataclass(frozen=True)
class PAIREDConfiguration(GeneratorConfiguration):
    """The student's regret to an antagonist, who is paid in no other way than it is."""

    objective: ClassVar[Objective] = "paired"

    population: int = option(2, "Players: the student, and its antagonist.", COUNT)
    entropy_weight: float = option(0.1, "Weight of the choices' entropy at first, as published with PAIRED.", AMOUNT)

    def __post_init__(self):
        if self.population != 2:
            raise InvalidOptionError(f"population is {self.population}, expected 2: a student and its antagonist")


@dataclass(frozen=True)
class FlexiblePAIREDConfiguration(PAIREDConfiguration):
    """The better one of the two is the antagonist, design by design."""

    objective: ClassVar[Objective] = "flexible-paired"


@dataclass(frozen=True)
class ALPConfiguration(GeneratorConfiguration):
    """The change of the return from one design to the next."""

    objective: ClassVar[Objective] = "alp"
