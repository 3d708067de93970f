"""The rivals' goals: ends of programs that call others, pursued for their whole horizons."""

import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.program_goals import ProgramGoalsTeacher
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.tasks.programs import PROGRAMS
from procgen_bench.tasks.programs.states import BLOCK_SIZE

COMPOSED = [program for program in PROGRAMS.values() if not program.is_atomic]


def teacher(seed=0):
    return ProgramGoalsTeacher(LevelSource(get_benchmark("fetch-blocks/test"), True), np.random.default_rng(seed))


def ended(task, elapsed=50):
    return SavedState("FetchBlocks-v0", task, elapsed, True, {"state": np.zeros(70)})


def at_goal(goal):
    state = np.zeros(70)
    for block, place in enumerate(goal):
        state[BLOCK_SIZE * block : BLOCK_SIZE * block + 3] = place
    return state


def test_goals_fulfil_programs_that_the_start_does_not():
    proposals = teacher().propose(np.arange(40), 0)
    fulfilled = [{one.name for one in COMPOSED if one.postcondition(at_goal(p.task.goal))} for p in proposals]
    assert all(fulfilled) and set().union(*fulfilled) == {one.name for one in COMPOSED}
    moved = [np.linalg.norm(p.task.goal - p.task.start.positions, axis=1) > 0.05 for p in proposals]
    assert all(blocks.any() for blocks in moved) and any(blocks.sum() >= 3 for blocks in moved)
    assert {p.task.first for p in proposals} == {0}


def test_a_goal_is_pursued_for_the_programs_horizon_from_where_the_row_is():
    asked = teacher()
    first = asked.propose(np.arange(1), 0)[0]
    parts, task = 1, first.task
    while True:
        asked.keep([ended(task)])
        proposal = asked.propose(np.arange(1), 50 * parts)[0]
        if proposal.task is not task:
            break
        assert proposal.state.elapsed == 0 and not proposal.state.ended
        parts += 1
    assert proposal.state is None
    assert parts in {one.most_atomic_calls for one in COMPOSED}


def test_it_goes_on_from_its_state():
    asked, other = teacher(), teacher(1)
    tasks = [one.task for one in asked.propose(np.arange(4), 0)]
    other.restore(*asked.state())
    for one in (asked, other):
        one.keep([ended(task) for task in tasks[:2]])
    ours, theirs = asked.propose(np.arange(2), 50), other.propose(np.arange(2), 50)
    assert [p.task for p in ours] == [p.task for p in theirs] == tasks[:2]
    new, same = asked.propose(np.arange(4, 6), 50), other.propose(np.arange(4, 6), 50)
    assert all(np.array_equal(a.task.goal, b.task.goal) for a, b in zip(new, same, strict=True))


@pytest.mark.parametrize("name", ["Stack_All_Blocks", "Clean_And_Stack"])
def test_goals_of_towers_have_blocks_on_each_other(name):
    from procgen_bench.baselines.papers.alphanpi_x.programs.composed_goals import composed_goal
    from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task

    start = draw_program_task(np.random.default_rng(0), PROGRAMS[name], 1.0)
    heights = composed_goal(PROGRAMS[name], start.state).reshape(-1, 3)[:, 2]
    levels = np.round((np.sort(heights) - heights.min()) / 0.05).astype(int).tolist()
    assert levels == ([0, 1, 2, 3] if name == "Stack_All_Blocks" else [0, 0, 1, 1])
