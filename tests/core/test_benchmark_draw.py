"""Every benchmark draws fresh tasks of its own distribution, and tells what may not be trained on."""

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import InvalidTaskError, MissingExtraError
from procgen_bench.core.task import Task
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, task_names
from procgen_bench.tasks.xland.variations import any_variation
from tests.core.fresh_task_measures import STRATA, least_p_value, other_tasks, space_of
from tests.core.test_benchmark import SCORED
from tests.tasks.conformance.cases import spread

DRAWN = [benchmark for benchmark in BENCHMARKS.values() if benchmark.fresh == "tasks"]
TARGETS = [benchmark for benchmark in BENCHMARKS.values() if benchmark.fresh == "seeds"]
#: How many tasks are drawn, by track or benchmark where that takes long, and of all others.
FEW, MANY = {"fetch-blocks/groups": 4, "xland": 6, "table-push/graded": 1}, 120
#: Tracks whose fresh tasks are solved here: all that is scored there can be, and solvers are quick.
SOLVED = ("bit-grid", "point-maze", "voxel-build", "cminigrid", "ued-maze", "gminiwob", "fetch-blocks")
#: Benchmarks whose own fresh tasks may not be trained on: the scored designs with other values, the published mazes
#: turned, and people's tasks but for colours and the side from which one looks.
LIKE_THE_SCORED = {
    "gminiwob/test",
    "gminiwob/literal",
    "gminiwob/varied",
    "gminiwob/invented",
    "ued-maze/named",
    "xland/hand-authored",
}
#: Least p-value at which distributions pass as one, and greatest that tells them apart. All seeds are fixed.
ALIKE, APART = 1e-3, 1e-5


def slowly_drawn(benchmark: Benchmark) -> bool:
    return benchmark.track in FEW or benchmark.id in FEW


#: Benchmarks that draw for seconds; another of their track is drawn from every day.
LONG = (
    "cminigrid/sparse",
    "grid-world/large-graded",
    "table-push/graded",
    "xland/test",
    "xland/small",
    "gminiwob/random",
    "gminiwob/invented",
    "gminiwob/literal",
)


def each(benchmarks):
    return pytest.mark.parametrize(
        "scored", [pytest.param(one, id=one.id, marks=pytest.mark.slow if one.id in LONG else ()) for one in benchmarks]
    )


@cache
def fresh_tasks(benchmark: Benchmark) -> list[Task]:
    rng = np.random.default_rng(0)
    return [benchmark.draw(rng) for _ in range(FEW.get(benchmark.id, FEW.get(benchmark.track, MANY)))]


@cache
def scored_tasks(benchmark: Benchmark) -> list[Task]:
    """Some, evenly over the suite."""
    return spread(benchmark.task_suite().tasks, 300)


@each(DRAWN)
def test_fresh_tasks_are_valid_and_in_no_suite(scored):
    tasks, space = fresh_tasks(scored), space_of(scored.environment_id)
    for task in tasks:
        assert isinstance(task, space.task_type)
        space.validate(task)
    fingerprints = {task.fingerprint() for task in tasks}
    assert len(fingerprints) > 0.9 * len(tasks), "a field has few values, but no task comes often"
    assert {task.fingerprint() for task in scored_tasks(scored)} <= scored.held_out_fingerprints
    assert fingerprints.isdisjoint(scored.held_out_fingerprints)


@each(BENCHMARKS.values())
def test_the_generator_alone_decides_what_is_drawn(scored):
    again, other = np.random.default_rng(0), np.random.default_rng(1)
    tasks = fresh_tasks(scored)[: 1 if slowly_drawn(scored) else 3]
    assert [scored.draw(again) for _ in tasks] == tasks
    assert (scored.draw(other) == tasks[0]) == (scored.fresh == "seeds")


@each(TARGETS)
def test_a_target_is_its_own_fresh_task(scored):
    (target,) = scored.task_suite()
    assert set(fresh_tasks(scored)) == {target}


