from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart, FetchProgramTask
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.programs import PROGRAMS
from procgen_bench.tasks.programs.states import block_positions

GRIPPER = np.array([1.3, 0.75, 0.55])
#: Block 1 on block 0, block 2 beside them, block 3 in the orange zone.
START = FetchBlocksStart(
    np.array([[1.2, 0.5], [1.2, 0.5], [1.3, 0.8], [1.3, 0.57]]), np.array([0, 1, 0, 0], np.int8), GRIPPER
)
TASK = FetchProgramTask(START, "Stack_1_2")


def holding(block: int) -> FetchBlocksStart:
    """Block 0 is on the table, as all others but the held one."""
    places, levels = START.places.copy(), np.zeros(4, np.int8)
    places[1] = 1.4, 0.95
    places[block], levels[block] = GRIPPER[:2], HELD
    return FetchBlocksStart(places, levels, GRIPPER)


def test_text_ends_with_the_program():
    assert TASK.to_text().splitlines()[-1] == "program Stack_1_2"


def test_what_is_no_text_is_refused():
    with pytest.raises(InvalidTaskError, match=r"last line is 'block 1.3 0.57 0', expected 'program'"):
        FetchProgramTask.from_text(START.to_text())
    with pytest.raises(InvalidTaskError, match="line"):
        FetchProgramTask.from_text("nonsense\nprogram Clean_Table")


def test_state_is_the_start_as_programs_take_it():
    assert np.array_equal(block_positions(TASK.state), START.positions)
    assert TASK.state.sum() == pytest.approx(START.positions.sum())


@pytest.mark.parametrize("name", ["Stack_1_2", "Stack_2_1", "Move_To_Zone_3_ORANGE", "Clean_Table", "Stack_All_Blocks"])
def test_programs_whose_precondition_holds_are_valid(name):
    replace(TASK, program=name).validate()


@pytest.mark.parametrize(
    ("start", "name", "unmet"),
    [
        (START, "Stack_0_2", "block 1 is on block 0"),
        (START, "Stack_2_0", "block 1 is on block 0"),
        (START, "Stack_1_0", "block 1 is on block 0"),
        (START, "Move_To_Zone_0_BLUE", "block 1 is on block 0"),
        (holding(2), "Stack_3_0", "block 2 is in the air"),
        (holding(2), "Move_To_Zone_0_ORANGE", "block 2 is in the air"),
    ],
)
def test_precondition_that_does_not_hold_is_reported(start, name, unmet):
    with pytest.raises(InvalidTaskError) as caught:
        FetchProgramTask(start, name).validate()
    expected = f"pre-condition of {name} is 'not met ({unmet})', expected {PROGRAMS[name].precondition_text}"
    assert expected in str(caught.value)


def test_a_full_zone_is_reported():
    places = np.array([[1.27, 0.57], [1.35, 0.57], [1.3, 0.9], [1.2, 0.9]])
    start = FetchBlocksStart(places, np.zeros(4, np.int8), GRIPPER)
    with pytest.raises(InvalidTaskError, match="the orange zone has no free place"):
        FetchProgramTask(start, "Move_To_Zone_2_ORANGE").validate()


def test_held_block_can_be_put_down():
    FetchProgramTask(holding(2), "Stack_2_0").validate()
    FetchProgramTask(holding(2), "Clean_Table").validate()


@pytest.mark.parametrize("name", ["Stack_0_0", "Move_To_Zone_0_GREEN", "Stack_4_1", "clean_table", None, 3])
def test_unknown_blocks_and_colours_are_refused(name):
    with pytest.raises(UnknownNameError, match="unknown program"):
        FetchProgramTask(START, name).validate()


def test_blocks_outside_the_table_and_other_numbers_of_blocks_are_refused():
    outside = replace(START, places=START.places + np.array([0.0, 0.7]))
    with pytest.raises(InvalidTaskError, match=r"y of .* is 1"):
        FetchProgramTask(outside, "Clean_Table").validate()
    three = FetchBlocksStart(START.places[1:], np.zeros(3, np.int8), GRIPPER)
    with pytest.raises(InvalidTaskError, match="number of blocks is 3, expected 4"):
        FetchProgramTask(three, "Clean_Table").validate()
    with pytest.raises(InvalidTaskError, match="start is None, expected a FetchBlocksStart"):
        FetchProgramTask(None, "Clean_Table").validate()
