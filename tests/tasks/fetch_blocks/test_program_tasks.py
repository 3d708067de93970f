"""Starts and goals that the paper does not draw: another block in the gripper, towers, goals on top of them."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, UnknownNameError
from procgen_bench.tasks.fetch_blocks import (
    FetchBlocksStart,
    FetchBlocksTask,
    FetchBlocksTaskSpace,
    FetchProgramTask,
    FetchProgramTaskSpace,
)
from procgen_bench.tasks.fetch_blocks.draws import START_KINDS, draw_goal, draw_start
from procgen_bench.tasks.fetch_blocks.program_draws import is_done
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.fetch_blocks.table import height, least_gripper_height
from procgen_bench.tasks.programs import GROUPS, PROGRAMS
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import PLACE_CLEARANCE, RESTING_HEIGHT

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


SPACE = FetchProgramTaskSpace()


def test_every_program_is_wished_for_and_often_can_be_played():
    rng, programs, wished = np.random.default_rng(0), set(), 0
    for _ in range(600):
        params = SPACE.sample(rng)
        task = SPACE.decode(params)
        programs.add(task.program)
        wished += list(PROGRAMS).index(task.program) == params["program"].argmax()
    assert programs == set(PROGRAMS)
    assert 200 < wished < 600


def test_program_is_the_most_wished_that_can_be_played():
    params = SPACE.encode(TASK)
    wishes = dict.fromkeys(PROGRAMS, -1.0) | {"Stack_0_2": 1.0, "Move_To_Zone_2_BLUE": 0.5, "Clean_Table": 0.4}
    params["program"] = np.array(list(wishes.values()))
    assert SPACE.decode(params).program == "Move_To_Zone_2_BLUE"  # block 1 is on block 0


def test_mutation_changes_one_part():
    rng, changed = np.random.default_rng(1), {"places": 0, "gripper": 0, "program": 0}
    for _ in range(300):
        task = SPACE.sample_task(rng, PROGRAMS["Clean_Table"], 1.0)
        other = SPACE.mutate(task, rng)
        if other.program != task.program:
            assert other.start == task.start
            changed["program"] += 1
        elif not np.array_equal(other.start.places, task.start.places):
            changed["places"] += 1
        else:
            changed["gripper"] += 1
    assert min(changed.values()) > 60


@pytest.mark.parametrize("randomness", [0.0, 1.0])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_drawn_tasks_can_begin_and_have_something_to_do(program, randomness):
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(20):
        task = SPACE.sample_task(rng, program, randomness)
        SPACE.validate(task)
        assert task.program == program.name and not is_done(program, task.state)
        held += task.start.held is not None
        assert task.start.held in (None, *(program.blocks[:1] or range(4)))
    assert (held > 0) == (randomness == 0.0)


def test_suite_holds_a_hundred_starts_for_each_group_of_table_2():
    suite = SPACE.suite("groups")
    for place, (name, task) in enumerate(zip(suite.task_names, suite)):
        group, number = divmod(place, 100)
        programs = list(GROUPS.values())[group]
        assert name == f"{list(GROUPS)[group].lower()}/{number}"
        assert task.program == programs[number % len(programs)]
        program = PROGRAMS[task.program]
        assert not is_done(program, task.state)
        assert 0 < suite.records["steps"][place] <= program.horizon
    assert suite.records["group"].tolist() == np.repeat(range(5), 100).tolist()
    assert SPACE.resolve("groups/move_all_to_zone/1").program == "Move_All_To_Zone_BLUE"


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
