"""Methods across benchmarks, from feeds that are written by hand."""

import pytest

from procgen_bench.leaderboards.site.comparison import IndexedBenchmark, compared_methods, shared_benchmarks


def row(method, rank, *scores, oracle=False, steps=1000, uncounted=(), trained_on_suite=False):
    runs = [{"score": score, "counts": place not in uncounted} for place, score in enumerate(scores)]
    return {
        "method": method,
        "entry": method.lower(),
        "rank": rank,
        "oracle": oracle,
        "trained_on_suite": trained_on_suite,
        "training_steps": steps,
        "runs": runs,
    }


def benchmark(name, *rows, minimum=0.0, maximum=1.0):
    feed = {"benchmark": name, "minimum": minimum, "maximum": maximum, "rows": list(rows)}
    return IndexedBenchmark(feed, {}, True)


FLOOR = {"steps": 0}
BENCHMARKS = [
    benchmark("maze/a", row("solver", None, 1.0, oracle=True), row("A", 1, 0.5, 0.7), row("random", 2, 0.1, **FLOOR)),
    benchmark("maze/b", row("A", 1, 5.0), row("B", 1, 5.0, 9.0, uncounted=(1,)), minimum=-10.0, maximum=10.0),
    benchmark("grid/c", row("B", 1, 0.25), row("random", 2, 0.0, **FLOOR), row("A", 3, 0.0)),
]


def test_methods_stand_by_their_mean_rank_and_oracles_last():
    methods = compared_methods(BENCHMARKS)
    assert [(method.method, method.mean_rank) for method in methods] == [
        ("B", 1.0),
        ("A", pytest.approx(5 / 3)),
        ("random", 2.0),
        ("solver", None),
    ]
    by_name = {method.method: method for method in methods}
    assert by_name["B"].entered == {1, 2} and by_name["B"].cells[0] is None
    shares = [cell.share for cell in by_name["A"].cells]
    assert shares == pytest.approx([0.6, 0.75, 0.0])
    assert by_name["B"].cells[1].share == pytest.approx(0.75)  # the run that counts


def test_rows_that_were_trained_on_their_suite_are_compared_with_none():
    marked = benchmark("maze/d", row("A", None, 1.0, trained_on_suite=True), row("B", 1, 0.5))
    a, b = sorted(compared_methods([*BENCHMARKS, marked])[:2], key=lambda method: method.method)
    assert a.entered == {0, 1, 2} and b.entered == {1, 2, 3}
    assert compared_methods([benchmark("maze/d", row("A", None, 1.0, trained_on_suite=True))]) == []


def test_methods_are_compared_on_what_all_of_them_entered():
    methods = compared_methods(BENCHMARKS)
    shared = [(sorted(places), [method.method for method in sharing]) for places, sharing in shared_benchmarks(methods)]
    assert shared == [([1, 2], ["B", "A"])]
    assert [runs.shape for runs in methods[1].runs_on(frozenset({0, 1}))] == [(2, 1), (1, 1)]
    floors = [benchmark(f"maze/{k}", row("random", 1, 0.1, **FLOOR), row("null", 2, 0.0, **FLOOR)) for k in "ab"]
    assert shared_benchmarks(compared_methods(floors)) == []  # nothing that was trained
    alone = [benchmark(f"maze/{k}", row("A", 1, 0.1)) for k in "ab"]
    assert shared_benchmarks(compared_methods(alone)) == []  # nobody to be compared with


def test_best_rows_are_ranked_ones():
    many = benchmark("maze/a", row("solver", None, 1.0, oracle=True), *(row(str(k), k, 0.1) for k in range(1, 6)))
    assert [best["method"] for best in many.best] == ["1", "2", "3"] and many.num_rows == 6
    assert (many.track, many.name) == ("maze", "a")
