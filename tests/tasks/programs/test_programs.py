from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.programs import GROUPS, PROGRAMS
from procgen_bench.tasks.programs.paper import blocks_of_colour, move_name
from procgen_bench.tasks.programs.relations import is_in_zone
from procgen_bench.tasks.programs.states import block_positions, joined, split
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, COLOURS
from tests.tasks.programs.makers import done_states, random_states

ATOMIC = [program for program in PROGRAMS.values() if program.is_atomic]
NON_ATOMIC = [program for program in PROGRAMS.values() if not program.is_atomic]

programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
atomic_programs = pytest.mark.parametrize("program", ATOMIC, ids=lambda program: program.name)
non_atomic_programs = pytest.mark.parametrize("program", NON_ATOMIC, ids=lambda program: program.name)


@cache
def scattered():
    """States that no test changes."""
    return random_states(np.random.default_rng(0), 10_000)


def moved_to(states, goals):
    """The states with the blocks where the goals want them."""
    moved = states.copy()
    block_positions(moved)[:] = goals.reshape(-1, 4, 3)
    return moved


def displaced(rng, states, distances, blocks, slope=1.0):
    """The states with one block each, of ``blocks``, displaced by a distance: anywhere up, or with slope 0 sideways."""
    directions = rng.normal(size=(len(states), 3))
    directions[:, 2] = slope * np.abs(directions[:, 2])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    moved = states.copy()
    block_positions(moved)[np.arange(len(states)), rng.choice(blocks, len(states))] += directions * rng.uniform(
        *distances, (len(states), 1)
    )
    return moved


@atomic_programs
def test_atomic_program_has_done_its_work_where_its_goal_is_met(program):
    goals = program.goal(scattered())
    assert program.postcondition(moved_to(scattered(), goals), goals).all()


@atomic_programs
def test_atomic_program_has_not_done_its_work_with_one_block_displaced(program):
    rng, goals = np.random.default_rng(1), program.goal(scattered())
    done = moved_to(scattered(), goals)
    assert not program.postcondition(displaced(rng, done, (0.0501, 0.3), range(4)), goals).any()
    assert program.postcondition(displaced(rng, done, (0.0, 0.0499), range(4)), goals).all()


@non_atomic_programs
def test_non_atomic_program_has_done_its_work(program):
    assert program.postcondition(done_states(program.name, np.random.default_rng(2), 2_000)).all()


@non_atomic_programs
def test_non_atomic_program_has_not_done_its_work_with_one_block_displaced(program):
    rng = np.random.default_rng(3)
    done = done_states(program.name, rng, 2_000)
    zones = [place for place, colour in enumerate(COLOURS) if colour in program.name] or range(len(COLOURS))
    blocks = [block for zone in zones for block in blocks_of_colour(zone)]
    # Half a metre from anywhere in a zone, or from any place on a block, is outside it.
    assert not program.postcondition(displaced(rng, done, (0.5, 0.6), blocks)).any()
    if "Stack" in program.name:
        assert not program.postcondition(displaced(rng, done, (0.0501, 0.3), blocks, slope=0)).any()


@atomic_programs
def test_precondition_holds_in_some_states_and_not_in_others(program):
    assert 0.1 < program.precondition(scattered()).mean() < 0.9


@programs
def test_what_is_unmet_is_reported(program):
    states = scattered()[:1000]
    unmet = [program.unmet(state) for state in states]
    assert [not hindrances for hindrances in unmet] == program.precondition(states).tolist()
    if program.is_atomic:
        moved = program.blocks[0]
        words = " ".join(hindrance for hindrances in unmet for hindrance in hindrances)
        assert f"is on block {moved}" in words and "is in the air" in words
        assert f"block {moved} is in the air" not in words
        assert ("zone has no free place" in words) == (program.zone is not None)


@programs
def test_batch_equals_single(program):
    states = scattered()[:60].reshape(3, 20, 70)
    goals = program.goal(states) if program.is_atomic else None
    assert program.precondition(states).shape == (3, 20)
    assert program.postcondition(states, goals).shape == (3, 20)
    for place in np.ndindex(3, 20):
        assert program.precondition(states)[place] == program.precondition(states[place])
        goal = None if goals is None else program.goal(states[place])
        assert goals is None or np.array_equal(goals[place], goal)
        assert program.postcondition(states, goals)[place] == program.postcondition(states[place], goal)
    assert program.precondition(np.empty((0, 70))).shape == (0,)


@settings(max_examples=60)
@given(st.permutations(range(4)), st.integers(0, 2**32 - 1), st.sampled_from(ATOMIC))
def test_renaming_the_blocks_renames_the_atomic_programs(new_names, seed, program):
    states = random_states(np.random.default_rng(seed), 20)
    blocks, gripper = split(states)
    renamed = np.empty_like(blocks)
    renamed[:, list(new_names)] = blocks
    of_renamed = joined(renamed, gripper)
    words = [str(new_names[int(word)]) if word.isdigit() else word for word in program.name.split("_")]
    twin = PROGRAMS["_".join(words)]
    goals, of_twin = program.goal(states).reshape(-1, 4, 3), twin.goal(of_renamed).reshape(-1, 4, 3)
    assert np.array_equal(program.precondition(states), twin.precondition(of_renamed))
    assert np.array_equal(goals, of_twin[:, list(new_names)])
    few = scattered()[:20]
    assert np.array_equal(
        program.postcondition(few, goals.reshape(-1, 12)),
        twin.postcondition(joined(_renamed(few, new_names), few[:, -10:]), of_twin.reshape(-1, 12)),
    )


