"""What a teacher proposes is kept, as often as a run is killed."""

import numpy as np
import pytest

import procgen_bench
from procgen_bench.baselines.training.task_records import ProposedLevels, read_proposed_levels
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.grid_world import GridWorldTask

SPACE = procgen_bench.make_task_space("GridWorld-v0")
TASKS = list(SPACE.draw_solvable(np.random.default_rng(0), 12))


def test_the_newest_are_kept_and_can_be_played_again(tmp_path):
    measured = ProposedLevels(tmp_path, SPACE).add(100, TASKS)
    kept = read_proposed_levels(tmp_path)
    assert [SPACE.resolve(level.task) for level in kept] == TASKS[-8:]
    assert [level.solution_length for level in kept] == [len(SPACE.solve(task)) for task in TASKS[-8:]]
    assert measured["teacher_solution_length"] == np.mean([len(SPACE.solve(task)) for task in TASKS])


def test_the_target_is_no_level_of_the_teachers(tmp_path):
    """It is proposed as often as generated levels are, and its length never changes."""
    (target,) = get_benchmark("grid-world/target-c").trainable_tasks
    levels = ProposedLevels(tmp_path, SPACE, [target])
    assert SPACE.solution_length(target) == 34
    measured = levels.add(100, [task for level in TASKS for task in (level, target)])
    assert measured["teacher_solution_length"] == np.mean([len(SPACE.solve(task)) for task in TASKS])
    assert np.isnan(levels.add(200, [target])["teacher_solution_length"])
    assert target in [SPACE.resolve(level.task) for level in read_proposed_levels(tmp_path)]  # shown all the same


def test_in_grid_worlds_keys_and_the_targets_walls_are_noted_of_generated_levels(tmp_path):
    (target,) = get_benchmark("grid-world/target-a").trainable_tasks
    opened = target.tiles.copy()
    opened[6, 4] = 0  # the room's wall beside the goal
    tasks = [target, GridWorldTask(opened, target.objects), GridWorldTask(0 * opened, target.objects)]
    levels = ProposedLevels(tmp_path, SPACE, [target])
    measured = levels.add(100, tasks)
    assert (measured["teacher_key_share"], measured["teacher_kept_walls"]) == (0, pytest.approx(6 / 7 / 2))
    assert np.isnan([measured for name, measured in levels.add(200, [target]).items()]).all()
    measured = ProposedLevels(tmp_path, SPACE).add(300, tasks)
    assert measured["teacher_key_share"] == pytest.approx(1 / 3) and "teacher_kept_walls" not in measured


def test_who_goes_on_from_a_checkpoint_writes_again_what_came_after_it(tmp_path):
    levels = ProposedLevels(tmp_path, SPACE)
    for step, task in zip((100, 200, 300), TASKS):
        levels.add(step, [task])
    killed = (tmp_path / "levels.jsonl").read_text()
    for step, task in zip((200, 300), TASKS[1:]):
        levels.add(step, [task])
    assert (tmp_path / "levels.jsonl").read_text() == killed


def test_levels_without_a_solution_have_none_of_its_length(tmp_path):
    rng = np.random.default_rng(0)
    drawn = (SPACE.decode(SPACE.sample(rng)) for _ in iter(int, 1))
    unsolvable = next(task for task in drawn if not SPACE.is_solvable(task))
    assert np.isnan(ProposedLevels(tmp_path, SPACE).add(0, [unsolvable])["teacher_solution_length"])
    assert read_proposed_levels(tmp_path)[0].solution_length == 0


def test_where_solutions_take_a_simulator_nothing_is_solved(tmp_path):
    space = procgen_bench.make_task_space("BitGrid-v0")
    space.searches_quickly = False
    task = space.decode(space.sample(np.random.default_rng(0)))
    assert ProposedLevels(tmp_path, space).add(0, [task]) == {}
    assert read_proposed_levels(tmp_path)[0].solution_length is None
    assert read_proposed_levels(tmp_path / "elsewhere") == []
