"""Pushes in physics: cans slide upright and stop, fall, strike; and nothing of a push is left for the next.

Remembered pushes are those that physics gives, bit for bit.
"""

from copy import deepcopy

import numpy as np
import pytest

from procgen_bench.envs.table_push import pushing
from procgen_bench.envs.table_push.boxes import merged_rectangles
from procgen_bench.envs.table_push.paths import HELD_DISTANCE, PUSH_HEIGHT, TIME_STEP, push_path
from procgen_bench.envs.table_push.pushing import cans_in_reach, push
from procgen_bench.envs.table_push.remembered import RememberedPushes
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.tasks.table_push import TablePushTask, TablePushTaskSpace
from procgen_bench.tasks.table_push.table import CAN_RADIUS, DIRECTIONS, PUSH_LENGTH, distances_to_box
from tests.envs.table_push.tables import open_table, random_places, table

FOUR = range(4)


@pytest.fixture(scope="module")
def scene():
    scene = Scene()
    yield scene
    scene.close()


def inclinations(scene: Scene, monkeypatch, can: int = 0) -> list[float]:
    """A list that every step of the physics adds the sine of half the can's inclination to."""
    found, step = [], Scene.step
    monkeypatch.setattr(Scene, "cans", {}, raising=False)

    def noted(self):
        step(self)
        if can in self.cans:
            x, y, *_ = self.pose(can)[1]
            found.append(np.hypot(x, y))

    monkeypatch.setattr(Scene, "step", noted)
    return found


@pytest.mark.parametrize("direction", FOUR)
def test_a_can_slides_upright_by_a_block(scene, direction, monkeypatch):
    found = inclinations(scene, monkeypatch)
    rng = np.random.default_rng(direction)
    for _ in range(15):
        task = open_table(tuple(np.round(rng.uniform((0.25, 0.2), (0.65, 0.4)), 6)))
        outcome = push(scene, task, task.objects, 0, direction)
        moved = outcome.positions[0] - task.objects[0]
        assert not outcome.fallen and not outcome.collided
        assert np.allclose(moved, PUSH_LENGTH * DIRECTIONS[direction], atol=0.004)
    assert max(found) < np.sin(np.deg2rad(3) / 2)


def test_seams_between_boxes_do_not_catch(scene):
    """The flat blocks around a pit are several boxes, over whose seams a can is pushed."""
    task = table("...... .o..o. ...... ......", (0.075, 0.225))
    assert len(merged_rectangles(task.blocks == 0)) > 3
    positions = task.objects
    for step in range(1, 5):
        positions = push(scene, task, positions, 0, 0).positions
        assert np.allclose(positions[0], (0.075 + step * 0.15, 0.225), atol=0.005)


@pytest.mark.parametrize(
    ("drawn", "place", "direction"),
    [
        ("...... ...... ...... ......", (0.825, 0.3), 0),
        ("...... ...... ...... ......", (0.075, 0.3), 1),
        ("...... ...... ...... ......", (0.4, 0.54), 2),
        ("...... ..o... ...... ......", (0.375, 0.225), 2),
        ("o..... ...... ...... ......", (0.075, 0.38), 2),
    ],
)
def test_cans_fall_off_the_table_and_into_pits(scene, drawn, place, direction):
    task = table(drawn, place, (0.675, 0.075))
    outcome = push(scene, task, task.objects, 0, direction)
    assert outcome.fallen and not outcome.collided
    assert np.isnan(outcome.positions[0]).all() and (outcome.positions[1] == task.objects[1]).all()


def test_a_can_may_stand_over_an_edge_with_its_middle_on_the_table(scene):
    task = open_table((0.725, 0.3))
    outcome = push(scene, task, task.objects, 0, 0)
    assert not outcome.fallen and 0.87 < outcome.positions[0, 0] < 0.88