def _renamed(states, new_names):
    blocks = split(states)[0]
    renamed = np.empty_like(blocks)
    renamed[:, list(new_names)] = blocks
    return renamed


@non_atomic_programs
@pytest.mark.parametrize("new_names", [(1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)])
def test_blocks_of_one_colour_are_alike(program, new_names):
    states = np.concatenate([scattered()[:500], done_states(program.name, np.random.default_rng(6), 100)])
    renamed = joined(_renamed(states, new_names), states[:, -10:])
    assert np.array_equal(program.postcondition(states), program.postcondition(renamed))


@pytest.mark.parametrize("zone", range(len(COLOURS)))
@pytest.mark.parametrize("block", range(4))
def test_block_that_was_moved_to_a_zone_is_in_it(block, zone):
    program = PROGRAMS[move_name(block, zone)]
    goals = program.goal(scattered())
    done = displaced(np.random.default_rng(7), moved_to(scattered(), goals), (0.0, 0.05), [block])
    assert program.postcondition(done, goals).all()
    assert all(is_in_zone(state, block, zone) for state in done)


def test_only_what_states_hold_of_places_matters():
    noise = scattered().copy()
    split(noise)[0][..., 3:] += 1.0
    noise[:, -10:] += 1.0
    for program in PROGRAMS.values():
        assert np.array_equal(program.precondition(scattered()), program.precondition(noise))


def test_states_are_left_as_they_are():
    states = scattered()[:50].copy()
    for program in PROGRAMS.values():
        program.precondition(states)
        program.postcondition(states, program.goal(states) if program.is_atomic else None)
    assert np.array_equal(states, scattered()[:50])


def test_one_goal_does_for_all_states():
    program = PROGRAMS["Stack_0_1"]
    goal = program.goal(scattered()[0])
    assert program.postcondition(moved_to(scattered()[:5], np.tile(goal, (5, 1))), goal).all()
    assert not program.postcondition(scattered()[1:5], goal).any()


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (np.zeros((3, 69)), r"states' shape is \(3, 69\), expected numbers \(..., 70\)"),
        (0.0, "states' shape is 0.0, expected numbers"),
        ("table", "states' shape is 'table', expected numbers"),
        ([["a"] * 70], r"states' shape is .*, expected numbers"),
    ],
)
def test_what_is_no_state_is_refused(states, message):
    with pytest.raises(InvalidTaskError, match=message):
        PROGRAMS["Clean_Table"].precondition(states)


def test_goals_are_those_of_atomic_programs():
    stack, clean = PROGRAMS["Stack_0_1"], PROGRAMS["Clean_Table"]
    with pytest.raises(InvalidTaskError, match="program is 'Clean_Table', expected an atomic one"):
        clean.goal(scattered()[0])
    with pytest.raises(InvalidTaskError, match=r"goals of Clean_Table is .*, expected None"):
        clean.postcondition(scattered()[0], stack.goal(scattered()[0]))
    with pytest.raises(InvalidTaskError, match="goals of Stack_0_1 is None, expected those that were set"):
        stack.postcondition(scattered()[0])
    with pytest.raises(InvalidTaskError, match=r"goals' shape is \(3, 1, 12\), expected \(2, 1, 12\) or \(1, 12\)"):
        stack.postcondition(scattered()[:2], stack.goal(scattered()[:3]))


def test_unknown_names_are_refused():
    for name in ("Stack_0_0", "Stack_4_0", "Move_To_Zone_0_GREEN", None):
        with pytest.raises(UnknownNameError, match="unknown program"):
            PROGRAMS[name]
    assert None not in PROGRAMS and PROGRAMS["Stack_3_1"].name == "Stack_3_1"


def test_library_is_that_of_table_3():
    assert len(ATOMIC) == 20 and len(NON_ATOMIC) == 7
    assert [program.name for program in ATOMIC[:3]] == ["Stack_0_1", "Stack_0_2", "Stack_0_3"]
    assert {program.level for program in ATOMIC} == {0}
    assert {program.name for program in NON_ATOMIC if program.level == 2} == {"Clean_Table", "Clean_And_Stack"}
    assert {name for names in GROUPS.values() for name in names} == {program.name for program in NON_ATOMIC}
    assert len({program.text for program in PROGRAMS.values()}) == 27
    assert PROGRAMS["Move_To_Zone_2_BLUE"].text == "move block 2 to the blue zone"
    assert BLOCK_COLOURS[:4] == (0, 0, 1, 1)