@each([benchmark for benchmark in DRAWN if benchmark.track in SOLVED])
def test_fresh_tasks_can_be_solved_where_scored_ones_can(scored):
    assert all(map(space_of(scored.environment_id).is_solvable, fresh_tasks(scored)[:10]))


@each([benchmark for benchmark in DRAWN if not slowly_drawn(benchmark)])
def test_fresh_tasks_are_distributed_as_the_scored(scored):
    fresh, known = fresh_tasks(scored), scored_tasks(scored)
    if not scored._space.suites[scored.suite].repeats_marks:
        fresh, known = one_of_a_mark(scored._space, fresh), one_of_a_mark(scored._space, known)
    assert least_p_value(scored.environment_id, fresh, known) > ALIKE


def one_of_a_mark(space, tasks):
    """The first task of each set of marks: tasks of one structure are not independent, and the sets share none."""
    return list({space.hold_out_marks(task): task for task in reversed(tasks)}.values())


@each([benchmark for benchmark in DRAWN if not slowly_drawn(benchmark)])
def test_another_distribution_would_be_distinguished(scored):
    others = other_tasks(scored, MANY)
    assert least_p_value(scored.environment_id, others, scored_tasks(scored)) < APART


@pytest.mark.slow
@each([benchmark for benchmark in DRAWN if slowly_drawn(benchmark)])
def test_slowly_drawn_tasks_are_distributed_as_the_scored(scored):
    rng = np.random.default_rng(2)
    tasks = [scored.draw(rng) for _ in range(150)]
    assert least_p_value(scored.environment_id, tasks, scored_tasks(scored)) > ALIKE
    assert least_p_value(scored.environment_id, other_tasks(scored, 150), scored_tasks(scored)) < APART


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in task_names() if hand_authored_task(name).solvable])
def test_people_s_tasks_can_be_solved_from_every_side_and_in_every_colour(name):
    space, rng = space_of("XLand-v0"), np.random.default_rng(6)
    assert all(space.is_solvable(any_variation(hand_authored_task(name).task, rng)) for _ in range(3))


@pytest.mark.parametrize(
    ("environment_id", "name"),
    [pytest.param(*key, marks=pytest.mark.slow if key == ("TablePush-v0", "graded") else ()) for key in STRATA],
)
def test_a_drawn_task_has_the_length_design_or_group_of_the_suite_s(environment_id, name):
    space, rng, stratum = space_of(environment_id), np.random.default_rng(3), STRATA[environment_id, name]
    suite = space.suite(name)
    for place in spread(range(len(suite)), 4):
        assert stratum(space.draw_like(name, place, rng)) == stratum(suite.tasks[place])


