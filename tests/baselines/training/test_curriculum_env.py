"""Rows under a teacher: what they play, what they report, and how they continue from a checkpoint.

What a teacher proposes is kept, as often as a run is killed.
"""

import json
from functools import partial

import gymnasium
import numpy as np
import pytest

import procgen_bench
from procgen_bench.baselines.curricula.uniform import UniformTeacher
from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.task_records import ProposedLevels, read_proposed_levels
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.tasks.grid_world import GridWorldTask

GRADED = get_benchmark("grid-world/graded")


class InTurn(Teacher):
    """Proposes the suite's tasks in turn, every third without learning, and keeps what it has proposed."""

    def __init__(self, benchmark=GRADED):
        super().__init__(LevelSource(benchmark, solvable=False), np.random.default_rng(0), None)
        self.tasks, self.proposed = benchmark.task_suite().tasks, {}

    def propose(self, rows, step):
        proposals = []
        for row in rows.tolist():
            level = self.next_number()
            proposals.append(Proposal(level, self.tasks[level % len(self.tasks)], train=level % 3 > 0))
            self.proposed[level] = row
        return proposals


def begun(environment_id, teacher, num_rows=4):
    rows = CurriculumVectorEnv(environment_id, num_rows, teacher, seed=3)
    rows.begin()
    return rows


def test_rows_replay_in_single_environments():
    """Every row's stream of observations, rewards and ends is that of single episodes on the proposed tasks."""
    rows = begun("GridWorld-v0", InTurn(), 5)
    actions = np.random.default_rng(0).integers(0, 4, (300, 5))
    singles = [gymnasium.make("GridWorld-v0") for _ in range(5)]
    expected = [single.reset(options={"task": rows.env.tasks[row]})[0] for row, single in enumerate(singles)]
    for chosen in actions:
        for row in range(5):
            assert all(np.array_equal(expected[row][key], rows.observations[key][row]) for key in expected[row])
        step = rows.step(chosen)
        last = iter(range(len(step.last.get("view", []))))
        for row, single in enumerate(singles):
            expected[row], reward, terminated, truncated, _ = single.step(chosen[row])
            assert (step.rewards[row], step.terminations[row]) == (reward, terminated)
            assert step.truncations[row] == (truncated and not terminated)
            assert rows.starts[row] == (terminated or truncated)
            if rows.starts[row]:
                place = next(last)
                assert all(np.array_equal(expected[row][key], step.last[key][place]) for key in expected[row])
                expected[row], _ = single.reset(options={"task": rows.env.tasks[row]})
        assert next(last, None) is None


def test_too_few_proposals_are_refused():
    class Few(InTurn):
        def propose(self, rows, step):
            return super().propose(rows[1:], step)

    with pytest.raises(InvalidOptionError, match="the teacher proposes 3 levels, expected 4, one for each row"):
        begun("GridWorld-v0", Few())


def test_every_episode_is_reported_once_with_its_level():
    teacher = InTurn()
    rows = begun("GridWorld-v0", teacher)
    rng, returns, lengths = np.random.default_rng(1), np.zeros(4), np.zeros(4, int)
    levels, expected = np.arange(4), []
    for _ in range(200):
        step = rows.step(rng.integers(0, 4, 4))
        returns += step.rewards
        lengths += 1
        for row in np.flatnonzero(rows.starts):
            expected.append((levels[row], levels[row] % 3 > 0, returns[row], lengths[row]))
            returns[row], lengths[row] = 0, 0
        levels[rows.starts] = [level for level in teacher.proposed if level >= 4 + len(expected) - rows.starts.sum()]
    ended = rows.pop_finished_episodes()
    finished = [
        (level, train, return_, length)
        for part in ended
        for level, train, return_, length in zip(part.level, part.train, part.return_, part.length)
    ]
    assert finished == expected and len(finished) > 20
    assert rows.pop_finished_episodes() == [] and rows.steps == 800
    assert {teacher.tasks[level % 200].short_fingerprint() for level in teacher.proposed} == set(
        rows.recorder.fingerprints().tolist()
    )


