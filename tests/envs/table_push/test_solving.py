import dataclasses

import numpy as np
import pytest
from scipy.ndimage import label

from procgen_bench.core.registrations import make_task_space
from procgen_bench.envs.table_push.pushing import push
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.envs.table_push.simulation import TablePushSimulation
from procgen_bench.envs.table_push.solving import GREATEST_MOVE, UndecidedTaskError, solve
from procgen_bench.tasks.table_push.table import BLOCK_SIDE, FLAT, GOAL_RADIUS, NUM_ACTIONS, NUM_DIRECTIONS, TARGET
from tests.envs.table_push.tables import open_table, random_places, table

SPACE = make_task_space("TablePush-v0")
SUITE = SPACE.suite("targets")
#: Where recorded plans leave the cans, in millimetres. Other places are other physics, and another version of the id.
LEFT_AT = {
    "A": [(677.8, 228.06), (75.0, 525.0), (np.nan, np.nan)],
    "B": [(829.81, 378.77), (75.0, 375.0), (675.0, 525.0)],
    "C": [(827.63, 527.4), (825.69, 77.41), (np.nan, np.nan)],
    "out-of-space": [(891.29, 132.64), (630.38, 439.83), (750.0, 430.0)],
}


@pytest.mark.parametrize("name", SUITE.task_names)
def test_shortest_plans_of_the_targets_are_those_recorded(name):
    recorded = SUITE.records["plan"][SUITE.task_names.index(name)]
    assert SPACE.solve(SUITE[name]).tolist() == recorded[recorded >= 0].tolist()


@pytest.mark.parametrize("name", SUITE.task_names)
def test_recorded_plans_leave_the_cans_where_they_did(name):
    simulation, recorded = TablePushSimulation(), SUITE.records["plan"][SUITE.task_names.index(name)]
    simulation.load(SUITE[name])
    for action in recorded[recorded >= 0].tolist():
        simulation.push(action)
    assert simulation.success
    np.testing.assert_allclose(1_000 * simulation.positions, LEFT_AT[name], rtol=0, atol=0.05)


def test_the_can_in_the_way_of_c_must_be_let_through():
    """With a wall in its place, the target does not reach the goal."""
    task = SUITE["C"]
    box = [*task.objects[1], 0.02, 0.02, 0.0]
    objects = task.objects.copy()
    objects[1] = np.nan
    walled = dataclasses.replace(task, objects=objects, obstacles=np.array([*task.obstacles, box]))
    assert SPACE.solve(walled) is None
    assert len(SPACE.solve(dataclasses.replace(task, objects=objects))) < len(SPACE.solve(task))


def test_no_plan_is_shorter_on_small_tables():
    """Beside breadth-first search over sequences, without any heuristic or memory."""
    scene, rng, lengths = Scene(), np.random.default_rng(5), []
    for _ in range(12):
        blocks = "\n".join("".join(rng.choice(list("..o#"), 3)) for _ in range(2))
        corner = blocks.splitlines()
        drawn = "\n".join([corner[0], "." + corner[1][1:]])
        task = table(drawn, (0.075, 0.075), goal=tuple(np.round(rng.uniform((0.2, 0.0), (0.45, 0.3)), 6)))
        expected = _shortest(scene, task, 5)
        found = SPACE.solve(task)
        if expected is not None:
            assert len(found) == expected
        else:
            assert found is None or len(found) > 5
        lengths.append(expected)
    assert lengths.count(None) >= 2 and len(set(lengths)) >= 3


def _shortest(scene: Scene, task, horizon: int) -> int | None:
    layer = [task.objects]
    for length in range(1, horizon + 1):
        following = []
        for positions in layer:
            for direction in range(4):
                outcome = push(scene, task, positions, 0, direction)
                if outcome.fallen or outcome.collided:
                    continue
                if np.hypot(*(outcome.positions[0] - task.goal)) <= 0.1:
                    return length
                following.append(outcome.positions)
        layer = following
    return None


def test_no_push_moves_a_can_further_than_the_search_assumes():
    scene, rng, task = Scene(), np.random.default_rng(6), open_table()
    for _ in range(150):
        positions = random_places(task, rng)
        outcome = push(scene, task, positions, int(rng.integers(3)), int(rng.integers(4)))
        if not outcome.collided:
            assert np.nan_to_num(np.hypot(*(outcome.positions - positions).T)).max() < GREATEST_MOVE


def test_what_cannot_be_solved():
    assert SPACE.solve(open_table()) is None
    assert SPACE.solve(table("..#..\n..#..", (0.075, 0.075), goal=(0.7, 0.1))) is None
    assert not SPACE.is_solvable(table("..o..\n..o..", (0.075, 0.075), goal=(0.7, 0.1)))


def test_drawn_tables_without_a_plan_have_none():
    """The first fifteen seeds' tables, none of which is feasible: why, without the search."""
    found = []
    for seed in range(15):
        task = SPACE.decode(SPACE.sample(np.random.default_rng(seed)))
        assert SPACE.solve(task) is None
        found.append(_why_infeasible(task))
    assert [found.count(reason) for reason in ("no target", "no way", "no push")] == [11, 3, 1]


def _why_infeasible(task) -> str:
    """``"no way"``: the target stands on an island of flat blocks, even if such as meet at a corner are one island,
    that ends too far from the goal; ``"no push"``: whatever is pushed at first falls or strikes something."""
    if not task.present[TARGET]:
        return "no target"
    islands, _ = label(task.blocks == FLAT, np.ones((3, 3)))
    island = np.argwhere(islands == islands[tuple((task.objects[TARGET] // BLOCK_SIDE).astype(int))])
    beyond = np.maximum(island * BLOCK_SIDE - task.goal, task.goal - (island + 1) * BLOCK_SIDE).clip(0)
    if np.hypot(*beyond.T).min() > GOAL_RADIUS:
        return "no way"
    scene = Scene()
    for action in range(NUM_ACTIONS):
        can, direction = divmod(action, NUM_DIRECTIONS)
        outcome = push(scene, task, task.objects, can, direction)
        moved = not np.array_equal(outcome.positions, task.objects, equal_nan=True)
        assert outcome.fallen or outcome.collided or not moved, "the search is to be asked"
    scene.close()
    return "no push"


def test_a_target_on_the_goal_is_pushed_off_and_back():
    task = open_table((0.3, 0.3), goal=(0.3, 0.3), goal_range=0.3)
    simulation, plan = TablePushSimulation(), SPACE.solve(task).tolist()
    simulation.load(task)
    assert [simulation.push(action).reward for action in plan] == [pytest.approx(-0.25, abs=0.03), 1.0]
    # It would fall on every side.
    assert SPACE.solve(table(".o\no.", (0.075, 0.225), goal=(0.075, 0.225))) is None


def test_a_search_that_is_cut_short_says_so():
    with pytest.raises(UndecidedTaskError):
        solve(SUITE["C"], max_pushes=20)
