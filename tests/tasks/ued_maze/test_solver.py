import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.ued_maze import HORIZON, UEDMazeTask, UEDMazeTaskSpace
from tests.tasks.ued_maze.reference_maze import ReferenceMaze

SPACE = UEDMazeTaskSpace()
CLOSED_IN = "\n".join([">#...........", "#...........G", *["............."] * 11])


def maze(*rows: str) -> UEDMazeTask:
    """A maze whose upper left these rows are; the rest is empty."""
    return UEDMazeTask.from_text("\n".join(row.ljust(13, ".") for row in (*rows, *[""] * (13 - len(rows)))))


def assert_solves(task: UEDMazeTask, actions: np.ndarray) -> None:
    reference = ReferenceMaze(task)
    pose, solved = reference.start, False
    for action in actions.tolist():
        assert not solved, "the goal was reached before the solution ended"
        pose, solved = reference.step(pose, action)
    assert solved


def test_solutions_are_as_short_as_an_exhaustive_search_finds():
    rng, lengths = np.random.default_rng(0), []
    drawn = [UEDMazeTaskSpace(num_walls).sample_task(rng) for num_walls in (0, 25, 60, 90) for _ in range(60)]
    for task in [*SPACE.suite("named"), *drawn]:
        actions, length = SPACE.solve(task), ReferenceMaze(task).shortest_length()
        assert (None if actions is None else len(actions)) == length, task.to_text()
        if actions is not None:
            assert actions.dtype == np.int64
            assert_solves(task, actions)
        lengths.append(length)
    assert lengths.count(None) > 20 and max(filter(None, lengths)) == 113


@pytest.mark.parametrize(
    ("rows", "length"),
    [
        ((">G",), 1),
        ((">.G",), 2),
        (("<.G",), 4),
        (("^G",), 2),
        (("v", "", "G"), 2),
        ((">#G", "...", ""), 7),
    ],
)
def test_short_solutions(rows, length):
    assert len(SPACE.solve(maze(*rows))) == length


def test_what_is_shut_off_is_unsolvable():
    assert SPACE.solve(UEDMazeTask.from_text(CLOSED_IN)) is None


def test_the_longest_ways_fit_into_an_episode():
    """A maze that winds to and fro, and what a search for longer ones finds from many begins."""
    walls = ["#" * 12 + ".", "." + "#" * 12] * 3
    rows = ["." * 13, *(row for wall in walls for row in (wall, "." * 13))]
    rows[0], rows[12] = ">" + rows[0][1:], rows[12][:-1] + "G"
    winding = UEDMazeTask.from_text("\n".join(rows))
    assert len(SPACE.solve(winding)) == 7 * 12 + 6 * 2 + 6 * 2  # along the rows, between them, and turns
    rng = np.random.default_rng(1)
    found = [SPACE.lengthen(task, rng, HORIZON, 300) for task in [*SPACE.draw_solvable(rng, 20), winding]]
    assert 108 <= max(map(SPACE.solution_length, found)) < HORIZON


def test_solvable_levels_are_those_of_the_published_draw_that_can_be_solved():
    """The numbers of walls and lengths of what is drawn at once, and of what is drawn and thrown away."""
    some = list(SPACE.draw_solvable(np.random.default_rng(2), 3_000))
    rng = np.random.default_rng(3)
    others = [task for task in (SPACE.sample_task(rng) for _ in range(3_600)) if SPACE.is_solvable(task)]
    assert 0.8 < len(others) / 3_600 < 0.88
    for measure in (lambda task: task.walls.sum(), SPACE.solution_length):
        one, other = (np.array([measure(task) for task in tasks], float) for tasks in (some, others))
        assert abs(one.mean() - other.mean()) < 4 * np.hypot(one.std(), other.std()) / np.sqrt(3_000)


def test_lengthening_and_wandering_keep_to_their_lengths():
    rng = np.random.default_rng(4)
    (task,) = SPACE.draw_solvable(rng, 1)
    longer = SPACE.lengthen(task, rng, 30, 5_000)
    assert SPACE.solution_length(longer) == 30
    lengths = set()
    for _ in range(30):
        longer = SPACE.wander(longer, rng, 20, 25, 35)
        lengths.add(SPACE.solution_length(longer))
    assert lengths <= set(range(25, 36)) and len(lengths) > 3
    assert np.array_equal(longer.agent, task.agent)


def test_an_invalid_task_is_refused():
    blocked = UEDMazeTask(np.ones((13, 13), np.int8), np.zeros(2, np.int8), np.array([1, 0, 0], np.int8))
    with pytest.raises(InvalidTaskError, match="tile under goal is 1, expected 0"):
        SPACE.validate(blocked)
