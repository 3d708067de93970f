"""What holds of solutions."""

import numpy as np
import pytest

from procgen_bench.core.errors import UnsolvedTaskError
from tests.tasks.conformance.cases import Case, spread

#: Families without a solver.
UNSOLVED = ("SparseAntMaze-v0",)
#: The record that holds the length of what the family's solver finds; negative where there is no solution.
LENGTHS = {
    "GridWorld-v0": "length",
    "GridWorldLarge-v0": "length",
    "BitGrid-v0": "length",
    "VoxelBuild-v0": "length",
    "VoxelBuildSmall-v0": "length",
    "CompositionalMiniGrid-v0": "length",
    "CompositionalMiniGridSparse-v0": "length",
    "UEDMaze-v0": "length",
    "TablePush-v0": "length",
    "GMiniWoB-v0": "steps",
    "GMiniWoBLiteral-v0": "steps",
    "FetchProgram-v0": "steps",
}


def check_solutions_are_as_recorded(case: Case, name: str, count: int) -> None:
    """Published tasks are solved within the horizon, in as many steps as recorded, the same each time."""
    suite = case.space.suite(name)
    lengths = suite.records[LENGTHS[case.environment_id]] if case.environment_id in LENGTHS else None
    for place in spread(range(len(suite)), count):
        task = suite.tasks[place]
        fingerprint = task.fingerprint()
        solution = _solution(case, task)
        assert task.fingerprint() == fingerprint
        if lengths is not None:
            assert (-1 if solution is None else len(solution)) == lengths[place]
        assert solution is None or 0 < len(solution) <= case.horizon
        assert case.space.is_solvable(task) == (solution is not None)
        assert solution is None or case.space.may_be_solvable(task)


def check_sampled_tasks(case: Case, count: int) -> None:
    """Of any task there is a solution within the horizon, or none; solving again finds the same."""
    for task in [*case.decoded(count, seed=9), *case.drawn(count, seed=9)]:
        solution = _solution(case, task)
        assert solution is None or 0 < len(solution) <= case.horizon, f"{len(solution)} steps"
        assert case.space.is_solvable(task) == (solution is not None)
        again = _solution(case, task)
        assert np.array_equal(again, solution) if solution is not None else again is None


def _solution(case: Case, task) -> np.ndarray | None:
    try:
        return case.space.solve(task)
    except UnsolvedTaskError:
        return None


def check_solvable_samples(case: Case, count: int) -> None:
    """``draw_solvable`` gives so many tasks of the space, all solvable, the same for one generator."""
    drawn, again = (case.space.draw_solvable(np.random.default_rng(seed), count) for seed in (0, 0))
    assert len(drawn) == count and drawn == again
    for task in drawn:
        assert case.space.decode(case.space.encode(task)) == task
        assert case.space.is_solvable(task)


def check_missing_solver_is_reported(case: Case) -> None:
    """A family without a solver says so."""
    with pytest.raises(NotImplementedError, match="has no solver"):
        case.space.solve(case.decoded(1)[0])
