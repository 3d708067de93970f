from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError
from procgen_bench.tasks.ued_maze import UEDMazeTask, UEDMazeTaskSpace
from procgen_bench.tasks.ued_maze.named import NAMED_MAZES
from procgen_bench.tasks.ued_maze.symmetries import NUM_SYMMETRIES, image
from tests.tasks.ued_maze.reference_maze import ReferenceMaze

SPACE = UEDMazeTaskSpace()
levels = st.builds(
    lambda seed, num_walls: UEDMazeTaskSpace(num_walls).sample_task(np.random.default_rng(seed)),
    st.integers(0, 2**32),
    st.integers(0, 167),
)


def crowded() -> UEDMazeTask:
    """Walls everywhere but under the agent and the goal."""
    walls = np.ones((13, 13), np.int8)
    walls[0, 0] = walls[5, 7] = 0
    return UEDMazeTask(walls, np.array([7, 5], np.int8), np.zeros(3, np.int8))


def tile(place: np.ndarray) -> int:
    """The number of the tile at x, y."""
    return 13 * int(place[1]) + int(place[0])


def placed(**params) -> UEDMazeTask:
    walls = np.zeros(167, np.int16)
    walls[: len(params["walls"])] = params["walls"]
    num_walls = params.get("num_walls", len(params["walls"]))
    one = {name: np.array([params[name]]) for name in ("goal", "agent", "direction")}
    return SPACE.decode({"walls": walls, "num_walls": np.array([num_walls]), **one})


def test_things_are_placed_in_their_order():
    task = placed(walls=[0, 13, 14, 0, 30, 40], num_walls=5, goal=14, agent=30, direction=2)
    assert [(int(x), int(y)) for y, x in np.argwhere(task.walls)] == [(0, 0), (0, 1)]
    assert (task.goal.tolist(), task.agent.tolist()) == ([1, 1], [4, 2, 2])


def test_an_agent_on_the_goal_goes_to_the_next_tile():
    assert placed(walls=[15], goal=14, agent=14, direction=0).agent.tolist() == [2, 1, 0]
    last = placed(walls=[0], goal=168, agent=168, direction=3)
    assert last.agent.tolist() == [0, 0, 3] and last.goal.tolist() == [12, 12] and not last.walls.any()


@given(levels)
def test_parameters_are_the_walls_in_reading_order(task):
    params = SPACE.encode(task)
    count = params["num_walls"].item()
    assert count == task.walls.sum() and (np.diff(params["walls"][:count]) > 0).all()
    assert SPACE.decode(params) == task


@pytest.mark.parametrize("name", NAMED_MAZES)
def test_published_texts_are_read_and_written(name):
    task = SPACE.suite("named")[name]
    assert task.to_text() == "\n".join(NAMED_MAZES[name].split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("G", "."), "number of goals is 0, expected 1"),
        ((">", "."), "number of agents is 0, expected 1"),
        ((".", "G"), "number of goals is 2, expected 1"),
        (("#", "?"), r"symbol in line 1 is '\?', expected one of \.#G>v<\^"),
        ((".", ""), "expected 13 lines of 13 symbols"),
    ],
)
def test_texts_that_are_no_maze_are_refused(change, message):
    text = SPACE.suite("named")["SixteenRooms"].to_text()
    with pytest.raises(InvalidTaskError, match=message):
        UEDMazeTask.from_text(text.replace(*change, 1))


@pytest.mark.parametrize(
    ("goal", "agent", "message"),
    [
        ([13, 0], [0, 0, 0], r"place of goal is \(13, 0\), expected x and y in \[0, 12\]"),
        ([5, 5], [0, -1, 0], r"place of agent is \(0, -1\)"),
        ([5, 5], [5, 5, 0], r"place of agent is \(5, 5\), expected a tile that is not the goal's"),
        ([5, 5], [0, 0, 4], "agent's direction is 4, expected 0"),
        ([1, 0], [0, 0, 0], "tile under goal is 1, expected 0"),
        ([5, 5], [1, 0, 0], "tile under agent is 1, expected 0"),
    ],
)
def test_what_is_no_level_is_refused(goal, agent, message):
    walls = np.zeros((13, 13), np.int8)
    walls[0, 1] = 1
    with pytest.raises(InvalidTaskError, match=message):
        SPACE.resolve(UEDMazeTask(walls, np.array(goal, np.int8), np.array(agent, np.int8)))


@pytest.mark.parametrize("num_walls", [25, 60])
def test_levels_are_drawn_as_published(num_walls):
    """Walls with replacement, the agent and the goal on what is left, each tile as likely as another."""
    rng, space = np.random.default_rng(0), UEDMazeTaskSpace(num_walls)
    drawn = [space.sample_task(rng) for _ in range(8_000)]
    walls = np.array([task.walls.sum() for task in drawn])
    expected = 169 * (1 - (1 - 1 / 169) ** num_walls)
    assert abs(walls.mean() - expected) < 4 * walls.std() / np.sqrt(len(drawn)) and walls.max() <= num_walls
    for column in (lambda task: tile(task.goal), lambda task: tile(task.agent)):
        assert stats.chisquare(np.bincount([column(task) for task in drawn], minlength=169)).pvalue > 1e-3
    assert stats.chisquare(np.bincount([task.agent[2] for task in drawn])).pvalue > 1e-3


