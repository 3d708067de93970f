"""The table of benchmarks: what is scored on which tasks, and what its best and worst scores are."""

from dataclasses import replace

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmark_kinds import (
    compared_by_goals,
    goal_suite,
    grid_world_suite,
    grid_world_target,
    large_grid_world_suite,
    large_grid_world_target,
    maze_suite,
    site_suite,
    solved_suite,
    table_push_suite,
    table_push_target,
    xland_exercise,
    xland_suite,
)
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.plugins import PluginTable

#: What is trained on for CompositionalMiniGrid.
_OTHER_ROOMS = 'any room that `tasks="training"` draws or its space holds: none of the suite\'s, none kept fresh'
#: What is trained on for UEDMaze.
_OTHER_MAZES = "any maze that is in none of the suites, nor one of them rotated, reflected or from another start"
#: Ours. A test holds the numbers below against the solver and an exhaustive search.
_OWN = (
    grid_world_target("A", shortest=18, steps_to_hazard=8),
    grid_world_target("B", shortest=36, steps_to_hazard=5),
    grid_world_target("C", shortest=34, steps_to_hazard=4),
    grid_world_suite("graded", 1.0, "Share solved of 200 solvable tasks, shortest lengths 1 to 40."),
    grid_world_suite(
        "random",
        0.048,
        "Share solved of 1,000 uniform tasks, of which 48 can be solved.",
        num_fresh_episodes=1_000,
    ),
    large_grid_world_target("A", shortest=161, steps_to_hazard=1),
    large_grid_world_target("B", shortest=161, steps_to_hazard=0),
    large_grid_world_target("C", shortest=161, steps_to_hazard=0),
    large_grid_world_suite(
        "Share solved of 200 solvable tasks of the large grid world, shortest lengths 4 to 160.", num_fresh_episodes=50
    ),
    compared_by_goals("bit-grid", "BitGrid-v0", "Share of 500 bitmaps that are reproduced.", version=2),
    goal_suite("point-maze", "SparsePointMaze-v0", 10_000_000, "Share of 500 goals that are reached."),
    goal_suite(
        "ant-maze",
        "SparseAntMaze-v0",
        32_000_000,
        "Share of 500 goals that are reached.",
        physics=True,
        num_fresh_episodes=50,
    ),
    compared_by_goals("voxel-build", "VoxelBuild-v0", "Share of 500 structures that are built.", version=3),
    compared_by_goals(
        "voxel-build",
        "VoxelBuildSmall-v0",
        "Share of 200 structures that are built in the small arena.",
        version=3,
        suite="small",
    ),
    *(table_push_target(name) for name in ("A", "B", "C", "out-of-space")),
    table_push_suite(
        "graded",
        1.0,
        "Share solved of 200 solvable tables, shortest plans of 1 to 12 pushes.",
        num_fresh_episodes=50,
    ),
    table_push_suite(
        "random",
        0.046,
        "Share solved of 1,000 uniform tables, of which 46 can be solved.",
        num_fresh_episodes=1_000,
    ),
    solved_suite(
        "fetch-blocks",
        "FetchProgram-v0",
        "groups",
        20_000_000,
        "any start and program, none of the suite's tasks",
        "Share done, with the hand gone, of 500 programs' starts: AlphaNPI-X's table 2, five groups of 100.",
        version=2,  # the hand lets go and leaves before what is done is tested
        physics=True,
        num_fresh_episodes=50,
    ),
    goal_suite(
        "fetch-blocks",
        "FetchBlocks-v0",
        20_000_000,
        "Share of 500 goals that are met when the 50 steps are over: a block on the table, on others, or in the air.",
        physics=True,
        num_fresh_episodes=50,
    ),
    solved_suite(
        "cminigrid",
        "CompositionalMiniGrid-v0",
        "test",
        10_000_000,
        _OTHER_ROOMS,
        "Share solved of 640 rooms: every set of subtasks, 20 times.",
        version=2,  # fresh rooms are none that may be trained on
    ),
    replace(
        solved_suite(
            "cminigrid",
            "CompositionalMiniGridSparse-v0",
            "test",
            10_000_000,
            _OTHER_ROOMS,
            "Share solved of the 640 rooms of cminigrid/test where training is rewarded at the goal alone.",
            version=2,
        ),
        id="cminigrid/sparse",
    ),
    replace(
        solved_suite(
            "ued-maze",
            "UEDMaze-v0",
            "named",
            30_000_000,
            _OTHER_MAZES,
            "Share solved of ten episodes in each of eight published mazes.",
            held_out_suites=("named", "random"),
        ),
        episodes_per_task=10,
    ),
    solved_suite(
        "ued-maze",
        "UEDMaze-v0",
        "random",
        30_000_000,
        _OTHER_MAZES,
        "Share solved of 10,000 random mazes of at most 60 walls.",
        held_out_suites=("named", "random"),
        num_fresh_episodes=1_000,
    ),
    site_suite(
        "test",
        "any design that is none of the suite's, with any values",
        "Share solved of 460 sites: login, address, payment, flight and shopping at 4 levels, and MiniWoB's.",
        version=3,  # of a group's options the first stands for all, and all are filled together
    ),
    site_suite(
        "test",
        "any design that is none of the suite's, with any values",
        "Share solved of the 460 sites of gminiwob/test where boxes and options are used as they are pointed at.",
        version=1,
        name="literal",
        environment_id="GMiniWoBLiteral-v0",
    ),
    site_suite(
        "random",
        "any design that is in none of the suites, with any values",
        "Share solved of 500 drawn sites of 1 to 10 pages.",
        version=3,
        held_out_suites=("test", "random", "varied"),
    ),
    site_suite(
        "varied",
        "any design that is in none of the suites, with any values and any variation but for the held-out labels",
        "Share solved of 200 sites: the five at 4 levels, in held-out words, in any look and order, with decoys.",
        version=4,
        held_out_suites=("test", "random", "varied"),
        level_options={"variations": "all"},
    ),
    site_suite(
        "invented",
        "any design that is in none of the suites, of published primitives and of invented ones to train with",
        "Share solved of 150 sites of 1 to 5 pages, of invented primitives that are held out, with look-alikes.",
        version=4,
        held_out_suites=("test", "random", "invented"),
        level_options={"library": "invented"},
    ),
    xland_suite("test", "evaluation", 1, "Mean return on 1,678 test tasks, each with seven co-players."),
    xland_suite(
        "mini",
        "evaluation_mini",
        1,
        "Mean return on 100 of the test tasks, each with seven co-players.",
        normaliser=3,
    ),
    xland_suite(
        "small",
        "small",
        1,
        "Mean return of 300 steps on 200 tasks in the small, each with one of seven co-players.",
        environment_id="XLandSmall-v0",
        interaction_budget=100_000_000,
        maximum=300.0,
        held_out_suites=("small",),
        validation_suite="small_validation",
        level_options={"templates": 0.5, "pooled_games": 2_048, "close_starts": 0.5},
        normaliser=3,
    ),
    xland_suite(
        "skills",
        "skills",
        1,
        "Mean return of 300 steps on seven skills, fifty tasks of one literal each, beside somebody who does nothing.",
        environment_id="XLandSmall-v0",
        interaction_budget=10_000_000,
        maximum=300.0,
        held_out_suites=("small", "skills"),
        level_options={"templates": 1.0, "template_stages": 2, "close_starts": 0.7},
    ),
    xland_suite(
        "hand-authored",
        "hand_authored",
        5,
        "Mean return on 42 tasks that people wrote.",
        version=3,  # a tagged player cannot be tagged again for a second after it returns
    ),
    *(maze_suite(kind, side) for kind in ("corridor", "u") for side in (2, 4, 6, 8, 10)),
)

#: Every benchmark by its id: ours, and those of other packages (entry point group ``procgen_bench.benchmarks``: a
#: :class:`Benchmark`, by its id).
BENCHMARKS: PluginTable[Benchmark] = PluginTable(
    "benchmarks", Benchmark, {benchmark.id: benchmark for benchmark in _OWN}
)
#: What runs are trained for by the same names, and is no track: nothing of it is listed or submitted. Six tasks that
#: people wrote, for finetuning.
EXERCISES = {
    exercise.id: exercise
    for exercise in map(
        xland_exercise,
        (
            "make_follow_easy",
            "hide_and_seek_seeker",
            "keep_tagging",
            "coop_or_not",
            "tool_use_climb_1",
            "stop_rolling_tag_gadget_easy",
        ),
    )
}


def get_benchmark(benchmark_id: str) -> Benchmark:
    """The benchmark, or the exercise, of an id.

    Raises:
        UnknownNameError: There is no such benchmark.
    """
    if benchmark_id in EXERCISES:
        return EXERCISES[benchmark_id]
    if benchmark_id not in BENCHMARKS:
        raise UnknownNameError("benchmark", benchmark_id, list(BENCHMARKS))
    return BENCHMARKS[benchmark_id]
