"""Programs are played by the network alone, by a plan, and by planning again; in imagination and in the simulation.

Traces are drawn as trees.

Pre-conditions and goals as tensors are those of the library, of all programs and numbers of blocks.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.alphanpi_x.programs import program_tensors
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import FailingAtomicPolicy, ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.execution import execute
from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import ENDED, MODES, Interpreter, TraceLine
from procgen_bench.baselines.papers.alphanpi_x.programs.program_tensors import ProgramTensors
from procgen_bench.baselines.papers.alphanpi_x.programs.starts import DrawnStarts
from procgen_bench.baselines.papers.alphanpi_x.programs.symbolic_model import SymbolicModel
from procgen_bench.baselines.papers.alphanpi_x.programs.traces import drawn_trace
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.programs import PROGRAMS, InvalidLibraryError, ProgramDefinition, paper_library
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY, SETTINGS, fresh_network
from tests.tasks.programs.test_library import tried_states

RULES, MODEL = call_rules(LIBRARY), SymbolicModel(LIBRARY)
MOST_CALLS = 12


def interpreter(mode):
    return Interpreter(RULES, fresh_network(), MODEL, mode, SETTINGS)


def played(mode, fails=()):
    """Every program twice, on the symbolic model; calls of the numbers in ``fails`` leave all as it is."""
    programs = np.repeat(RULES.composed, 2)
    states = DrawnStarts(LIBRARY).draw(np.random.default_rng(0), programs)
    plays, left = interpreter(mode), np.arange(len(programs))
    for row, program in enumerate(programs.tolist()):
        plays.begin(row, program)
    for number in range(MOST_CALLS):
        calls = plays.next_calls(left, states[left])
        left, calls = left[calls != ENDED], calls[calls != ENDED]
        if not len(left):
            break
        if number not in fails:
            states[left] = MODEL.predict(states[left], calls)
    done = [bool([*LIBRARY.values()][number].postcondition(state)) for number, state in zip(programs, states)]
    return float(np.mean(done)), [plays.trace(row) for row in range(len(programs))]


def test_plans_come_true_on_the_model_that_they_were_made_on():
    assert played("plan")[0] >= 0.8


def test_planning_again_mends_a_call_that_failed_and_a_plan_does_not():
    assert played("replan", fails=(0,))[0] >= 0.8
    assert played("plan", fails=(0,))[0] <= 0.5


def test_a_network_that_knows_nothing_does_nothing_of_use_without_a_plan():
    assert played("no-plan")[0] <= 0.5


@pytest.mark.parametrize("mode", MODES)
def test_traces_begin_with_the_program_and_nest(mode):
    for trace in played(mode)[1]:
        assert trace[0].depth == 0 and not trace[0].is_atomic
        for line, following in itertools.pairwise(trace):
            deeper = 0 if line.is_atomic or line.name == "Stop" else 1
            assert following.depth <= line.depth + deeper


def test_unknown_modes_are_refused():
    with pytest.raises(InvalidOptionError, match="mode is 'guess', expected one of no-plan, plan, replan"):
        interpreter("guess")


def test_programs_are_done_in_the_simulation():
    rng = np.random.default_rng(3)
    tasks = [draw_program_task(rng, LIBRARY["Move_All_To_Zone_ORANGE"], 1.0) for _ in range(2)]
    plays = Interpreter(RULES, fresh_network(), MODEL, "replan", replace(SETTINGS, simulations=200))
    ended = execute(plays, ScriptedAtomicPolicy(), LIBRARY, tasks)
    assert all(one.stopped and one.stands[-1] and 1 <= len(one.kept) <= 4 for one in ended)
    assert all(one.released == one.kept for one in ended), "the expert lets go"
    assert [one.trace[-1].name for one in ended] == ["Stop", "Stop"]


def test_the_experts_arm_rests_where_a_goal_is_out_of_reach():
    policy, program = ScriptedAtomicPolicy(), LIBRARY["Stack_0_1"]
    state = DrawnStarts(LIBRARY).draw(np.random.default_rng(0), np.array([program.number]))
    goal = program.goal(state[0])
    policy.begin(0, program, goal)
    assert policy.act(np.array([0]), state).any()
    policy.begin(0, program, goal + np.array([0, 0, 1.0, 0, 0, 0]))
    assert not policy.act(np.array([0]), state).any()


def test_failing_calls_leave_the_arm_where_it_is():
    policy, program = FailingAtomicPolicy(ScriptedAtomicPolicy(), 0.3, seed=0), LIBRARY["Move_To_Zone_0_ORANGE"]
    state = DrawnStarts(LIBRARY).draw(np.random.default_rng(0), np.array([program.number]))
    still = []
    for _ in range(300):
        policy.begin(0, program, program.goal(state[0]))
        still.append(not policy.act(np.array([0]), state).any())
    assert np.mean(still) == pytest.approx(0.3, abs=0.08)


TRACE = [
    TraceLine(0, "Clean_And_Stack", False),
    TraceLine(1, "Stack_All_To_Zone_BLUE", False),
    TraceLine(2, "Move_To_Zone_2_BLUE", True),
    TraceLine(2, "Stack_3_2", True),
    TraceLine(2, "Stop", False),
    TraceLine(1, "Stack_1_0", True),
    TraceLine(1, "Stop", False),
]


def test_calls_stand_below_the_programs_that_make_them():
    assert drawn_trace(TRACE).splitlines() == [
        "Clean_And_Stack",
        "├─ Stack_All_To_Zone_BLUE",
        "│  ├─ Move_To_Zone_2_BLUE",
        "│  ├─ Stack_3_2",
        "│  └─ Stop",
        "├─ Stack_1_0",
        "└─ Stop",
    ]


def test_a_trace_that_was_cut_off_is_drawn_as_far_as_it_goes():
    assert drawn_trace(TRACE[:3]).splitlines() == [
        "Clean_And_Stack",
        "└─ Stack_All_To_Zone_BLUE",
        "   └─ Move_To_Zone_2_BLUE",
    ]


def differing(library, count):
    """Shares of the states in which pre-conditions and goals are others than the library's, by program."""
    states = tried_states(library, count)
    startable, goals = (found.numpy() for found in ProgramTensors(library)(torch.as_tensor(states)))
    other_goals = (goals != library.goals(states)).any(axis=2)
    return (startable != library.preconditions(states)).mean(axis=0), other_goals.mean(axis=0)


@pytest.mark.parametrize("num_blocks", [2, 3, 4, 5, 6])
def test_they_are_those_of_the_library_bit_for_bit(num_blocks):
    assert not np.any(differing(paper_library(num_blocks), 2_000))


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("DISTANCE_THRESHOLD", 0.045),
        ("BLOCK_RADIUS", 0.026),
        ("RESTING_HEIGHT", 0.43),
        ("PLACE_CLEARANCE", (0.06, 0.085)),
    ],
)
def test_another_table_is_noticed(constant, value, monkeypatch):
    monkeypatch.setattr(program_tensors, constant, value)
    assert np.any(differing(PROGRAMS, 2_000))


def test_functions_of_ones_own_are_refused():
    own = ProgramDefinition(
        "Wait", "wait", 0, phi=lambda state, arguments: True, theta=lambda s, a, g: None, blocks=(0,)
    )
    with pytest.raises(InvalidLibraryError, match="Wait has functions of its own"):
        ProgramTensors(PROGRAMS.extended([own]))
