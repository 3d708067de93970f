"""The reason why a grid world cannot be solved is the true one."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.grid_world.layout import draw_layout
from procgen_bench.tasks.grid_world.solver import _is_connected, draw_solvable_layouts, lengthen
from procgen_bench.tasks.grid_world.unsolvable import why_unsolvable
from tests.tasks.grid_world.reference_world import chance_while_exploring, shortest_length
from tests.tasks.grid_world.strategies import eventful_tasks

SPACE = GridWorldTaskSpace()


def uniform_tasks(count: int, seed: int) -> list[GridWorldTask]:
    rng = np.random.default_rng(seed)
    return [SPACE.decode(SPACE.sample(rng)) for _ in range(count)]


def assert_solves(task: GridWorldTask, actions: np.ndarray) -> None:
    """Played in the environment, ``actions`` reach the goal with the last of them, at the shortest path's return."""
    env = gymnasium.make("GridWorld-v0")
    env.reset(options={"task": task})
    total = 0.0
    for number, action in enumerate(actions, start=1):
        _, reward, terminated, _, info = env.step(int(action))
        total += reward
        assert (terminated, info["success"]) == (number == len(actions),) * 2
    assert total == pytest.approx(1 - 0.001 * len(actions), abs=1e-12)


def test_lengths_are_networkx_lengths_and_solutions_solve():
    lengths = []
    for task in uniform_tasks(300, seed=0) + eventful_tasks(200, seed=1):
        solution = SPACE.solve(task)
        expected = shortest_length(task)
        assert (None if solution is None else len(solution)) == expected, task.to_text()
        if solution is not None:
            assert_solves(task, solution)
            lengths.append(len(solution))
    assert 100 < len(lengths) < 450 and max(lengths) >= 15


@pytest.mark.parametrize("length", [1, 7, 25, 40])
def test_lengthening_ends_at_the_length_or_gives_up(length):
    rng, lengthened = np.random.default_rng(length), 0
    for task in uniform_tasks(400, seed=3):
        before, (tiles, objects) = shortest_length(task), (task.tiles.copy(), task.objects.copy())
        if lengthen(rng, tiles, objects, length, patience=2_000):
            assert shortest_length(GridWorldTask(tiles, objects)) == length
            lengthened += before != length
        elif before is None or before > length:
            assert GridWorldTask(tiles, objects) == task, "nothing leads on from there"
    assert lengthened > 0 or length == 1


def test_needed_keys_are_fetched():
    locked = [task for task in SPACE.suite("graded") if shortest_length(without_keys(task)) is None]
    assert len(locked) > 20
    for task in locked:
        assert_solves(task, SPACE.solve(task))


def without_keys(task: GridWorldTask) -> GridWorldTask:
    objects = task.objects.copy()
    objects[3:] = -1
    return GridWorldTask(task.tiles, objects)


@pytest.mark.parametrize("key_x", range(3, 9))
def test_solution_longer_than_the_horizon_is_none(key_x):
    # To the key at the snake's end, and all the way back to the door beside the start.
    rows = [".BG#####", ".#######", "........", "#######.", "........", ".#######", "........", "########"]
    rows[6] = rows[6][: key_x - 1] + "b" + rows[6][key_x:]
    task = GridWorldTask.from_text("\n".join(rows))
    length = 2 * (19 + key_x) + 2
    assert shortest_length(task, horizon=1_000) == length
    solution = SPACE.solve(task)
    assert (None if solution is None else len(solution)) == (length if length <= 50 else None)


@pytest.mark.parametrize(
    ("start", "expected"),
    [("G.", None), (".G", 1), ("#G", 1), ("~G", 1), ("AG", 1), ("aG", 1)],
    ids=["on the goal", "empty", "wall", "lava", "door", "key"],
)
def test_start_tile(start, expected):
    task = GridWorldTask.from_text("\n".join([start + "......", *["........"] * 7]))
    solution = SPACE.solve(task)
    assert (None if solution is None else len(solution)) == shortest_length(task) == expected


