"""Which runs say something of their own: those that play what no other does.

A replay proves that actions earn a score, not that a policy chose them. A row's actions, copied under another
policy's hash, are a row that replays as well; and two perfect policies can play the same, honestly. So a row all of
whose actions are those of other rows is shown folded under them, unless the verifier has played its policies itself.
That says nothing of a copy in which an action was changed: against those there is the re-run tier.
"""

from collections import Counter
from collections.abc import Sequence

from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.verification.verification import Tier


def counted_runs(entry: Entry) -> tuple[int, ...]:
    """The runs that count, in their order: all whose policies were re-run, else the first of those that play alike."""
    actions = entry.record.run_actions
    if entry.record.tier is Tier.RERUN:
        return tuple(range(len(actions)))
    return tuple(run for run, played in enumerate(actions) if played not in actions[:run])


def folded_entries(entries: Sequence[Entry]) -> dict[Entry, Entry]:
    """The entries that stand under another, and under which: the one that most of their runs are of.

    Re-run rows and oracles never do. Of rows that play the same, the earlier one stands for itself; that of a learner
    never does beside one of an oracle, which needs no copy.

    Args:
        entries: All entries of one version of a benchmark, of different names.
    """
    holders: dict[str, Entry] = {}
    folded = {}
    for entry in sorted(entries, key=_seniority):
        played = [entry.record.run_actions[run] for run in counted_runs(entry)]
        held_by = Counter(holders[actions] for actions in played if actions in holders)
        if not _stands_alone(entry) and held_by.total() == len(played):
            folded[entry] = held_by.most_common(1)[0][0]
        else:
            for actions in played:
                holders.setdefault(actions, entry)
    return folded


def _stands_alone(entry: Entry) -> bool:
    return entry.record.tier is Tier.RERUN or entry.metadata.oracle


def _seniority(entry: Entry) -> tuple[bool, bool, str, str]:
    """Sorts first whom others fold under. The day is all that a record tells of when; on one day, the name decides."""
    re_run = entry.record.tier is Tier.RERUN
    return not re_run, not entry.metadata.oracle, entry.record.submitted_on, entry.name