def test_a_push_ends_at_a_roadblock(scene):
    task = table("...... ..#... ...... ......", (0.375, 0.225))
    outcome = push(scene, task, task.objects, 0, 2)
    assert outcome.collided and not outcome.fallen
    assert outcome.positions[0, 1] == pytest.approx(0.3 - CAN_RADIUS, abs=0.004)


def test_a_push_ends_at_another_can(scene):
    task = open_table((0.3, 0.3), (0.42, 0.3), (0.75, 0.075))
    outcome = push(scene, task, task.objects, 0, 0)
    assert outcome.collided and not outcome.fallen
    between = outcome.positions[1, 0] - outcome.positions[0, 0]
    assert between > 2 * CAN_RADIUS - 0.002
    assert (outcome.positions[2] == task.objects[2]).all()


def test_a_push_ends_at_a_turned_obstacle(scene):
    plain = open_table((0.3, 0.3))
    box = np.array([[0.45, 0.3, 0.1, 0.01, 0.785398]])
    task = TablePushTask(plain.blocks, plain.objects, plain.goal, plain.goal_range, box)
    outcome = push(scene, task, task.objects, 0, 0)
    assert outcome.collided and outcome.positions[0, 0] < 0.43
    assert CAN_RADIUS - 0.002 < distances_to_box(outcome.positions[0], box[0]) < CAN_RADIUS + 0.02


def test_passing_by_is_no_collision(scene):
    task = table("...... ...... .##... ......", (0.075, 0.075), (0.225, 0.375))
    outcome = push(scene, task, task.objects, 0, 0)
    assert not outcome.collided and outcome.positions[0, 0] > 0.22
    near = open_table((0.2, 0.3), (0.3, 0.375))
    assert not push(scene, near, near.objects, 0, 0).collided


def test_no_room_for_the_tool_is_no_push(scene):
    behind_is_a_can = open_table((0.3, 0.3), (0.23, 0.3))
    behind_is_a_wall = table("...... ..#... ...... ......", (0.375, 0.265))
    for task, direction in ((behind_is_a_can, 0), (behind_is_a_wall, 3)):
        outcome = push(scene, task, task.objects, 0, direction)
        assert (outcome.positions == task.objects)[0].all() and not outcome.collided and not outcome.fallen
    assert push(scene, behind_is_a_wall, behind_is_a_wall.objects, 0, 1).positions[0, 0] < 0.24


def test_a_can_of_the_space_always_has_room():
    """However it stands in its tile, with walls on all sides."""
    for direction in FOUR:
        for sign in (-1, 1):
            place = np.array([0.225, 0.225]) + 0.02 * sign * DIRECTIONS[direction]
            task = table("### #.# ###", tuple(np.round(place, 6)))
            assert pushing.has_room(task, task.objects, 0, push_path(task.objects[0], direction))


def test_absent_cans_are_not_pushed(scene):
    task = open_table((0.3, 0.3))
    for can in (1, 2):
        outcome = push(scene, task, task.objects, can, 0)
        assert np.array_equal(outcome.positions, task.objects, equal_nan=True)


@pytest.mark.parametrize("count", [14, pytest.param(40, marks=pytest.mark.slow)])
def test_pushes_depend_on_nothing_but_their_arguments(count):
    """Any order, any world, bit for bit, beside edges, walls and other cans, and after falls and collisions."""
    space, rng = TablePushTaskSpace(), np.random.default_rng(7)
    tables = [*space.suite("targets"), open_table()]
    one, other, seen = Scene(), Scene(), np.zeros(3, int)
    for task in tables:
        cases = [(random_places(task, rng), int(rng.integers(3)), int(rng.integers(4))) for _ in range(count)]
        expected = [push(one, task, *case) for case in cases]
        for scene, order in (
            (other, range(count)[::-1]),
            (one, rng.permutation(count)),
            (other, rng.permutation(count)),
        ):
            for number in order:
                again = push(scene, task, *cases[number])
                assert again.positions.tobytes() == expected[number].positions.tobytes()
                assert (again.fallen, again.collided) == (expected[number].fallen, expected[number].collided)
        seen += [sum(outcome.fallen for outcome in expected), sum(outcome.collided for outcome in expected), len(cases)]
    assert seen[0] > count / 2 and seen[1] > count / 2 and seen[2] - seen[:2].sum() > count


