import numpy as np

from procgen_bench.tasks.ued_maze import UEDMazeTaskSpace
from procgen_bench.tasks.ued_maze.symmetries import NUM_SYMMETRIES, image

SPACE = UEDMazeTaskSpace()
NAMED, RANDOM = SPACE.suite("named"), SPACE.suite("random")
#: Steps of the shortest solutions, by hand and by the search in plain Python.
LENGTHS = {
    "SixteenRooms": 26,
    "SixteenRooms2": 28,
    "Labyrinth": 113,
    "LabyrinthFlipped": 113,
    "Labyrinth2": 113,
    "StandardMaze": 54,
    "StandardMaze2": 73,
    "StandardMaze3": 54,
}


def test_the_published_mazes_are_there_with_their_lengths():
    assert dict(zip(NAMED.task_names, NAMED.records["length"].tolist())) == LENGTHS


def test_one_labyrinth_is_the_other_reflected():
    assert any(image(NAMED["Labyrinth"], symmetry) == NAMED["LabyrinthFlipped"] for symmetry in range(NUM_SYMMETRIES))
    assert SPACE.hold_out_marks(NAMED["Labyrinth"]) == SPACE.hold_out_marks(NAMED["LabyrinthFlipped"])


def test_random_levels_are_10_000_different_ones_that_can_be_solved():
    assert len(RANDOM) == 10_000 == len(SPACE.suite_marks("random"))
    assert RANDOM.records["length"].min() >= 1
    walls = [task.walls.sum() for task in RANDOM.tasks[:1_000]]
    assert max(walls) <= 60 and 40 < np.mean(walls) < 51


def test_training_meets_neither_suite_by_what_levels_are_nor_by_what_is_seen_of_them_whole():
    """By the fingerprint, by the mark, and by the walls, the goal and the agent, whichever image shows them."""
    rng = np.random.default_rng(0)
    scored = {task.fingerprint() for suite in (NAMED, RANDOM) for task in suite}
    marks = SPACE.suite_marks("named") | SPACE.suite_marks("random")
    drawn = [task for task in SPACE.draw_solvable(rng, 5_000) if SPACE.may_be_trained_on(task)]
    assert len(drawn) == 5_000
    for task in drawn:
        assert task.fingerprint() not in scored and marks.isdisjoint(SPACE.hold_out_marks(task))
    for task in (*NAMED, *RANDOM.tasks[:20]):
        for symmetry in range(NUM_SYMMETRIES):
            assert not SPACE.may_be_trained_on(image(task, symmetry))


def test_fresh_named_mazes_are_the_published_ones_turned_from_starts_near_by():
    rng = np.random.default_rng(1)
    for place, task in enumerate(NAMED):
        length, fresh = LENGTHS[NAMED.task_names[place]], [SPACE.draw_like("named", place, rng) for _ in range(40)]
        assert len(set(fresh)) > 20
        for one in fresh:
            assert SPACE.hold_out_marks(one) == SPACE.hold_out_marks(task)
            assert abs(SPACE.solution_length(one) - length) <= 3 + 3 + 4, "three moves, a turn before each, and faced"