@each(DRAWN)
def test_every_scored_task_is_as_likely_to_be_taken_as_the_pattern(scored, monkeypatch):
    places: list[int] = []
    space, (task, *_) = scored._space, fresh_tasks(scored)
    monkeypatch.setattr(space, "draw_like", lambda suite, place, rng: places.append(place) or task)
    rng = np.random.default_rng(4)
    for _ in range(2_000):
        scored.draw(rng)
    names = scored.task_suite().task_names
    parts = min(10, len(names))
    part = {name: parts * number // len(names) for number, name in enumerate(names)}
    counts = np.bincount([part[space.suite(scored.suite).task_names[place]] for place in places], minlength=parts)
    assert len(counts) == parts and stats.chisquare(counts).pvalue > ALIKE


def test_named_tasks_alone_are_patterns():
    rng, space = np.random.default_rng(0), space_of("GridWorld-v0")
    lengths = {len(space.solve(SCORED.draw(rng))) for _ in range(20)}
    assert lengths == set(SCORED.task_suite().records["length"].tolist()) == {1, 2}


def test_what_chance_draws_from_the_suite_is_drawn_again(monkeypatch):
    benchmark, space = get_benchmark("grid-world/graded"), SCORED._space
    new = fresh_tasks(benchmark)[0]
    drawn = iter([space.suite("graded")["0"], space.suite("random")["7"], space.suite("targets")["A"], new])
    monkeypatch.setattr(space, "draw_like", lambda *_: next(drawn))
    assert benchmark.draw(np.random.default_rng(0)) == new and next(drawn, None) is None


def test_drawing_names_the_extra_that_it_needs(monkeypatch):
    package = "procgen_bench.envs.fetch_blocks."
    for name in [name for name in sys.modules if name.startswith(package)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match=r"mujoco is not installed; .*procgen-bench\[fetch\]") as caught:
        get_benchmark("fetch-blocks/groups").draw(np.random.default_rng(0))
    assert "\n" not in str(caught.value)


@each(BENCHMARKS.values())
def test_what_is_scored_or_kept_fresh_is_held_out(scored):
    held_out = list(map(scored.holds_out, spread(scored_tasks(scored), 20)))
    assert all(held_out) if scored.fresh == "tasks" else not any(held_out)
    fresh = list(map(scored.holds_out, fresh_tasks(scored)[:20]))
    is_kept = space_of(scored.environment_id).fresh_share > 0 and scored.fresh == "tasks"
    assert all(fresh) if scored.id in LIKE_THE_SCORED or is_kept else not any(fresh)


@each(TARGETS)
def test_a_target_may_be_trained_on_and_no_other_suite(scored):
    space = space_of(scored.environment_id)
    (target,) = scored.task_suite()
    others = [task for name in space.suite_names for task in spread(space.suite(name).tasks, 10) if task != target]
    assert len(others) >= 3 and all(map(scored.holds_out, others))
    assert target.fingerprint() not in scored.held_out_fingerprints
    assert {task.fingerprint() for task in others} <= scored.held_out_fingerprints


def test_a_task_of_another_environment_is_refused():
    grid, site = get_benchmark("grid-world/graded"), get_benchmark("gminiwob/test")
    with pytest.raises(InvalidTaskError, match="task is 'GridWorldTask', expected a SiteTask of gminiwob/test"):
        site.holds_out(grid.task_suite().tasks[0])
    with pytest.raises(InvalidTaskError, match="task is 'str', expected a GridWorldTask"):
        grid.holds_out("graded/0")


#: Values that no list has.
OTHER = {"password": "open sesame", "fullname": "Ali Baba", "captcha": "cave", "city": "Baghdad"}


def test_sites_are_held_out_by_their_design():
    space, test, random = space_of("GMiniWoB-v0"), get_benchmark("gminiwob/test"), get_benchmark("gminiwob/random")
    login, drawn = space.suite("test")["login-2-0"], space.suite("random")["100"]
    for task in (login, drawn):
        assert not OTHER.keys().isdisjoint(task.design.fields)
        filled = replace(task, profile=tuple((field, OTHER.get(field, value)) for field, value in task.profile))
        space.validate(filled)
        assert random.holds_out(filled) and filled.fingerprint() not in random.held_out_fingerprints
        assert test.holds_out(filled) == (task is login)


@pytest.mark.parametrize("name", ["test", "mini", "hand-authored"])
def test_xland_holds_out_the_games_and_worlds_of_every_suite(name):
    benchmark, space = get_benchmark(f"xland/{name}"), space_of("XLand-v0")
    new = space.sample_task(np.random.default_rng(0))
    assert not benchmark.holds_out(new) and not benchmark.holds_out(replace(new, co_players=("noop",)))
    for suite_name in space.suite_names:
        for task in spread(space.suite(suite_name).tasks, 5):
            assert benchmark.holds_out(task) and task.fingerprint() in benchmark.held_out_fingerprints
            alone = replace(task, co_players=())
            is_plain = suite_name == "skills"  # games of one literal are few: training has them in other worlds
            assert benchmark.holds_out(replace(alone, world=new.world)) or is_plain, "its game"
            assert benchmark.holds_out(replace(alone, game=new.game)), "its world"
