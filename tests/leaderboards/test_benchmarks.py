import functools

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.registrations import environment_type
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.checks import checked_benchmark
from procgen_bench.tasks.programs import GROUPS
from tests.leaderboards.entries import metadata

TARGETS, PUSH_TARGETS = (
    [benchmark for benchmark in BENCHMARKS.values() if (benchmark.track, benchmark.suite) == (track, "targets")]
    for track in ("grid-world", "table-push")
)

GOAL_SUITES = [
    benchmark
    for benchmark in BENCHMARKS.values()
    if benchmark.track in ("bit-grid", "point-maze", "ant-maze", "voxel-build")
]


def worst_return(text: str, horizon: int = 50) -> float:
    """Least return of any episode of a task, by exhaustive search over the rules as the paper states them."""
    cells = {(x, y): symbol for y, line in enumerate(text.split()) for x, symbol in enumerate(line)}

    @functools.cache
    def worst(x: int, y: int, keys: str, steps: int) -> float:
        if steps == 0:
            return 0.0
        returns = []
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            to = (x + dx, y + dy)
            symbol = cells.get(to, "#")
            if symbol == "#":
                returns.append(-0.002 + worst(x, y, keys, steps - 1))
            elif symbol == "~" or (symbol in "AB" and symbol.lower() not in keys):
                returns.append(-0.501)
            elif symbol == "G":
                returns.append(0.999)
            else:
                found = symbol if symbol in "ab" and symbol not in keys else ""
                returns.append(-0.001 + worst(*to, "".join(sorted(keys + found)), steps - 1))
        return min(returns)

    return worst(0, 0, "", horizon)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_target_scores_span_worst_to_best_return(target):
    (task,) = target.task_suite().tasks
    env_type = gymnasium.envs.registration.load_env_creator(gymnasium.spec(target.environment_id).entry_point)
    assert target.maximum == pytest.approx(1 - 0.001 * len(env_type.task_space.solve(task)), abs=1e-12)
    assert target.minimum == pytest.approx(worst_return(task.to_text(), target.max_episode_steps), abs=1e-12)
    assert target.num_episodes == 50


@pytest.mark.parametrize("track", ["grid-world", "table-push"])
@pytest.mark.parametrize("name", ["graded", "random"])
def test_suite_maximum_is_the_share_that_can_be_solved(track, name):
    benchmark = get_benchmark(f"{track}/{name}")
    suite = benchmark.task_suite()
    assert benchmark.maximum == np.mean(suite.records["length"] > 0)
    assert benchmark.num_episodes == len(suite) == {"graded": 200, "random": 1000}[name]


