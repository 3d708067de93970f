"""The example's own programs: compiled as they would be in plain Python, and played."""

import pickle
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, UnknownNameError, UnsolvedTaskError
from procgen_bench.envs.fetch_blocks.scripted.expert import Expert
from procgen_bench.leaderboards.reproduction.alphanpi_x import TableSettings, play_table
from procgen_bench.leaderboards.reproduction.alphanpi_x_players import load_parts
from procgen_bench.tasks.programs import PROGRAMS
from tests.tasks.programs.makers import random_states
from tests.tasks.programs.reference_programs import places_of

EXAMPLES = Path(__file__).parents[2] / "examples"
ID = "FetchProgram-v0"


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(EXAMPLES)
        import own_programs

        yield own_programs


@pytest.fixture(scope="module")
def library(example):
    return example.LIBRARY


def test_its_own_and_the_papers_programs_are_asked_at_once(example, library):
    states = random_states(np.random.default_rng(0), 500)
    can_start, goals = library.preconditions(states), library.goals(states)
    done, mean = library.postconditions(states, goals), np.zeros(2)
    assert np.array_equal(can_start[:, :27], PROGRAMS.preconditions(states))
    assert np.array_equal(goals[:, :27], PROGRAMS.goals(states))
    assert np.array_equal(done[:, :27], PROGRAMS.postconditions(states, goals[:, :27]))
    for name in ("Move_Between_2_0_3", "Gather"):
        program = library[name]
        functions = program.definition
        for state, start, goal, end in zip(states, can_start, goals, done):
            arguments = np.array(functions.arguments)
            if program.is_atomic:
                wanted = np.empty(12)
                functions.theta.py_func(state, arguments, wanted)
                assert start[program.number] == functions.phi.py_func(state, arguments)
                assert np.array_equal(goal[program.number], wanted)
                middle = np.mean(np.array(places_of(state))[[0, 3], :2], axis=0)
                assert np.allclose(wanted[6:9], [*middle, 0.425])
            else:
                assert start[program.number]
                assert end[program.number] == functions.psi.py_func(state, arguments, goal[program.number])
            mean += [start[program.number], end[program.number]]
    assert (mean > 30).all() and (mean < 970).all()


def test_it_is_played(example, capsys):
    assert example.main()
    assert capsys.readouterr().out.startswith("move block 0 between blocks 1 and 2: settled True; now ")


def test_its_environment_plays_both_and_refuses_others(library):
    env = gymnasium.make(ID, library=library, program="Gather")
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(observation) and observation["program"].shape == (40,)
    assert observation["program"].argmax() == library["Gather"].number and not info["success"]
    state = env.unwrapped.save_state()
    env.reset(options={"state": state, "program": "Stack_0_1"})
    assert env.unwrapped.task.program == "Stack_0_1"
    env.reset(options={"task": "groups/clean_table/1"})
    plain = gymnasium.make(ID)
    with pytest.raises(UnknownNameError, match="unknown program 'Gather'"):
        plain.reset(options={"state": state})
    with pytest.raises(UnknownNameError, match="unknown program 'Gather'"):
        gymnasium.make(ID, program="Gather")
    with pytest.raises(InvalidOptionError, match="library is 'mine', expected a ProgramLibrary"):
        gymnasium.make(ID, library="mine")
    with pytest.raises(UnsolvedTaskError, match="no plan for Gather"):
        Expert(library["Gather"])
    with pytest.raises(UnsolvedTaskError, match="Gather is none of the paper's programs"):
        env.unwrapped.task_space.solve(state.task)


def test_its_planner_is_loaded_by_its_librarys_name_alone(library, tmp_path):
    network = CoreNetwork(library.num_blocks, len(library))
    PlannerParts(call_rules(library), network, None, ScriptedAtomicPolicy()).folder().write(tmp_path)
    assert load_parts(tmp_path, library="own_programs:LIBRARY").rules.library == library
    with pytest.raises(InvalidPolicyError, match="other programs than the paper's, expected --set library=MODULE:NAME"):
        load_parts(tmp_path)


@pytest.mark.slow
def test_its_program_is_planned_and_has_a_row_in_the_table(library):
    """By search alone, on the symbolic model: what a trained network does in five simulations takes hundreds."""
    network = CoreNetwork(library.num_blocks, len(library))
    parts = PlannerParts(call_rules(library, "library"), network, None, ScriptedAtomicPolicy())
    settings = TableSettings(episodes=4, simulations=(300,), modes=("replan",), programs=("Gather",))
    (row,) = play_table(parts, settings)
    assert (row.program, row.paper) == ("Gather", None)
    assert row.stands >= 0.5 and 1 <= row.calls <= 8


def test_its_library_can_be_pickled(library):
    again = pickle.loads(pickle.dumps(library))
    assert again == library and again.holds(PROGRAMS)
