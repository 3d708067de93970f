"""Of every benchmark, what is scored, what is fresh and what is trained on are three sets, told apart by marks."""

from collections import Counter
from dataclasses import fields, replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import InvalidTaskError, UndrawnTasksError
from procgen_bench.core.registrations import ENVIRONMENT_IDS, make_task_space
from procgen_bench.tasks.bit_grid import BitGridTaskSpace
from tests.core.test_benchmark_draw import DRAWN, FEW, fresh_tasks, scored_tasks
from tests.tasks.conformance.cases import spread

#: Benchmarks of few enough goals for a budget to meet them all.
COMPARED_BY_GOALS = ("bit-grid/test", "voxel-build/test", "voxel-build/small")
#: Benchmarks that draw for seconds; another of their track is looked at every day.
LONG = (
    "grid-world/large-graded",
    "table-push/graded",
    "fetch-blocks/groups",
    "xland/test",
    "xland/mini",
    "xland/small",
    "xland/hand-authored",
)
#: Environments that draw a task in milliseconds, and rows of theirs; the others have many.
SLOW = ("SparseAntMaze", "Fetch", "TablePush", "XLand")
FEW_ROWS, MANY_ROWS = 2, 200


def marks_of(space, tasks) -> frozenset[str]:
    return frozenset().union(*map(space.hold_out_marks, tasks))


def also_slow(benchmarks, slow):
    return [pytest.param(one, id=one.id, marks=pytest.mark.slow if one.id in slow else ()) for one in benchmarks]


def with_fields_of(task, other):
    """``task`` with each field of another in turn, where that is a task."""
    for field in fields(task):
        yield replace(task, **{field.name: getattr(other, field.name)})


@pytest.mark.parametrize("benchmark_id", COMPARED_BY_GOALS)
def test_goals_are_scored_or_fresh_or_trained_on(benchmark_id):
    """Goals themselves are compared here, not marks."""
    benchmark, rng = get_benchmark(benchmark_id), np.random.default_rng(0)
    space = make_task_space(benchmark.environment_id)
    drawn = [task for task in (space.decode(space.sample(rng)) for _ in range(3_000)) if not benchmark.holds_out(task)]
    like_the_suite = [benchmark.draw_training(rng) for _ in range(1_000)]
    sets = {
        "scored": {task.goal.tobytes() for task in benchmark.task_suite()},
        "fresh": {benchmark.draw(rng).goal.tobytes() for _ in range(1_000)},
        "training": {task.goal.tobytes() for task in (*drawn, *like_the_suite)},
    }
    assert all(len(goals) > 100 for goals in sets.values())
    assert max(Counter(goal for goals in sets.values() for goal in goals).values()) == 1


def test_a_third_of_the_small_arena_s_structures_is_in_each_set():
    benchmark = get_benchmark("voxel-build/small")
    space, rng = make_task_space(benchmark.environment_id), np.random.default_rng(0)
    every = {task.goal.tobytes(): task for task in (space.sample_task(rng) for _ in range(12_000))}
    assert len(every) == 600
    scored = marks_of(space, benchmark.task_suite())
    trained = marks_of(space, (task for task in every.values() if space.may_be_trained_on(task)))
    fresh = marks_of(space, filter(space.is_kept_fresh, every.values())) - scored
    assert [len(scored), len(trained), len(fresh)] == [14, 14, 14]


