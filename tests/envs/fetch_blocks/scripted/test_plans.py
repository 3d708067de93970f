"""Plans on paper: every call does exactly what its goal says."""

import networkx
import numpy as np
import pytest

from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart, FetchProgramTask
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.programs import PROGRAMS, dependency_graph
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT
from tests.tasks.programs.makers import done_states

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
