import numpy as np
import pytest

from procgen_bench.tasks.fetch_blocks import FetchProgramTaskSpace
from procgen_bench.tasks.fetch_blocks.program_draws import is_done
from procgen_bench.tasks.programs import GROUPS, PROGRAMS
from tests.tasks.fetch_blocks.test_program_task import TASK

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