@pytest.mark.parametrize("scored", also_slow(DRAWN, LONG))
def test_fresh_and_training_tasks_share_no_mark_with_the_scored(scored):
    space = make_task_space(scored.environment_id)
    suite = space.suites[scored.suite]
    marks = frozenset().union(*map(space.suite_marks, scored._suites_held_out))
    fresh = marks_of(space, fresh_tasks(scored)[:40])
    assert fresh.isdisjoint(marks) != suite.repeats_marks
    if suite.repeats_marks:
        with pytest.raises(
            UndrawnTasksError, match=f"no task that is drawn like those of {scored.id} may be trained on"
        ):
            scored.draw_training(np.random.default_rng(0))
        return
    rng = np.random.default_rng(1)
    trained = [scored.draw_training(rng) for _ in range(FEW.get(scored.id, FEW.get(scored.track, 40)))]
    assert not any(map(scored.holds_out, trained)) and marks_of(space, trained).isdisjoint(marks)
    if space.fresh_share:
        assert marks_of(space, trained).isdisjoint(fresh) and all(map(scored.holds_out, fresh_tasks(scored)))


@pytest.mark.parametrize("scored", also_slow(DRAWN, LONG))
def test_what_is_not_drawn_fresh_is_not_trained_on(scored, monkeypatch):
    """A scored task with some of another's fields in place of its own: where drawing passes it over, it is held out."""
    space, known = scored._space, scored_tasks(scored)
    some, new = [known[0], known[-1]], fresh_tasks(scored)[0]
    passed_over = 0
    for task in (mixed for one in some for mixed in (one, *with_fields_of(one, new), *with_fields_of(one, some[0]))):
        try:
            space.validate(task)
        except InvalidTaskError:
            continue
        offered = iter([task, new])
        monkeypatch.setattr(space, "draw_like", lambda *_, offered=offered: next(offered))
        if scored.draw(np.random.default_rng(0)) == new != task:
            passed_over += 1
            assert scored.holds_out(task) or (space.fresh_share and space.may_be_trained_on(task))
    assert passed_over >= 2


@pytest.mark.parametrize("name", ["test", "random", "varied"])
def test_designs_that_no_random_site_has_are_held_out(name):
    """Random designs are none of these suites'; so no run may be trained on these either."""
    random = get_benchmark("gminiwob/random")
    assert all(map(random.holds_out, spread(make_task_space("GMiniWoB-v0").suite(name).tasks, 40)))


@pytest.mark.parametrize(
    "environment_id",
    [pytest.param(one, marks=pytest.mark.slow if one == "XLand-v0" else ()) for one in ENVIRONMENT_IDS],
)
def test_environments_draw_what_may_be_trained_on(environment_id):
    rows = FEW_ROWS if environment_id.startswith(SLOW) else MANY_ROWS
    env = gymnasium.make_vec(environment_id, num_envs=rows, vectorization_mode="vector_entry_point", tasks="training")
    env.reset(seed=0)
    space, benchmarks = (
        env.unwrapped.task_space,
        [one for one in BENCHMARKS.values() if one.environment_id == environment_id],
    )
    for task in env.unwrapped.tasks:
        assert space.may_be_trained_on(task) and space.may_be_solvable(task)
        assert not any(benchmark.holds_out(task) for benchmark in benchmarks)
    single = gymnasium.make(environment_id, tasks="training")
    single.reset(seed=1)
    assert single.unwrapped.task == env.unwrapped.tasks[1], "a row is the single environment with its seed"
    env.close(), single.close()


def test_rows_draw_again_what_is_scored_or_kept_fresh():
    """Left to itself, the small arena draws two goals of three that may not be trained on."""
    given = [None, "training"]
    rows = [
        gymnasium.make_vec("VoxelBuildSmall-v0", num_envs=300, vectorization_mode="vector_entry_point", tasks=tasks)
        for tasks in given
    ]
    shares = []
    for env in rows:
        env.reset(seed=0)
        shares.append(np.mean([env.unwrapped.task_space.may_be_trained_on(task) for task in env.unwrapped.tasks]))
    assert 0.2 < shares[0] < 0.45 and shares[1] == 1


def test_nothing_is_kept_fresh_where_nothing_is_scored():
    space, rng = BitGridTaskSpace(7), np.random.default_rng(0)
    assert all(space.may_be_trained_on(space.sample_task(rng)) for _ in range(50))
