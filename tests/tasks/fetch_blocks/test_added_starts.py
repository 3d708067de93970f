"""Starts and goals that the paper does not draw: another block in the gripper, towers, goals on top of them."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.draws import START_KINDS, draw_goal, draw_start
from procgen_bench.tasks.fetch_blocks.table import height, least_gripper_height
from procgen_bench.tasks.programs.zones import PLACE_CLEARANCE, RESTING_HEIGHT


def drawn(count=100, **options):
    rng = np.random.default_rng(3)
    for _ in range(count):
        start = draw_start(rng, 4, first=1, **options)
        start.validate()
        yield start, draw_goal(rng, start, 1, on_highest=bool(options.get("tower")), let_go=True)


@pytest.mark.parametrize("kind", START_KINDS)
def test_it_starts_as_the_kind_says(kind):
    for start, goal in drawn(kind=kind):
        is_under = np.array_equal(start.places[1], start.gripper[:2])
        assert (start.held == 1) == (kind == "held") and (is_under == (kind in ("held", "under")))
        assert (start.held not in (None, 1)) == (kind in ("other-held", "beside-held"))
        others = np.delete(np.arange(4), 1)
        beneath = start.positions
        beneath[start.levels == -1, 2] = RESTING_HEIGHT
        lying = start.levels != -1
        lowest = least_gripper_height(start.gripper, start.places[lying], start.levels[lying])
        assert start.held in (None, 1) or start.gripper[2] == lowest, "it does not fall farther than it has to"
        assert np.array_equal(goal[others], beneath[others]), "others stay, or are let go"


def test_a_block_beside_the_gripped_one_is_as_near_as_fingers_allow():
    for start, _ in drawn(kind="beside-held"):
        away = np.abs(start.places[1] - start.gripper[:2])
        assert (away >= PLACE_CLEARANCE).any() and (away <= 1.5 * np.array(PLACE_CLEARANCE)).all()


@pytest.mark.parametrize("tower", [1, 2, 3])
def test_goals_are_on_top_of_a_tower(tower):
    for start, goal in drawn(kind="anywhere", tower=tower, randomness=1.0):
        assert sorted(np.delete(start.levels, 1)) == sorted([*range(tower), *[0] * (3 - tower)])
        beneath = [block for block in (0, 2, 3) if np.array_equal(start.places[block], goal[1, :2])]
        assert len(beneath) == tower and goal[1, 2] == pytest.approx(height(tower))


def test_what_cannot_be_drawn_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidOptionError, match="kind is 'thrown', expected one of"):
        draw_start(rng, 4, kind="thrown")
    with pytest.raises(InvalidOptionError, match="tower is 3, expected 0 to 2, the further blocks on the table"):
        draw_start(rng, 4, kind="other-held", tower=3)


def test_tasks_without_parameters_are_plain_text():
    space, rng = FetchBlocksTaskSpace(), np.random.default_rng(0)
    start = draw_start(rng, 4, 0, kind="other-held")
    task = FetchBlocksTask(start, 0, draw_goal(rng, start, 0))
    assert set(space.plain(task)) == {"text"} and space.resolve(space.plain(task)) == task
    usual = space.sample_task(rng)
    assert set(space.plain(usual)) > {"goal"} and space.resolve(space.plain(usual)) == usual