def test_solver_leaves_the_task_alone_and_repeats():
    task = SPACE.suite("targets")["C"]
    fingerprint = task.fingerprint()
    once, again = SPACE.solve(task), SPACE.solve(task)
    assert once.dtype == np.int64 and np.array_equal(once, again)
    assert task.fingerprint() == fingerprint


def test_walks_stay_on_tasks_of_their_lengths():
    walked = set()
    for seed, task in enumerate(SPACE.draw_solvable(np.random.default_rng(0), 20)):
        length = len(SPACE.solve(task))
        shortest, longest = max(1, length - 2), length + 1
        arrived = SPACE.wander(task, np.random.default_rng(seed), 60, shortest, longest)
        assert shortest <= len(SPACE.solve(arrived)) <= longest
        assert arrived == TaskSpace.wander(SPACE, task, np.random.default_rng(seed), 60, shortest, longest)
        walked.add((arrived.tiles != task.tiles).sum())
    assert np.mean(list(walked)) > 10


def test_a_walk_may_begin_elsewhere():
    task = SPACE.draw_solvable(np.random.default_rng(0), 1)[0]
    arrived = SPACE.wander(task, np.random.default_rng(0), 0, 1, 1)
    assert arrived == task


def test_lengthened_tasks_are_as_long_as_asked_for_or_where_patience_ended():
    reached = []
    for seed, task in enumerate(SPACE.draw_solvable(np.random.default_rng(0), 10)):
        length = len(SPACE.solve(task))
        longer = SPACE.lengthen(task, np.random.default_rng(seed), 9, 100)
        assert longer == TaskSpace.lengthen(SPACE, task, np.random.default_rng(seed), 9, 100)
        reached.append(len(SPACE.solve(longer)))
        assert min(length, 9) <= reached[-1] <= max(9, length)
        assert SPACE.lengthen(longer, np.random.default_rng(0), reached[-1], 1000) == longer
    assert 9 in reached and min(reached) < 9


def test_what_is_not_connected_is_not_solved():
    """The look that spares most searches gives up no task that has a solution, long ones and behind doors included."""
    tasks = [*uniform_tasks(400, 5), *SPACE.suite("graded"), *SPACE.suite("targets")]
    bits = np.zeros((2, 10), np.uint64)
    connected = [_is_connected(task.tiles, task.objects, bits) for task in tasks]
    solved = [SPACE.solve(task) is not None for task in tasks]
    assert all(linked for linked, solvable in zip(connected, solved) if solvable)
    assert sum(connected) < sum(solved) + 20 and not all(connected)


def test_solvable_layouts_are_those_that_rejection_draws():
    tiles, objects = np.empty((50, 8, 8), np.int8), np.empty((50, 5, 2), np.int8)
    after = draw_solvable_layouts(np.uint64(7), 50, tiles, objects)
    stream, own_tiles, own_objects = np.uint64(7), tiles[0].copy(), objects[0].copy()
    for expected in zip(tiles, objects):
        task = None
        while task is None or SPACE.solve(task) is None:
            stream = np.uint64(draw_layout(stream, own_tiles, own_objects, np.empty((5, 2), np.int64)))
            task = GridWorldTask(own_tiles, own_objects)
        assert task == GridWorldTask(*expected)
    assert stream == np.uint64(after)


@pytest.mark.parametrize("name", ["targets", "graded"])
def test_every_task_is_solved_at_exactly_its_recorded_length(name):
    suite = SPACE.suite(name)
    for task, length in zip(suite, suite.records["length"]):
        solution = SPACE.solve(task)
        assert len(solution) == length
        assert_solves(task, solution)
        assert shortest_length(task) == length


def test_graded_holds_five_of_every_length():
    assert SPACE.suite("graded").records["length"].tolist() == [length for length in range(1, 41) for _ in range(5)]


def test_targets_are_the_paper_s():
    targets = SPACE.suite("targets")
    a, b, c = (targets[name] for name in "ABC")
    assert (a.objects[:, 0] != -1).tolist() == [True, True, False, True, False]
    assert (b.objects[:, 0] != -1).all() and (c.objects[:, 0] != -1).all()
    assert not (a.tiles == 2).any() and not (b.tiles == 2).any() and (c.tiles == 2).any()
    assert all(min(task.objects[0]) >= 5 for task in (a, b, c)), "the goal's room is in the lower right"
    assert targets.records["length"][2] >= 30


