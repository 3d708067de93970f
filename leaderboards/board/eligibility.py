"""Eligibility: which entries have a rank, and why others have none."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.board.folding import counted_runs
from procgen_bench.leaderboards.verification.verification import Tier

#: Of fewer runs a row of a learner has no rank, and no statistics but means.
FEWEST_RANKED_RUNS = 3
#: Gaps between training seeds that a badge names; further ones are counted.
_NAMED_GAPS = 3


class Unranked(StrEnum):
    """Why an entry has no rank; in the order in which such rows are listed. :func:`badge` says it of one entry."""

    TWO_RUNS = "2 runs"
    ONE_RUN = "1 run"
    PROVISIONAL = "provisional"
    UNCOMMITTED = "uncommitted changes"
    NO_TRAINING = "training not stated"
    NO_POLICY = "no policy"
    GAPS = "seeds missing"
    SELECTED = "selected runs"
    SUITE = "trained on the suite"
    ORACLE = "oracle"
    SCRIPTED = "scripted"
    FLOOR = "floor"

    @property
    def explanation(self) -> str:
        """The reason in a sentence."""
        return _EXPLANATIONS[self]

    @property
    def is_reference(self) -> bool:
        """Whether such rows were written by hand: they are what learners are compared with."""
        return self in (Unranked.ORACLE, Unranked.SCRIPTED, Unranked.FLOOR)


_FEW_RUNS = (
    f"Ranks need at least {FEWEST_RANKED_RUNS} runs: fewer do not show how much the score varies between trainings."
)
_EXPLANATIONS = {
    Unranked.TWO_RUNS: _FEW_RUNS,
    Unranked.ONE_RUN: _FEW_RUNS,
    Unranked.PROVISIONAL: (
        "Its epoch is older than its policies, or not the newest: it ranks by fresh tasks of the next epoch."
    ),
    Unranked.UNCOMMITTED: "A run was trained by code that no commit holds: nobody can train it again.",
    Unranked.NO_TRAINING: "A run names no command that trained it: playing cannot tell a learner from a program.",
    Unranked.NO_POLICY: "No policy was played: that one chose the actions is the submitter's word.",
    Unranked.GAPS: (
        "Training seeds must be 0, 1, 2 ... without a gap: where one is missing, the runs may be a choice among more."
    ),
    Unranked.SELECTED: "Two runs state the same seed: it may be a choice among runs.",
    Unranked.SUITE: "A run was trained on the suite's tasks, which the protocol forbids.",
    Unranked.ORACLE: "A reference: the policy sees what a learner does not.",
    Unranked.SCRIPTED: "A reference: the policy was written for this environment by hand.",
    Unranked.FLOOR: "The score of an agent that ignores observations.",
}


def unranked(entry: Entry) -> Unranked | None:
    """Why an entry has no rank; ``None``: it has one, unless it is folded under another."""
    if entry.metadata.oracle:
        return Unranked.ORACLE
    if entry.trained_on_suite:
        return Unranked.SUITE
    names = [scripted_name(run.policy_hash, entry.benchmark.environment_id) for run in entry.metadata.runs]
    scripted = [get_method(name) for name in names if name is not None]
    if scripted:
        return Unranked.FLOOR if all(method.floor for method in scripted) else Unranked.SCRIPTED
    if entry.tier is not Tier.RERUN or entry.fresh is None:
        return Unranked.NO_POLICY
    trainings = [run.training for run in entry.metadata.runs]
    if None in trainings:
        return Unranked.NO_TRAINING
    if any(training is not None and training.is_uncommitted for training in trainings):
        return Unranked.UNCOMMITTED
    if missing_seeds(run.training_seed for run in entry.metadata.runs):
        return Unranked.GAPS
    seeds = [run.training_seed for run in entry.metadata.runs]
    if len(seeds) > len(set(seeds)):
        return Unranked.SELECTED
    if entry.is_provisional:
        return Unranked.PROVISIONAL
    return {1: Unranked.ONE_RUN, 2: Unranked.TWO_RUNS}.get(len(counted_runs(entry)))


def badge(reason: Unranked, entry: Entry) -> str:
    """What stands in the place of an entry's rank, e.g. ``"1 run"`` or ``"seed 0 missing"``."""
    if reason is not Unranked.GAPS:
        return reason.value
    gaps = missing_seeds(run.training_seed for run in entry.metadata.runs)
    named = [str(gap[0]) if len(gap) == 1 else f"{gap[0]} to {gap[-1]}" for gap in gaps[:_NAMED_GAPS]]
    several = "s" if len(gaps) > 1 or len(gaps[0]) > 1 else ""
    others = " and others" if len(gaps) > _NAMED_GAPS else ""
    return f"seed{several} {', '.join(named)}{others} missing"


def missing_seeds(seeds: Iterable[int]) -> list[range]:
    """The gaps between 0 and the greatest seed, each as a range of seeds that are missing."""
    stated = sorted({-1, *seeds})
    return [range(before + 1, after) for before, after in pairwise(stated) if after - before > 1]
