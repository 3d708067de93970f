"""The expert plays programs, and proves the suite.

Plans on paper: every call does exactly what its goal says.
"""

from dataclasses import replace

import gymnasium
import networkx
import numpy as np
import pytest

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.envs.fetch_blocks.scripted.generate import SEED, proven_tasks
from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.envs.fetch_blocks.scripted.playing import play_carrying, play_program
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart, FetchProgramTask
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.programs import GROUPS, PROGRAMS, dependency_graph
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT
from tests.tasks.programs.makers import done_states

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


NON_ATOMIC = [program for program in PROGRAMS.values() if not program.is_atomic]
non_atomic_programs = pytest.mark.parametrize("program", NON_ATOMIC, ids=lambda program: program.name)


def calls_on_paper(name: str, state: np.ndarray, most: int) -> list[str]:
    """The calls until there is no next one; the state becomes what they lead to."""
    calls = []
    while len(calls) <= most and (call := next_call(name, state)) is not None:
        assert PROGRAMS[call].precondition(state), f"{call} cannot start"
        calls.append(call)
        block_positions(state)[:] = PROGRAMS[call].goal(state).reshape(-1, 3)
    return calls


@pytest.mark.parametrize("randomness", [0.0, 1.0])
@non_atomic_programs
def test_every_plan_is_done_after_as_many_calls_as_the_program_says(program, randomness):
    rng, lengths = np.random.default_rng(0), []
    for _ in range(400):
        state = draw_program_task(rng, program, randomness).state
        calls = calls_on_paper(program.name, state, program.most_atomic_calls)
        assert program.postcondition(state)
        lengths.append(len(calls))
    assert max(lengths) <= program.most_atomic_calls
    assert max(lengths) == program.most_atomic_calls or randomness == 1.0


def test_a_held_block_without_a_place_is_put_aside():
    """Blocks 1, 2 and 3 leave it no place in the orange zone, and none of them can be moved before it is put down."""
    places = np.array([[1.19, 0.76], [1.2388, 0.57], [1.2388, 0.57], [1.3457, 0.59]])
    start = FetchBlocksStart(places, np.array([HELD, 1, 0, 0], np.int8), np.array([1.19, 0.76, 0.52]))
    task = FetchProgramTask(start, "Clean_Table")
    task.validate()
    state = task.state
    calls = calls_on_paper("Clean_Table", state, 5)
    assert calls[0] == "Stack_0_1" and len(calls) == 5
    assert PROGRAMS["Clean_Table"].postcondition(state)


@non_atomic_programs
def test_plans_are_made_of_what_the_program_calls(program):
    graph = dependency_graph(PROGRAMS)
    planned = graph.edge_subgraph(edge for edge in graph.edges if graph.edges[edge]["is_planned"])
    allowed = networkx.descendants(planned, program.name)
    rng = np.random.default_rng(1)
    for _ in range(200):
        state = draw_program_task(rng, program, 0.0).state
        assert set(calls_on_paper(program.name, state, program.most_atomic_calls)) <= allowed


@non_atomic_programs
def test_a_program_that_is_done_calls_nothing(program):
    states = done_states(program.name, np.random.default_rng(2), 100)
    assert [next_call(program.name, state) for state in states] == [None] * 100


def test_nothing_is_called_while_blocks_fall():
    state = draw_program_task(np.random.default_rng(3), PROGRAMS["Clean_Table"], 1.0).state
    block_positions(state)[:2, 2] = RESTING_HEIGHT + 0.2
    assert next_call("Clean_Table", state) is None
