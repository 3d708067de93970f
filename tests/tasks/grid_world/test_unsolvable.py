"""The reason why a grid world cannot be solved is the true one."""

import numpy as np
import pytest

from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.grid_world.unsolvable import why_unsolvable


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
