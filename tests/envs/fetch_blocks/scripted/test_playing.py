"""The expert plays programs, and proves the suite."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.envs.fetch_blocks.scripted.generate import SEED, proven_tasks
from procgen_bench.envs.fetch_blocks.scripted.playing import play_carrying, play_program
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.programs import GROUPS, PROGRAMS

SPACE, BLOCKS_SPACE = make_task_space("FetchProgram-v0"), make_task_space("FetchBlocks-v0")
SIMULATION = FetchBlocksSimulation(4)


def played(program, rng, randomness) -> bool:
    return play_program(SIMULATION, SPACE.sample_task(rng, program, randomness)) is not None


@pytest.mark.parametrize("name", ["Stack_2_0", "Move_To_Zone_1_BLUE", *(names[0] for names in GROUPS.values())])
def test_programs_are_done(name):
    rng = np.random.default_rng(0)
    assert np.mean([played(PROGRAMS[name], rng, randomness) for randomness in (0.0, 1.0) for _ in range(3)]) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("randomness", [0.0, 1.0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nearly_all_programs_are_done(name, randomness):
    rng = np.random.default_rng(1)
    assert np.mean([played(PROGRAMS[name], rng, randomness) for _ in range(200)]) >= 0.95


@pytest.mark.parametrize("places", [range(3), pytest.param(range(500), marks=pytest.mark.slow)], ids=["few", "all"])
def test_the_suite_of_blocks_is_proven(places):
    tasks = BLOCKS_SPACE.suite("test").tasks
    assert all(play_carrying(SIMULATION, tasks[place]) is not None for place in places)


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_the_suite_is_proven(group):
    _check_proven(range(100 * group + 7, 100 * group + 9))


@pytest.mark.slow
def test_the_whole_suite_is_proven():
    _check_proven(range(500))


def _check_proven(places):
    """Steps may differ a little from one kind of machine to another."""
    suite = SPACE.suite("groups")
    for place in places:
        actions = SPACE.solve(suite.tasks[place])
        assert actions.dtype == np.float32 and actions.shape[1:] == (4,)
        assert abs(len(actions) - suite.records["steps"][place]) <= 10


def test_generating_again_begins_with_the_committed_suite():
    suite, (first,) = SPACE.suite("groups"), proven_tasks(np.random.default_rng(SEED), "Clean_Table", 1)
    assert first[0] == suite.tasks[0]


def test_a_task_that_is_too_much_says_so(monkeypatch):
    monkeypatch.setattr(Expert, "act", lambda self, state: np.zeros(4, np.float32))
    task = SPACE.suite("groups").tasks[0]
    with pytest.raises(UnsolvedTaskError, match="did not finish Clean_Table in time"):
        SPACE.solve(task)
    assert not SPACE.is_solvable(task)


def test_a_goal_in_the_table_is_too_much():
    task = BLOCKS_SPACE.suite("test").tasks[0]
    goal = task.goal.copy()
    goal[:, 2] = 0.2
    with pytest.raises(UnsolvedTaskError, match=r"did not bring block \d to its place in time"):
        BLOCKS_SPACE.solve(replace(task, goal=goal))
    assert not BLOCKS_SPACE.is_solvable(replace(task, goal=goal)) and BLOCKS_SPACE.is_solvable(task)


@pytest.mark.parametrize("num_blocks", [2, 6])
def test_tasks_of_other_numbers_of_blocks_are_solved(num_blocks):
    env = gymnasium.make("FetchBlocks-v0", num_blocks=num_blocks)
    env.reset(seed=3)
    space, task = env.unwrapped.task_space, env.unwrapped.task
    env.reset(options={"task": task})
    assert [env.step(action)[4]["success"] for action in space.solve(task)][-1]


def test_calls_are_those_of_the_plan():
    task = SPACE.resolve("groups/stack_all_blocks/3")
    SIMULATION.begin(task.start)
    program = PROGRAMS[task.program]
    expert = Expert(program)
    while not program.postcondition(SIMULATION.state):
        for _ in range(50):
            SIMULATION.step(expert.act(SIMULATION.state))
    assert 2 <= len(expert.calls) <= 3
    assert set(expert.calls) <= set(program.calls)
    # Done: it opens the hand, leaves, and calls nothing more.
    calls = len(expert.calls)
    for _ in range(60):
        SIMULATION.step(expert.act(SIMULATION.state))
    assert len(expert.calls) == calls
    assert program.postcondition(SIMULATION.state)
    assert np.array_equal(expert.act(SIMULATION.state), np.zeros(4))
