"""The table of benchmarks: what is scored on which tasks, and what its best and worst scores are."""

from typing import Any, Literal

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.plugins import PluginTable
from procgen_bench.core.segments import ANT_MAZE, FETCH_BLOCKS, TABLE_PUSH, XLAND, Segments

_ANYTHING_ELSE = "any task of the space that is in none of the suites 'targets', 'graded' and 'random'"
#: Those of APT-Gen's environments.
_APT_GEN_SUITES = ("targets", "graded", "random")
#: Those of "evaluation_mini" are in "evaluation".
_XLAND_SUITES = ("test", "validation", "small", "hand_authored", "evaluation")


def _target(
    id: str,
    environment_id: str,
    name: str,
    metric: Literal["return", "success"],
    minimum: float,
    maximum: float,
    description: str,
    segments: Segments | None = None,
) -> Benchmark:
    """One of APT-Gen's targets: 50 episodes of one task, as in its evaluation, which may be trained on."""
    return Benchmark(
        id=id,
        version=1,
        environment_id=environment_id,
        suite="targets",
        task_names=(name,),
        episodes_per_task=50,
        interaction_budget=100_000,
        training_tasks="the target itself, and any generated task that is in none of the other suites",
        metric=metric,
        minimum=minimum,
        maximum=maximum,
        tolerance=0.0,
        description=description,
        physics=segments is not None,
        segments=segments,
        held_out_suites=_APT_GEN_SUITES,
        fresh="seeds",
        num_fresh_episodes=50,
    )


def _grid_world_target(name: Literal["A", "B", "C"], shortest: int, steps_to_hazard: int) -> Benchmark:
    """One of the paper's target grid worlds.

    Args:
        name: Name of the target.
        shortest: Steps of its shortest solution. The goal pays 1 and every step costs 0.001.
        steps_to_hazard: Fewest steps from the start to a tile beside a closed door or lava. The worst episode walks
            there (0.001 a step), bumps into walls (0.002 a step) for as long as it can, and dies (0.501) on the last
            of the 50 steps: walls stand beside the start, so no bump costs a further step.
    """
    return _target(
        f"grid-world/target-{name.lower()}",
        "GridWorld-v0",
        name,
        metric="return",
        minimum=round(-0.001 * steps_to_hazard - 0.002 * (49 - steps_to_hazard) - 0.501, 3),
        maximum=round(1 - 0.001 * shortest, 3),
        description=f"Target task {name} of APT-Gen: mean return over 50 episodes.",
    )


def _table_push_target(name: Literal["A", "B", "C", "out-of-space"]) -> Benchmark:
    """One of TablePush's targets."""
    title = f"target {name}" if len(name) == 1 else name
    return _target(
        f"table-push/{title.lower().replace(' ', '-')}",
        "TablePush-v0",
        name,
        metric="success",
        minimum=0.0,
        maximum=1.0,
        description=f"{title[0].upper()}{title[1:]} of APT-Gen's tables: share of 50 episodes that reach the goal.",
        segments=TABLE_PUSH,
    )


def _solved_suite(
    track: str,
    environment_id: str,
    suite: str,
    interaction_budget: int,
    training_tasks: str,
    description: str,
    solvable: float = 1.0,
    **others: Any,
) -> Benchmark:
    """Success in one episode of every task of a suite; ``solvable`` is the share of its tasks that have a solution.

    ``others`` are further attributes of the benchmark's.

    The tolerance is 0 under physics, too: scores are compared only where the replay came to what was recorded, bit for
    bit or by segments, and there the same places reach the same goals.
    """
    return Benchmark(
        id=f"{track}/{suite}",
        version=1,
        environment_id=environment_id,
        suite=suite,
        task_names=None,
        episodes_per_task=1,
        interaction_budget=interaction_budget,
        training_tasks=training_tasks,
        metric="success",
        minimum=0.0,
        maximum=solvable,
        tolerance=0.0,
        description=description,
        **others,
    )


def _grid_world_suite(name: Literal["graded", "random"], solvable: float, description: str, **others: Any) -> Benchmark:
    """One of GridWorld's suites beside the targets; ``others`` as in :func:`_solved_suite`."""
    return _solved_suite(
        "grid-world",
        "GridWorld-v0",
        name,
        10_000_000,
        _ANYTHING_ELSE,
        description,
        solvable,
        held_out_suites=_APT_GEN_SUITES,
        **others,
    )