def test_an_equal_table_is_not_put_up_anew(monkeypatch):
    """Tasks come to worker processes as copies, and putting one up takes as long as a push."""
    made, make = [], Scene._make_world
    monkeypatch.setattr(Scene, "_make_world", lambda self, task: made.append(task) or make(self, task))
    task, scene = open_table((0.3, 0.3)), Scene()
    for number, table_ in enumerate((task, deepcopy(task), open_table((0.3, 0.3)), open_table((0.3, 0.45)))):
        push(scene, table_, table_.objects, 0, 0)
        assert len(made) == (1 if number < 3 else 2)
    scene.close()


def test_cans_out_of_reach_do_not_matter(scene):
    rng, task, counted = np.random.default_rng(8), open_table(), 0
    for _ in range(60):
        positions, can, direction = random_places(task, rng), int(rng.integers(3)), int(rng.integers(4))
        near = cans_in_reach(positions, can, direction)
        if near.all():
            continue
        counted += 1
        alone = push(scene, task, np.where(near[:, None], positions, np.nan), can, direction)
        together = push(scene, task, positions, can, direction)
        assert alone.positions[near].tobytes() == together.positions[near].tobytes()
        assert (together.positions[~near] == positions[~near]).all()
    assert counted > 20


def test_paths_begin_and_end_at_rest_above_the_table():
    for direction in FOUR:
        positions = push_path(np.array([0.4, 0.3]), direction).positions
        velocities = np.diff(positions, axis=0) / TIME_STEP
        assert np.abs(np.diff(velocities, axis=0)).max() / TIME_STEP < 18
        assert np.abs(velocities[[0, -1]]).max() < 0.1
        assert positions[0, 2] == positions[-1, 2] == pytest.approx(PUSH_HEIGHT + 0.1)
        along = (positions[:, :2] - (0.4, 0.3)) @ DIRECTIONS[direction]
        assert along.max() + HELD_DISTANCE == pytest.approx(PUSH_LENGTH)
        pushing_steps = positions[:, 2] == PUSH_HEIGHT
        assert np.allclose(along[~pushing_steps][:5], along[0])


SUITE = TablePushTaskSpace().suite("targets")


def test_they_are_those_of_physics_to_the_last_bit():
    """Random play alternating between two targets, whose places recur, each with other cans out of reach."""
    scene, other, rng = Scene(), Scene(), np.random.default_rng(0)
    pushed, played = RememberedPushes(scene), 0
    for episode in range(10):
        task = SUITE["AB"[episode % 2]]
        positions, ended = task.objects, False
        while not ended:
            can, direction = divmod(int(rng.integers(12)), 4)
            expected, found = push(other, task, positions, can, direction), pushed(task, positions, can, direction)
            assert np.array_equal(found.positions, expected.positions, equal_nan=True)
            assert (found.fallen, found.collided) == (expected.fallen, expected.collided)
            positions, ended, played = found.positions, found.fallen or found.collided, played + 1
    assert 10 < pushed.simulated < played
    scene.close()
    other.close()


def test_no_more_are_remembered_than_asked():
    scene, task = Scene(), open_table((0.3, 0.3))
    pushed = RememberedPushes(scene, most=2)
    counts = []
    for direction in (0, 1, 0, 1, 2, 1, 0):
        pushed(task, task.objects, 0, direction)
        pushed(task, task.objects, 1, direction)
        counts.append(pushed.simulated)
    assert counts == [1, 2, 2, 2, 3, 3, 4]
    scene.close()