@pytest.mark.parametrize("target", "ABC")
def test_students_that_explore_can_solve_the_targets(target):
    """APT-Gen compares what they return, random actions and all, to 0.5: no curriculum reaches a target beyond that."""
    epsilon = DQNConfiguration().exploration_final
    assert chance_while_exploring(SPACE.suite("targets")[target], epsilon) > 0.7


def test_tasks_too_long_for_students_that_explore_are_reported():
    lava = np.array([[0] * 8, [2] * 7 + [0], [0] * 8, [0] + [2] * 7] * 2, np.int8)
    task = GridWorldTask(lava, np.array([(1, 8)] + [(-1, -1)] * 4))
    assert shortest_length(task) == 35 and chance_while_exploring(task, 0.0) == 1
    assert chance_while_exploring(task, 0.1) < 0.5


@pytest.mark.parametrize(("target", "keys"), [("A", [3]), ("B", [3, 4]), ("C", [3, 4])])
def test_targets_need_every_key(target, keys):
    task = SPACE.suite("targets")[target]
    for key in keys:
        objects = task.objects.copy()
        objects[key] = -1
        assert SPACE.solve(GridWorldTask(task.tiles, objects)) is None


@pytest.mark.parametrize("target", ["B", "C"])
def test_key_1_opens_the_room_that_holds_key_2(target):
    task = SPACE.suite("targets")[target]
    # With key 2 as the goal, door 1 is still in the way and key 1 opens it.
    objects = task.objects.copy()
    objects[0], objects[4] = objects[4], (-1, -1)
    assert SPACE.solve(GridWorldTask(task.tiles, objects)) is not None
    objects[3] = -1
    assert SPACE.solve(GridWorldTask(task.tiles, objects)) is None


def level(*rows: str) -> GridWorldTask:
    """A level whose upper rows are these and whose other tiles are empty."""
    return GridWorldTask.from_text("\n".join(row.ljust(8, ".") for row in [*rows, *[""] * (8 - len(rows))]))


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (level(), "there is no goal"),
        (level("G"), "the agent starts on the goal"),
        (level("..#....G", "..#", "###"), "walls and lava cut the goal off from the start"),
        (level("..~....G", "..~", "~~~"), "walls and lava cut the goal off from the start"),
        (level("..A....G", "..#", "###"), "door 1 is in the way and there is no key 1"),
        (level("..B...bG", "..#", "###"), "door 2 is in the way and the agent cannot get to key 2"),
        (level("a.B...bG", "..#", "###"), "door 2 is in the way and the agent cannot get to key 2"),
        (
            level("..A.B..G", "..#.#...", "#####..."),
            "door 1 is in the way and there is no key 1 and door 2 is in the way and there is no key 2",
        ),
        (level("a.A.B..G", "..#.#...", "#####..."), "door 2 is in the way and there is no key 2"),
    ],
)
def test_the_reason(task, reason):
    assert GridWorldTaskSpace().solve(task) is None
    assert why_unsolvable(task) == reason


def test_a_start_that_cannot_be_entered_again_divides_a_level():
    task = level("#A.....G", "a#######")
    assert GridWorldTaskSpace().solve(task) is None
    assert why_unsolvable(task) == "a key is on the other side of the start, which cannot be entered again"


def test_a_way_that_is_too_long():
    """31 steps to the key, and 33 back and through the door."""
    task = level("", "A######.", "G#......", "##.#####", "##......", "#######.", "", "a")
    assert GridWorldTaskSpace().solve(task) is None
    assert why_unsolvable(task) == "the shortest way to the goal takes 64 steps, and an episode ends after 50"


def test_every_unsolvable_level_has_a_reason():
    space, rng = GridWorldTaskSpace(), np.random.default_rng(0)
    tasks = [space.decode(space.sample(rng)) for _ in range(1000)]
    reasons = {why_unsolvable(task) for task in tasks if space.solve(task) is None}
    assert len(reasons) >= 3 and "" not in reasons
