"""Which runs are one line, and what it is called."""

from pathlib import Path

from procgen_bench.baselines.training.run_records import RunRecord
from procgen_bench.leaderboards.sweeps.groups import group_runs


def record(seed=0, method="ppo", benchmark="grid-world/graded", steps=100, done=100, **configuration):
    settings = {"method": method, "benchmark": benchmark, "seed": seed, "steps": steps, "configuration": configuration}
    return RunRecord(Path(f"{seed}"), settings, "", "finished", [{"step": float(done), "seconds": 1.0}])


def labels(*runs):
    return [(group.label, group.benchmark, len(group.curves)) for group in group_runs(runs)]


def test_runs_that_differ_in_their_seeds_alone_are_one_group():
    assert labels(record(0, teacher="plr"), record(1, teacher="plr"), record(0, teacher="accel")) == [
        ("ppo, plr", "grid-world/graded", 2),
        ("ppo, accel", "grid-world/graded", 1),
    ]


def test_what_else_differs_is_named_where_methods_teachers_and_benchmarks_are_the_same():
    found = labels(
        record(teacher="plr", width=16, epochs=2),
        record(teacher="plr", width=32, epochs=2),
        record(teacher="plr", width=32, epochs=2, benchmark="bit-grid/test"),
        record(method="dqn"),
        record(method="dqn", steps=200),
    )
    assert [label for label, _, _ in found] == [
        "ppo, plr, width 16",
        "ppo, plr, width 32",
        "ppo, plr",
        "dqn, steps 100",
        "dqn, steps 200",
    ]


def test_a_copy_counts_once_as_far_as_it_came():
    (group,) = group_runs([record(3, done=50), record(3, done=100), record(3, done=20)])
    assert [curve[-1]["step"] for curve in group.curves] == [100]