def _table_push_suite(name: Literal["graded", "random"], solvable: float, description: str, **others: Any) -> Benchmark:
    """One of TablePush's suites beside the targets; ``others`` as in :func:`_solved_suite`."""
    return _solved_suite(
        "table-push",
        "TablePush-v0",
        name,
        1_000_000,
        _ANYTHING_ELSE,
        description,
        solvable,
        held_out_suites=_APT_GEN_SUITES,
        physics=True,
        segments=TABLE_PUSH,
        **others,
    )


def _goal_suite(track: str, environment_id: str, interaction_budget: int, description: str, **others: Any) -> Benchmark:
    """A goal environment's ``test`` suite, all of whose tasks can be solved; ``others`` as in :func:`_solved_suite`."""
    training_tasks = "any start and goal that the environment draws or that its space holds, none of the suite's"
    others |= {"plain_levels": "suite", "training_tasks": training_tasks}
    return _solved_suite(track, environment_id, "test", interaction_budget, description=description, **others)


def _maze_suite(kind: Literal["corridor", "u"], side: int) -> Benchmark:
    """Figure 6's mazes: the 20 tasks of one side length."""
    return Benchmark(
        id=f"point-maze/{kind}-{side}",
        version=1,
        environment_id="SparsePointMaze-v0",
        suite=kind,
        task_names=tuple(f"{side}-{place}" for place in range(20)),
        episodes_per_task=5,
        interaction_budget=4_000_000,
        training_tasks="any start and goal in this maze's first and last cell, none of the suite's",
        metric="success",
        minimum=0.0,
        maximum=1.0,
        tolerance=0.0,
        description=f"Share of episodes that reach the goal in the {kind} maze of side {side}.",
        levels="suite",
        plain_levels="suite",
    )


def _xland_suite(name: str, suite: str, episodes_per_task: int, description: str, **others: Any) -> Benchmark:
    """Returns of player 1, rewards of 0 or 1 in 900 steps, among the co-players that the tasks name.

    Episodes are replayed on states, of which nothing is hidden: no pictures are drawn, and the chains are over all that
    moves. The tolerance is 0, as of other physics. ``others`` are further attributes of the benchmark's.
    """
    usual: dict[str, Any] = {
        "environment_id": "XLand-v0",
        "interaction_budget": 10_000_000_000,
        "maximum": 900.0,
        "held_out_suites": _XLAND_SUITES,
    }
    return Benchmark(
        id=f"xland/{name}",
        version=1,
        suite=suite,
        task_names=None,
        episodes_per_task=episodes_per_task,
        training_tasks="any world and game that the environment draws or its space holds, with any co-players; no game "
        "or world of any suite, nor one that is the same but for colours, rotation or reflection (the hold-out)",
        metric="return",
        minimum=0.0,
        tolerance=0.0,
        description=description,
        physics=True,
        segments=XLAND,
        replay_options={"observation": "state", "privileged": True},
        num_fresh_episodes=50,
        **(usual | others),
    )


def _site_suite(suite: str, training_tasks: str, description: str, **others: Any) -> Benchmark:
    """A suite of web sites, all of which the expert solves; ``others`` as in :func:`_solved_suite`."""
    return _solved_suite("gminiwob", "GMiniWoB-v0", suite, 10_000_000, training_tasks, description, **others)


