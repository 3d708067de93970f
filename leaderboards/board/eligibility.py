"""Eligibility: which entries have a rank, and why others have none."""

from enum import StrEnum

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.verification.verification import Tier


class Unranked(StrEnum):
    """Why an entry has no rank, as its badge says it; in the order in which such rows are listed."""

    PROVISIONAL = "provisional"
    NO_POLICY = "no policy"
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


_EXPLANATIONS = {
    Unranked.PROVISIONAL: (
        "Its epoch is older than its policies, or not the newest: it ranks by fresh tasks of the next epoch."
    ),
    Unranked.NO_POLICY: "No policy was played: that one chose the actions is the submitter's word.",
    Unranked.SELECTED: "Training seeds are not 0, 1, 2 ... without a gap: it may be a choice among runs.",
    Unranked.SUITE: "A run was trained on the suite's tasks, which the protocol forbids.",
    Unranked.ORACLE: "The policy sees what a learner does not: a reference, no competitor.",
    Unranked.SCRIPTED: "The policy was written for this environment by hand: a reference, no competitor.",
    Unranked.FLOOR: "What acting without looking scores: a reference, no competitor.",
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
    seeds = [run.training_seed for run in entry.metadata.runs]
    if sorted(seeds) != list(range(len(seeds))):
        return Unranked.SELECTED
    return Unranked.PROVISIONAL if entry.is_provisional else None