@pytest.mark.parametrize("num_walls", [-1, 168, 2.5, True, "60", None])
def test_bad_numbers_of_walls_are_refused(num_walls):
    with pytest.raises(InvalidOptionError, match=r"num_walls is .*, expected an integer in \[0, 167\]"):
        UEDMazeTaskSpace(num_walls)


def test_two_tiles_are_left_however_many_walls_are_drawn():
    rng, space = np.random.default_rng(0), UEDMazeTaskSpace(167)
    for _ in range(200):
        space.sample_task(rng).validate()


@given(levels, st.integers(0, 2**32))
def test_an_edit_changes_one_wall_or_the_goal_and_never_the_agent(task, seed):
    rng = np.random.default_rng(seed)
    edited = SPACE.mutate(task, rng)
    edited.validate()
    assert edited != task and np.array_equal(edited.agent, task.agent)
    moved = not np.array_equal(edited.goal, task.goal)
    assert np.abs(edited.walls - task.walls).sum() == (0 if moved else 1)


def test_both_edits_are_equally_likely_and_reach_every_tile():
    rng, task = np.random.default_rng(1), SPACE.suite("random").tasks[0]
    edits = [SPACE.mutate(task, rng) for _ in range(8_000)]
    goals = [tile(one.goal) for one in edits if not np.array_equal(one.goal, task.goal)]
    walls = [
        int(np.flatnonzero(one.walls != task.walls)[0]) for one in edits if not np.array_equal(one.walls, task.walls)
    ]
    assert stats.binomtest(len(goals), len(edits)).pvalue > 1e-3
    taken = {tile(task.goal), tile(task.agent)}
    free = set(np.flatnonzero(task.walls.ravel() == 0).tolist()) - taken
    assert set(goals) == free and set(walls) == set(range(169)) - taken
    assert stats.chisquare(np.bincount(walls)[sorted(set(walls))]).pvalue > 1e-3


def test_where_no_tile_is_left_a_wall_is_torn_down():
    rng = np.random.default_rng(0)
    for _ in range(20):
        edited = SPACE.mutate(crowded(), rng)
        assert edited.walls.sum() == 166 and edited.goal.tolist() == [7, 5]


@given(levels, st.integers(0, NUM_SYMMETRIES - 1))
def test_an_image_is_the_same_maze_to_an_agent(task, symmetry):
    """What is seen after the same actions is the same, or, after a reflection, reflected for actions that are."""
    shown, rng = ReferenceMaze(image(task, symmetry)), np.random.default_rng(symmetry)
    plain, is_reflected = ReferenceMaze(task), symmetry >= 4
    pose, other = plain.start, shown.start
    for action in rng.integers(3, size=30).tolist():
        seen = plain.image(pose)
        assert np.array_equal(shown.image(other), seen[::-1] if is_reflected else seen)
        pose, solved = plain.step(pose, action)
        other, is_solved = shown.step(other, 1 - action if is_reflected and action < 2 else action)
        assert solved == is_solved
        if solved:
            break


@given(levels, st.integers(0, NUM_SYMMETRIES - 1))
def test_a_mark_is_of_the_walls_and_the_goal_from_every_side_and_start(task, symmetry):
    marks = SPACE.hold_out_marks(task)
    shown = image(task, symmetry)
    assert SPACE.hold_out_marks(shown) == marks
    y, x = next(one for one in np.argwhere(shown.walls == 0).tolist() if one[::-1] != shown.goal.tolist())
    assert SPACE.hold_out_marks(UEDMazeTask(shown.walls, shown.goal, np.array([x, y, 2], np.int8))) == marks
    edited = task.walls.copy()
    edited.flat[0] ^= 1  # another number of walls is another maze
    assert SPACE.hold_out_marks(UEDMazeTask(edited, task.goal, task.agent)) != marks


def test_the_images_of_a_maze_are_eight():
    task = SPACE.suite("named")["StandardMaze"]
    assert len({image(task, symmetry) for symmetry in range(NUM_SYMMETRIES)}) == NUM_SYMMETRIES
    assert image(task, 0) == task


def test_every_field_of_a_batch_is_checked():
    batch = SPACE.draw_solvable(np.random.default_rng(0), 4)
    SPACE.validate_batch(batch)
    for (name, place, value), row in product(
        [("walls", (0, 0), 2), ("goal", (0,), 13), ("agent", (1,), -1), ("agent", (2,), 4)], range(4)
    ):
        kept = batch.arrays[name][(row, *place)]
        batch.arrays[name][(row, *place)] = value
        with pytest.raises(InvalidTaskError):
            SPACE.validate_batch(batch)
        batch.arrays[name][(row, *place)] = kept
    batch.arrays["agent"][2, :2] = batch.arrays["goal"][2]
    with pytest.raises(InvalidTaskError, match="place of agent"):
        SPACE.validate_batch(batch)
