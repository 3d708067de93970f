"""What tasks are like, in numbers: by these, fresh tasks are held against the suite that they are to be like."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy import stats

from procgen_bench import make_task_space
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.task import Task
from procgen_bench.tasks.grid_world import GridWorldLargeTask
from procgen_bench.tasks.point_maze.walls import cell_of
from procgen_bench.tasks.programs import PROGRAMS
from procgen_bench.tasks.table_push.tiles import tile_plan
from procgen_bench.tasks.voxel_build.task import Rectangle
from procgen_bench.tasks.xland import CO_PLAYERS
from procgen_bench.tasks.xland.evaluation.games import bucket, size
from procgen_bench.tasks.xland.hold_out import marks

Numbers = Sequence[float]


@cache
def space_of(environment_id: str):
    """One space for all measures."""
    return make_task_space(environment_id)


def _length(environment_id: str, task: Task) -> int:
    solution = space_of(environment_id).solve(task)
    return -1 if solution is None else len(solution)


def _grid_world(task) -> Numbers:
    kinds = [int((task.tiles == kind).sum()) for kind in range(3)]
    environment_id = "GridWorldLarge-v0" if isinstance(task, GridWorldLargeTask) else "GridWorld-v0"
    return _length(environment_id, task), *kinds, int((task.objects[:, 0] < 0).sum())


def _bit_grid(task) -> Numbers:
    return _length("BitGrid-v0", task), int(task.goal.sum()), *task.start.tolist()


def _maze(task) -> Numbers:
    return *task.start.tolist(), *task.goal.tolist()


def _point_maze(task) -> Numbers:
    return *_maze(task), int(task.vertical_walls.sum()), int(task.horizontal_walls.sum())


def _voxel_build(task) -> Numbers:
    blocks, length = int((task.goal > 0).sum()), _length("VoxelBuild-v0", task)
    return length, blocks, *Rectangle.around(task.goal), *task.start.tolist()


def _fetch_blocks(task) -> Numbers:
    place, held = task.goal[task.first], task.start.held is not None
    return task.first, held, int((task.start.levels > 0).sum()), *task.start.gripper.tolist(), *place.tolist()


def _fetch_program(task) -> Numbers:
    lying = int((task.start.levels == 0).sum())
    return list(PROGRAMS).index(task.program), lying, *task.start.gripper.tolist(), *task.start.positions[0].tolist()


def _table_push(task) -> Numbers:
    blocks = [int((task.blocks == kind).sum()) for kind in range(2)]
    return (
        len(tile_plan(task) if tile_plan(task) is not None else ()),
        *blocks,
        *task.present,
        *task.goal,
        task.goal_range,
    )


def _minigrid(task) -> Numbers:
    design = int(task.subtasks @ (1 << np.arange(len(task.subtasks))))
    return design, int(task.subtasks.sum()), *task.agent.tolist(), *task.places[-1].tolist(), int(task.colours[0])


def _ued_maze(task) -> Numbers:
    return _length("UEDMaze-v0", task), int(task.walls.sum())


def _site(task) -> Numbers:
    design = task.design
    return len(design.pages), len(design.primitives), len(design.fields), design.num_steps, "cc" in design.fields


def _xland(task) -> Numbers:
    world, (competitiveness, balance) = task.world, bucket(task.game) or (-1, -1)
    company = [list(CO_PLAYERS).index(name) for name in task.co_players[:1]] or [-1]
    things = len(world.object_shapes), int((world.kinds > 0).sum()), float(world.levels.mean()), world.kinds.size
    return competitiveness, balance, *size(task.game), *company, *things


def _xland_stratum(task) -> object:
    return bucket(task.game), size(task.game), task.co_players


def _maze_and_cells(task) -> object:
    return *(wall.tobytes() for wall in task.walls), cell_of(task.start), cell_of(task.goal)


MEASURES: dict[str, Callable[..., Numbers]] = {
    "GridWorld-v0": _grid_world,
    "GridWorldLarge-v0": _grid_world,
    "BitGrid-v0": _bit_grid,
    "SparsePointMaze-v0": _point_maze,
    "SparseAntMaze-v0": _maze,
    "VoxelBuild-v0": _voxel_build,
    "VoxelBuildSmall-v0": _voxel_build,
    "FetchBlocks-v0": _fetch_blocks,
    "FetchProgram-v0": _fetch_program,
    "CompositionalMiniGrid-v0": _minigrid,
    "CompositionalMiniGridSparse-v0": _minigrid,
    "UEDMaze-v0": _ued_maze,
    "GMiniWoB-v0": _site,
    "GMiniWoBLiteral-v0": _site,
    "TablePush-v0": _table_push,
    "XLand-v0": _xland,
    "XLandSmall-v0": _xland,
}


#: What a drawn task has in common with that of the suite after whose pattern it is drawn, by environment and suite.
STRATA: dict[tuple[str, str], Callable[..., object]] = {
    ("GridWorld-v0", "graded"): lambda task: _length("GridWorld-v0", task),
    ("TablePush-v0", "graded"): lambda task: _length("TablePush-v0", task),
    ("FetchProgram-v0", "groups"): lambda task: task.program,
    **{
        (name, "test"): lambda task: task.subtasks.tolist()
        for name in ("CompositionalMiniGrid-v0", "CompositionalMiniGridSparse-v0")
    },
    **{(name, "test"): lambda task: task.design for name in ("GMiniWoB-v0", "GMiniWoBLiteral-v0")},
    ("UEDMaze-v0", "named"): lambda task: space_of("UEDMaze-v0").hold_out_marks(task),
    ("GMiniWoB-v0", "random"): lambda task: len(task.design.pages),
    ("XLandSmall-v0", "small"): lambda task: task.co_players,
    ("XLand-v0", "hand_authored"): lambda task: (task.co_players, marks(task.game, task.world)),
    **{("XLand-v0", name): _xland_stratum for name in ("evaluation", "evaluation_mini")},
    **{("SparsePointMaze-v0", name): _maze_and_cells for name in ("test", "corridor", "u")},
}


def least_p_value(environment_id: str, some: Sequence[Task], others: Sequence[Task]) -> float:
    """The p-value that both are of one distribution: the least of all measures' (Kolmogorov and Smirnov), times their
    number (Bonferroni)."""
    columns = [np.array([MEASURES[environment_id](task) for task in tasks], np.float64).T for tasks in (some, others)]
    values = [stats.ks_2samp(*pair).pvalue for pair in zip(*columns, strict=True)]
    return min(values) * len(values)


def other_tasks(benchmark: Benchmark, count: int) -> list[Task]:
    """Tasks of the benchmark's environment that are distributed otherwise than those that are scored."""
    space, rng = space_of(benchmark.environment_id), np.random.default_rng(5)
    if benchmark.id == "grid-world/random":
        return [space.draw_like("graded", place, rng) for place in range(100)]
    if benchmark.id == "ued-maze/random":
        return list(make_task_space("UEDMaze-v0", num_walls=25).draw_solvable(rng, count))
    if benchmark.id == "table-push/random":
        return list(space.suite("graded"))
    if benchmark.track == "cminigrid":  # no design of more than two subtasks
        return [space.draw_like("test", place, rng) for place in range(count)]
    return [space.decode(space.sample(rng)) for _ in range(count)]
