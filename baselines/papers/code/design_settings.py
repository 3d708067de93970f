"""Settings of teachers of designs: CoDE's generator, its rivals on the same designs, and designs that are drawn."""

from dataclasses import dataclass
from typing import Literal, get_args

from procgen_bench.baselines.papers.code.objectives import Objective
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, POSITIVE, SHARE, Range, option
from procgen_bench.core.checks import check_choice, check_defaults
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.sites.design import MAX_PAGES

#: Words for a number of pages: ten; and of these only the ones up to the last that holds something.
ALL, USED = "all", "used"
#: Options that some objectives have alone.
_OPTIONS_OF: dict[tuple[Objective, ...], tuple[str, ...]] = {
    ("code",): ("alpha", "threshold", "trivial", "at_cap"),
    ("code", "pop-regret"): ("regret",),
    ("code", "difficulty"): ("count", "cap"),
}


@dataclass(frozen=True)
class DesignConfiguration:
    """What designs are made of, and who plays them."""

    population: int = option(1, "Players that every design is proposed to.", COUNT)
    episodes: int = option(2, "Episodes of each player in each design.", COUNT)
    batch: int = option(24, "Designs between two updates.", COUNT)
    slots: int = option(12, "Choices of a primitive, or of none, in a design; shopping/4 takes 25.", COUNT)
    pages: str = option(
        ALL,
        "Pages that a site has at most: a number; all, ten; or used, ten, of which empty ones at the end are left out, "
        "as in the published renderer.",
    )

    def __post_init__(self):
        if self.pages not in (ALL, USED) and not (self.pages.isascii() and self.pages.isdigit() and int(self.pages)):
            raise InvalidOptionError(f"pages is {self.pages!r}, expected {ALL}, {USED}, or an integer of at least 1")

    @property
    def most_pages(self) -> int:
        """Pages that a site has at most."""
        return MAX_PAGES if self.pages in (ALL, USED) else int(self.pages)

    @property
    def drops_pages(self) -> bool:
        """Whether empty pages at its end are left out."""
        return self.pages == USED


@dataclass(frozen=True)
class DrawnConfiguration(DesignConfiguration):
    """Numbers of pages, primitives and pages that nobody chose."""

    designs: Literal["random", "scheduled"] = option(
        "random",
        "How primitives are drawn: uniformly (random), or with a probability that rises (scheduled), and not SKIP.",
    )
    first_share: float = option(0.1, "Probability of a primitive, and not SKIP, at first; of scheduled designs.", SHARE)
    rises_over: int = option(2_400_000, "Steps of the learner over which it rises to 1; of scheduled designs.", COUNT)

    def __post_init__(self):
        super().__post_init__()
        if self.designs == "random":
            check_defaults(self, ("first_share", "rises_over"), "designs=scheduled beside it")


@dataclass(frozen=True)
class CoDEConfiguration(DesignConfiguration):
    """The generator, its objective, and how it learns; of learning the paper tells no number."""

    objective: Literal[Objective] = option(
        "code",
        "What the generator is paid for: code, regret and difficulty; pop-regret or difficulty, one of them alone; "
        "paired, the regret of a student to its antagonist; flexible-paired, to the better of two; alp, the change of "
        "the return from one design to the next.",
    )
    population: int = option(2, "Players of every design.", COUNT)
    alpha: float = option(
        0.8,
        "Share of difficulty in the objective `code`; the rest is regret, in units of its deviation.",
        SHARE,
    )
    threshold: float = option(
        0.0,
        "Return of the best player above which `code` pays for difficulty, the paper's beta and delta.",
        Range("from -1 to 1", -1, 1),
    )
    regret: Literal["mean", "episode"] = option(
        "mean",
        "What regret is counted from: the best player's mean return, as published, or the best episode of any player, "
        "which sees what all players fail alike. Of `code` and `pop-regret`.",
    )
    count: Literal["all", "active", "distinct"] = option(
        "all",
        "What difficulty counts: all choices but SKIP, by their probability, as published; or of what is placed the "
        "active primitives, or all distinct ones, as a reward. Of `code` and `difficulty`.",
    )
    cap: Literal["both", "gain"] = option(
        "both",
        "Where a choice's difficulty counts up to that of a uniform choice: in gains and costs, or in gains alone, so "
        "that designs that cost become shorter however long they are. Of `code` and `difficulty`.",
    )
    trivial: Literal["whole", "scaled"] = option(
        "whole",
        "Reward of a design with nothing to do: -1, whole, which also counts in regret's deviation; or -1 scaled as "
        "regret is, by 1 - alpha, and left out of it. Of `code`.",
    )
    at_cap: Literal["kept", "regret"] = option(
        "kept",
        "What becomes of difficulty's share as every choice nears its greatest difficulty, which has no gradient left: "
        "it is kept, as published, or goes to regret. Of `code`.",
    )
    learning_rate: float = option(1e-3, "Step size of Adam.", POSITIVE)
    max_gradient: float = option(0.5, "Greatest norm of the gradient.", POSITIVE)
    entropy_weight: float = option(
        0.05,
        "Weight of the choices' entropy, as a share of the greatest, at first; 0.1 is published with PAIRED.",
        AMOUNT,
    )
    entropy_target: float = option(
        0.9, "Share of the greatest entropy that the weight is adapted to; 0: it stays as it is.", SHARE
    )

    def __post_init__(self):
        super().__post_init__()
        check_choice("objective", self.objective, get_args(Objective))
        for objectives, names in _OPTIONS_OF.items():
            if self.objective not in objectives:
                check_defaults(self, names, f"the objective {' or '.join(objectives)} beside it")
        if self.objective == "pop-regret":
            self._check_players()
        elif self.objective == "code" and self.alpha < 1:
            self._check_players(" or alpha=1")
        elif self.trivial == "scaled":
            raise InvalidOptionError("trivial is 'scaled', expected 'whole' or alpha below 1: it would cost nothing")
        elif self.at_cap == "regret":
            raise InvalidOptionError("at_cap is 'regret', expected 'kept' or alpha below 1: regret is not computed")
        elif "paired" in self.objective and self.population != 2:
            raise InvalidOptionError(f"population is {self.population}, expected 2: a student and its antagonist")

    def _check_players(self, otherwise: str = "") -> None:
        if self.regret == "mean" and self.population < 2:
            raise InvalidOptionError(
                f"population is {self.population}, expected at least 2{otherwise}: one has no regret"
            )
        if self.population * self.episodes < 2:
            raise InvalidOptionError(
                f"episodes is {self.episodes}, expected at least 2 of one player{otherwise}: one has no regret"
            )
