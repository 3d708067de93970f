"""Methods across the benchmarks of families, from feeds that are written by hand."""

import pytest

from procgen_bench.leaderboards.site.comparison import IndexedBenchmark, compared_methods, families, shared_benchmarks


def row(method, rank, *scores, unranked=None, teacher="", uncounted=(), fresh=None):
    runs = [
        {"score": score, "fresh": None if fresh is None else fresh[place], "counts": place not in uncounted}
        for place, score in enumerate(scores)
    ]
    return {
        "method": method,
        "teacher": teacher,
        "variant": "",
        "title": method,
        "entry": method.lower(),
        "rank": rank,
        "unranked": unranked,
        "reference": unranked in ("oracle", "scripted", "floor"),
        "folded_under": None,
        "runs": runs,
    }


def benchmark(name, *rows, start=0.0, maximum=1.0):
    feed = {"benchmark": name, "scale_start": start, "maximum": maximum, "rows": list(rows)}
    return IndexedBenchmark(feed, {}, True, True)


def floor(score):
    return row("random", None, score, unranked="floor")


BENCHMARKS = [
    benchmark("maze/a", row("A", 1, 0.5, 0.7), row("solver", None, 1.0, unranked="oracle"), floor(0.1)),
    benchmark("maze/b", row("A", 1, 5.0), row("B", 1, 5.0, 9.0, uncounted=(1,)), start=-10.0, maximum=10.0),
    benchmark("grid/c", row("B", 1, 0.25), row("A", 2, 0.0), row("C", None, 1.0, unranked="no policy"), floor(0.0)),
]


def names(methods) -> list[tuple[str, str | None]]:
    return [(str(method.name), method.badge) for method in methods]


def test_there_is_a_table_for_each_family_that_has_rows():
    found = families([*BENCHMARKS, benchmark("bits/empty")])
    assert [(family.track, [one.name for one in family.benchmarks]) for family in found] == [
        ("maze", ["a", "b"]),
        ("grid", ["c"]),
    ]
    assert names(found[0].methods) == [("A", None), ("B", None), ("random", "floor"), ("solver", "oracle")]
    assert names(found[1].methods) == [("A", None), ("B", None), ("C", None), ("random", "floor")]


def test_learners_stand_by_the_number_of_their_ranks_and_references_last():
    methods = compared_methods(BENCHMARKS)
    assert names(methods) == [("A", None), ("B", None), ("C", None), ("random", "floor"), ("solver", "oracle")]
    by_name = {method.name.method: method for method in methods}
    assert by_name["B"].entered == {1, 2} and by_name["B"].cells[0] is None
    assert by_name["C"].entered == frozenset() and by_name["C"].cells[2] is not None  # listed, without a rank
    shares = [cell.share for cell in by_name["A"].cells]
    assert shares == pytest.approx([0.6, 0.75, 0.0])
    assert by_name["B"].cells[1].share == pytest.approx(0.75)  # the run that counts


def test_a_share_is_that_of_the_fresh_score_where_there_is_one():
    (method,) = compared_methods([benchmark("maze/a", row("A", 1, 0.9, 0.9, fresh=[0.1, 0.3]))])
    assert method.cells[0].share == pytest.approx(0.2)


def test_a_share_counts_from_the_best_floor():
    rows = row("A", 1, 0.6), row("B", 2, 0.2), row("C", 3, 0.1)
    methods = compared_methods([benchmark("maze/a", *rows, start=0.2)])
    assert [method.cells[0].share for method in methods] == pytest.approx([0.5, 0.0, 0.0])
    assert [method.cells[0].runs.item() for method in methods] == pytest.approx([0.5, 0.0, -0.125])


def test_names_that_differ_in_case_are_one_and_teachers_tell_methods_apart():
    boards = [
        benchmark("maze/a", row("DQN", 1, 0.9, teacher="uniform"), row("dqn", 2, 0.8, teacher="plr")),
        benchmark("maze/b", row("dqn", 1, 0.7, teacher="Uniform")),
    ]
    methods = compared_methods(boards)
    assert names(methods) == [("DQN under uniform", None), ("dqn under plr", None)]
    assert methods[0].entered == {0, 1}


def test_rows_that_were_trained_on_their_suite_are_compared_with_none():
    marked = benchmark("maze/d", row("A", None, 1.0, unranked="trained on the suite"), row("B", 1, 0.5))
    a, b = sorted(compared_methods([*BENCHMARKS, marked])[:2], key=lambda method: method.name)
    assert a.entered == {0, 1, 2} and b.entered == {1, 2, 3}
    assert compared_methods([benchmark("maze/d", row("A", None, 1.0, unranked="trained on the suite"))]) == []


def test_methods_are_compared_on_what_all_of_them_have_a_rank_on():
    methods = compared_methods(BENCHMARKS)
    shared = [
        (sorted(places), [method.name.method for method in sharing]) for places, sharing in shared_benchmarks(methods)
    ]
    assert shared == [([1, 2], ["A", "B"])]
    assert [runs.shape for runs in methods[0].runs_on(frozenset({0, 1}))] == [(2, 1), (1, 1)]
    floors = [benchmark(f"maze/{k}", floor(0.1), row("null", None, 0.0, unranked="floor")) for k in "ab"]
    assert shared_benchmarks(compared_methods(floors)) == []  # nothing that was trained
    alone = [benchmark(f"maze/{k}", row("A", 1, 0.1)) for k in "ab"]
    assert shared_benchmarks(compared_methods(alone)) == []  # nobody to be compared with


def test_best_rows_are_ranked_ones():
    oracle = row("solver", None, 1.0, unranked="oracle")
    many = benchmark("maze/a", *(row(str(k), k, 0.1) for k in range(1, 6)), oracle)
    assert [best["method"] for best in many.best] == ["1", "2", "3"] and many.num_rows == 6
    assert (many.track, many.name) == ("maze", "a")