#: Ours. A test holds the numbers below against the solver and an exhaustive search.
_OWN = (
    _grid_world_target("A", shortest=18, steps_to_hazard=8),
    _grid_world_target("B", shortest=36, steps_to_hazard=5),
    _grid_world_target("C", shortest=34, steps_to_hazard=4),
    _grid_world_suite("graded", 1.0, "Share solved of 200 solvable tasks, shortest lengths 1 to 40."),
    _grid_world_suite(
        "random",
        0.048,
        "Share solved of 1,000 uniform tasks, of which 48 can be solved.",
        num_fresh_episodes=1_000,
    ),
    _goal_suite("bit-grid", "BitGrid-v0", 10_000_000, "Share of 500 bitmaps that are reproduced."),
    _goal_suite("point-maze", "SparsePointMaze-v0", 10_000_000, "Share of 500 goals that are reached."),
    _goal_suite(
        "ant-maze",
        "SparseAntMaze-v0",
        32_000_000,
        "Share of 500 goals that are reached.",
        physics=True,
        segments=ANT_MAZE,
        num_fresh_episodes=50,
    ),
    _goal_suite("voxel-build", "VoxelBuild-v0", 10_000_000, "Share of 500 structures that are built."),
    *(_table_push_target(name) for name in ("A", "B", "C", "out-of-space")),
    _table_push_suite(
        "graded",
        1.0,
        "Share solved of 200 solvable tables, shortest plans of 1 to 12 pushes.",
        num_fresh_episodes=50,
    ),
    _table_push_suite(
        "random",
        0.046,
        "Share solved of 1,000 uniform tables, of which 46 can be solved.",
        num_fresh_episodes=1_000,
    ),
    _solved_suite(
        "fetch-blocks",
        "FetchProgram-v0",
        "groups",
        20_000_000,
        "any start and program, none of the suite's tasks",
        "Share done, settled, of 500 programs' starts: the five groups of AlphaNPI-X's table 2, 100 times each.",
        physics=True,
        segments=FETCH_BLOCKS,
        num_fresh_episodes=50,
    ),
    _goal_suite(
        "fetch-blocks",
        "FetchBlocks-v0",
        20_000_000,
        "Share of 500 goals that are met when the 50 steps are over: a block on the table, on others, or in the air.",
        physics=True,
        segments=FETCH_BLOCKS,
        num_fresh_episodes=50,
    ),
    _solved_suite(
        "cminigrid",
        "CompositionalMiniGrid-v0",
        "test",
        10_000_000,
        "any room that the environment draws or that its space holds, none of the suite's",
        "Share solved of 640 rooms: every set of subtasks, 20 times.",
    ),
    _site_suite(
        "test",
        "any design that is none of the suite's, with any values",
        "Share solved of 460 sites: login, address, payment, flight and shopping at 4 levels, and MiniWoB's.",
    ),
    _site_suite(
        "random",
        "any design that is in none of the suites, with any values",
        "Share solved of 500 drawn sites of 1 to 10 pages.",
        held_out_suites=("test", "random"),
    ),
    _site_suite(
        "varied",
        "any design that is in none of the suites, with any values and any variation but for the held-out labels",
        "Share solved of 200 sites: the five at 4 levels, in words that are held out, in any look, some with decoys.",
        held_out_suites=("test", "random", "varied"),
        level_options={"variations": "all"},
    ),
    _site_suite(
        "invented",
        "any design that is in none of the suites, of published primitives and of invented ones to train with",
        "Share solved of 150 sites of 1 to 5 pages, of invented primitives that are held out.",
        held_out_suites=("test", "random", "invented"),
        level_options={"library": "invented"},
    ),
    _xland_suite("test", "evaluation", 1, "Mean return on 1,678 test tasks, each with seven co-players."),
    _xland_suite(
        "mini",
        "evaluation_mini",
        1,
        "Mean return on 100 of the test tasks, each with seven co-players.",
        normaliser=1,
    ),
    _xland_suite(
        "small",
        "small",
        1,
        "Mean return of 300 steps on 200 tasks in the small, each with one of seven co-players.",
        environment_id="XLandSmall-v0",
        interaction_budget=100_000_000,
        maximum=300.0,
        held_out_suites=("small",),
        normaliser=1,
    ),
    _xland_suite("hand-authored", "hand_authored", 5, "Mean return on 42 tasks that people wrote."),
    *(_maze_suite(kind, side) for kind in ("corridor", "u") for side in (2, 4, 6, 8, 10)),
)

#: Every benchmark by its id: ours, and those of other packages (entry point group ``procgen_bench.benchmarks``: a
#: :class:`Benchmark`, by its id).
BENCHMARKS: PluginTable[Benchmark] = PluginTable(
    "benchmarks", Benchmark, {benchmark.id: benchmark for benchmark in _OWN}
)


def get_benchmark(benchmark_id: str) -> Benchmark:
    """The benchmark of an id.

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    if benchmark_id not in BENCHMARKS:
        raise UnknownNameError("benchmark", benchmark_id, list(BENCHMARKS))
    return BENCHMARKS[benchmark_id]