def test_seeds_of_rows_and_proposals_decide_the_chance_of_episodes():
    class Seeded(InTurn):
        def propose(self, rows, step):
            return [Proposal(p.level, p.task, seed=11) for p in super().propose(rows, step)]

    def task_after(teacher, seed):
        rows = CurriculumVectorEnv("BitGrid-v0", 2, teacher, seed)
        rows.begin()
        return [int(stream) for stream in rows.env.simulation.streams]

    bits = get_benchmark("bit-grid/test")
    assert task_after(InTurn(bits), 1) == task_after(InTurn(bits), 1) != task_after(InTurn(bits), 2)
    assert task_after(Seeded(bits), 1) == task_after(Seeded(bits), 2)
    assert seed_from_parts("row", 1, 0) != seed_from_parts("row", 1, 1)


@pytest.mark.parametrize(
    "benchmark_id",
    [
        "grid-world/graded",
        "bit-grid/test",
        "cminigrid/test",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("table-push/target-a", "xland/mini", "ant-maze/test")
        ),
    ],
)
def test_restored_rows_go_on_alike(benchmark_id):
    benchmark = get_benchmark(benchmark_id)

    def build(seed):
        levels = LevelSource(benchmark, solvable=True)
        teacher = get_teacher("uniform").make("", levels, np.random.default_rng(seed))
        return begun(benchmark.environment_id, teacher, 3)

    def play(rows, actions):
        stream = []
        for chosen in actions:
            step = rows.step(chosen)
            seen = {name: array.copy() for name, array in rows.observations.items()}
            stream.append((seen, step.rewards, step.terminations, rows.starts.copy()))
        return stream

    rows, other = build(0), build(1)
    space = rows.env.action_space
    space.seed(4)
    actions = [space.sample() for _ in range(24)]
    play(rows, actions[:12])
    for part, fresh in ((rows.teacher, other.teacher), (rows, other)):
        arrays, values = part.state()
        fresh.restore(arrays, json.loads(json.dumps(values)))
    if not rows.can_be_kept:  # XLand's scripted co-players
        rows.begin()
    for left, right in zip(play(rows, actions[12:]), play(other, actions[12:]), strict=True):
        assert all(np.array_equal(left[0][name], right[0][name]) for name in left[0])
        assert all(np.array_equal(a, b) for a, b in zip(left[1:], right[1:]))
    assert np.array_equal(rows.recorder.fingerprints(), other.recorder.fingerprints())
    rows.close()
    other.close()


def test_what_terminates_in_its_last_step_is_not_cut_off():
    rows, cut = begun("GridWorld-v0", InTurn()), np.array([True, True, False, False])
    ended = np.array([True, False, True, False])
    rows.env.step = lambda actions: (None, np.zeros(4), ended, cut, {"success": ended})
    step = rows.step(np.zeros(4, int))
    assert step.terminations.tolist() == ended.tolist()
    assert step.truncations.tolist() == [False, True, False, False]


def test_levels_that_are_not_learned_from_are_not_among_the_proposed():
    teacher = InTurn()
    rows = begun("GridWorld-v0", teacher)
    assert rows.pop_proposed_tasks() == [teacher.tasks[1], teacher.tasks[2]] and rows.pop_proposed_tasks() == []


def test_rows_that_restart_later_draw_other_random_numbers():
    rows, streams = begun("BitGrid-v0", InTurn(get_benchmark("bit-grid/test"))), []
    for steps in (0, 0, 8):
        rows.steps = steps
        rows.begin()
        streams.append([int(stream) for stream in rows.env.simulation.streams])
    assert streams[0] == streams[1] != streams[2]


def test_a_step_of_a_row_that_acts_for_several_counts_for_them_all():
    rows = CurriculumVectorEnv("GridWorld-v0", 2, InTurn(), seed=3, steps_per_action=5)
    rows.begin()
    ended = np.array([True, False])
    rows.env.step = lambda actions: (None, np.zeros(2), ended, ~ended & False, {"success": ended})
    rows.step(np.zeros(2, int))
    (finished,) = rows.pop_finished_episodes()
    assert (rows.steps, finished.length.tolist()) == (10, [5])