@pytest.mark.parametrize("goals", GOAL_SUITES, ids=lambda goals: goals.id)
def test_every_task_of_a_goal_suite_can_be_solved(goals):
    suite = goals.task_suite()
    space = environment_type(goals.environment_id).task_space
    assert goals.maximum == 1.0
    assert len(suite) == {"test": 500, "small": 200}.get(goals.suite, 20)
    for task in suite.tasks[:: max(1, len(suite) // 20)]:
        assert space.is_solvable(task)


def test_every_start_of_blocks_is_scored_by_its_goal():
    benchmark = get_benchmark("fetch-blocks/test")
    assert (benchmark.num_episodes, benchmark.maximum, benchmark.environment_id) == (500, 1.0, "FetchBlocks-v0")


def test_every_set_of_subtasks_is_scored_in_20_solvable_rooms():
    benchmark = get_benchmark("cminigrid/test")
    suite = benchmark.task_suite()
    assert (benchmark.maximum, benchmark.num_episodes, len(suite)) == (1.0, 640, 640)
    assert (suite.records["length"] > 0).all()


def test_the_sparse_rooms_are_the_same_and_every_one_can_be_solved():
    sparse, shaped = get_benchmark("cminigrid/sparse"), get_benchmark("cminigrid/test")
    assert (sparse.id, sparse.metric, sparse.maximum, sparse.num_episodes) == ("cminigrid/sparse", "success", 1.0, 640)
    assert sparse.environment_id == "CompositionalMiniGridSparse-v0"
    suite = sparse.task_suite()
    assert [task.fingerprint() for task in suite] == [task.fingerprint() for task in shaped.task_suite()]
    space = environment_type(sparse.environment_id).task_space
    assert all(len(space.solve(suite.tasks[place])) == suite.records["length"][place] for place in range(0, 640, 40))


@pytest.mark.parametrize(("name", "num_tasks"), [("test", 460), ("random", 500), ("invented", 150)])
def test_every_site_can_be_solved(name, num_tasks):
    benchmark = get_benchmark(f"gminiwob/{name}")
    suite = benchmark.task_suite()
    assert (len(suite), benchmark.num_episodes, benchmark.maximum) == (num_tasks, num_tasks, 1.0)
    limit = gymnasium.spec(benchmark.environment_id).max_episode_steps
    assert all(task.design.num_steps <= limit for task in suite)


@pytest.mark.parametrize("target", PUSH_TARGETS, ids=lambda target: target.id)
def test_a_target_of_pushing_has_a_plan_within_the_horizon(target):
    (length,) = target.task_suite().records["length"]
    assert 0 < length <= gymnasium.spec(target.environment_id).max_episode_steps
    assert (target.num_episodes, target.maximum) == (50, 1.0)


def test_a_policy_of_the_former_score_is_refused():
    """Version 1 scored what settles, with the hand still around the block."""
    former = metadata("planner", [0], benchmark=("fetch-blocks/groups", 1))
    with pytest.raises(InvalidSubmissionError, match=r"benchmark_version is 1, expected 2, the current one$"):
        checked_benchmark(former)


def test_every_group_of_programs_is_scored_from_100_starts_of_which_the_expert_did_the_work():
    benchmark = get_benchmark("fetch-blocks/groups")
    suite = benchmark.task_suite()
    assert (benchmark.num_episodes, benchmark.maximum) == (500, 1.0)
    assert np.bincount(suite.records["group"]).tolist() == [100] * len(GROUPS)
    assert (suite.records["steps"] > 0).all()


@pytest.mark.parametrize(
    ("name", "num_tasks", "num_episodes"),
    [
        ("test", 11_746, 11_746),
        ("mini", 700, 700),
        ("small", 200, 200),
        ("skills", 350, 350),
        ("hand-authored", 42, 210),
    ],
)
def test_xland_is_scored_by_returns_among_named_co_players(name, num_tasks, num_episodes):
    benchmark = get_benchmark(f"xland/{name}")
    suite = benchmark.task_suite()
    assert (len(suite), benchmark.num_episodes) == (num_tasks, num_episodes)
    assert (benchmark.metric, benchmark.minimum) == ("return", 0.0)
    assert benchmark.maximum == gymnasium.spec(benchmark.environment_id).max_episode_steps
    for task in suite.tasks[:: len(suite) // 40]:
        assert len(task.co_players) == task.game.num_players - 1


def test_physics_decides_only_where_a_physics_engine_does():
    assert {benchmark.track for benchmark in BENCHMARKS.values() if benchmark.physics} == {
        "ant-maze",
        "fetch-blocks",
        "table-push",
        "xland",
    }
    assert all(benchmark.tolerance == 0 for benchmark in BENCHMARKS.values())


def test_ids_name_their_track_and_unknown_ids_are_refused():
    tracks = {"grid-world", "bit-grid", "point-maze", "ant-maze", "voxel-build", "cminigrid", "gminiwob", "xland"}
    tracks |= {"fetch-blocks", "table-push", "ued-maze"}
    assert {benchmark.track for benchmark in BENCHMARKS.values()} == tracks
    assert all(key == benchmark.id for key, benchmark in BENCHMARKS.items())
    with pytest.raises(
        UnknownNameError,
        match=r"unknown benchmark 'grid-world/target-d'; did you mean 'grid-world/target-.*known: grid-world/target-a",
    ):
        get_benchmark("grid-world/target-d")