def test_fresh_levels_are_begun_as_their_proposals_are():
    """As a whole or one by one: the same rows, numbers, records, newest levels and state."""

    class OneByOne(UniformTeacher):
        def propose(self, rows, step):
            return list(super().propose(rows, step))

    everything = []
    for teacher_type in (UniformTeacher, OneByOne):
        teacher = teacher_type(LevelSource(GRADED, solvable=True), np.random.default_rng(2), None)
        rows = begun("GridWorld-v0", teacher, 40)
        actions = np.random.default_rng(0).integers(0, 4, (60, 40))
        rewards = [rows.step(chosen).rewards for chosen in actions]
        levels = np.concatenate([part.level for part in rows.pop_finished_episodes()])
        arrays, values = rows.state()
        everything.append((rewards, levels, arrays, values, rows.pop_proposed_tasks(), teacher.state()[1]))
        rows.close()
    (rewards, levels, arrays, values, tasks, state), other = everything
    assert np.array_equal(rewards, other[0]) and np.array_equal(levels, other[1]) and len(levels) > 100
    assert all(np.array_equal(array, other[2][name]) for name, array in arrays.items())
    assert values == other[3] and tasks == other[4] and len(tasks) == 64 and state == other[5]


def test_teachers_are_told_of_success_that_lasts(monkeypatch):
    """Rows 0 and 1 succeed, and row 1's success does not last: the teacher, and stable-baselines3, count one."""
    rows, adapter = begun("GridWorld-v0", InTurn(), 2), TaskVecEnv("GridWorld-v0", 2)
    adapter.reset()
    lasting = {"stands": np.array([True, False]), "_stands": np.ones(2, np.bool_)}
    for env in (rows.env, adapter.rows):
        monkeypatch.setattr(env.simulation, "step", partial(_succeed, env.simulation))
        monkeypatch.setattr(env, "_infos", lambda which, told=env._infos: told(which) | lasting)
    rows.step(np.zeros(2, np.int64))
    (finished,) = rows.pop_finished_episodes()
    assert finished.success.tolist() == [True, False]
    *_, ended, infos = adapter.step(np.zeros(2, np.int64))
    assert ended.all() and [info["is_success"] for info in infos] == [True, False]
    assert rows.env.step(np.zeros(2, np.int64))[-1]["is_success"].tolist() == [True, False]


def _succeed(simulation, actions, active):
    simulation.terminations[:] = simulation.successes[:] = True


SPACE = procgen_bench.make_task_space("GridWorld-v0")
TASKS = list(SPACE.draw_solvable(np.random.default_rng(0), 12))


def test_the_newest_are_kept_and_can_be_played_again(tmp_path):
    measured = ProposedLevels(tmp_path, SPACE).add(100, TASKS)
    kept = read_proposed_levels(tmp_path)
    assert [SPACE.resolve(level.task) for level in kept] == TASKS[-8:]
    assert [level.solution_length for level in kept] == [len(SPACE.solve(task)) for task in TASKS[-8:]]
    assert measured["taught_solution_length"] == np.mean([len(SPACE.solve(task)) for task in TASKS])


def test_the_target_is_no_level_of_the_teachers(tmp_path):
    """It is proposed as often as generated levels are, and its length never changes."""
    (target,) = get_benchmark("grid-world/target-c").trainable_tasks
    levels = ProposedLevels(tmp_path, SPACE, [target])
    assert SPACE.solution_length(target) == 34
    measured = levels.add(100, [task for level in TASKS for task in (level, target)])
    assert measured["taught_solution_length"] == np.mean([len(SPACE.solve(task)) for task in TASKS])
    assert np.isnan(levels.add(200, [target])["taught_solution_length"])
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
    assert np.isnan(ProposedLevels(tmp_path, SPACE).add(0, [unsolvable])["taught_solution_length"])
    assert read_proposed_levels(tmp_path)[0].solution_length == 0


def test_where_solutions_take_a_simulator_nothing_is_solved(tmp_path):
    space = procgen_bench.make_task_space("BitGrid-v0")
    space.searches_quickly = False
    task = space.decode(space.sample(np.random.default_rng(0)))
    assert ProposedLevels(tmp_path, space).add(0, [task]) == {}
    assert read_proposed_levels(tmp_path)[0].solution_length is None
    assert read_proposed_levels(tmp_path / "elsewhere") == []
