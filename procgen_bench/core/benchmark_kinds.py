"""What benchmarks of one kind have in common: targets, suites to be solved, goals, mazes, worlds, sites."""

from dataclasses import replace
from typing import Any, Literal

from procgen_bench.core.benchmark import Benchmark

_ANYTHING_ELSE = "any task of the space that is in none of the suites 'targets', 'graded' and 'random'"
#: Those of APT-Gen's environments.
_APT_GEN_SUITES = ("targets", "graded", "random")
#: Those of "evaluation_mini" are in "evaluation".
_XLAND_SUITES = ("test", "validation", "small", "small_validation", "skills", "hand_authored", "evaluation")


def _target(
    id: str,
    environment_id: str,
    name: str,
    metric: Literal["return", "success"],
    minimum: float,
    maximum: float,
    description: str,
    interaction_budget: int = 100_000,
    physics: bool = False,
) -> Benchmark:
    """One of APT-Gen's targets: 50 episodes of one task, as in its evaluation, which may be trained on."""
    return Benchmark(
        id=id,
        version=1,
        environment_id=environment_id,
        suite="targets",
        task_names=(name,),
        episodes_per_task=50,
        interaction_budget=interaction_budget,
        training_tasks="the target itself, and any generated task that is in none of the other suites",
        metric=metric,
        minimum=minimum,
        maximum=maximum,
        tolerance=0.0,
        description=description,
        physics=physics,
        held_out_suites=_APT_GEN_SUITES,
        fresh="seeds",
        num_fresh_episodes=50,
    )


def grid_world_target(name: Literal["A", "B", "C"], shortest: int, steps_to_hazard: int) -> Benchmark:
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
        minimum=_worst_return(steps_to_hazard, horizon=50),
        maximum=round(1 - 0.001 * shortest, 3),
        description=f"Target task {name} of APT-Gen: mean return over 50 episodes.",
    )


def large_grid_world_target(name: Literal["A", "B", "C"], shortest: int, steps_to_hazard: int) -> Benchmark:
    """One of the targets of GridWorldLarge-v0; arguments as of :func:`grid_world_target`, of 200 steps."""
    return _target(
        f"grid-world/large-target-{name.lower()}",
        "GridWorldLarge-v0",
        name,
        metric="return",
        minimum=_worst_return(steps_to_hazard, horizon=200),
        maximum=round(1 - 0.001 * shortest, 3),
        description=f"Target task {name} of the large grid world: mean return over 50 episodes.",
        interaction_budget=1_000_000,
    )


def _worst_return(steps_to_hazard: int, horizon: int) -> float:
    return round(-0.001 * steps_to_hazard - 0.002 * (horizon - 1 - steps_to_hazard) - 0.501, 3)


def table_push_target(name: Literal["A", "B", "C", "out-of-space"]) -> Benchmark:
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
        physics=True,
    )


def solved_suite(
    track: str,
    environment_id: str,
    suite: str,
    interaction_budget: int,
    training_tasks: str,
    description: str,
    solvable: float = 1.0,
    version: int = 1,
    **others: Any,
) -> Benchmark:
    """Success in one episode of every task of a suite; ``solvable`` is the share of its tasks that have a solution.

    ``others`` are further attributes of the benchmark's.
    """
    return Benchmark(
        id=f"{track}/{suite}",
        version=version,
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


def grid_world_suite(name: Literal["graded", "random"], solvable: float, description: str, **others: Any) -> Benchmark:
    """One of GridWorld's suites beside the targets; ``others`` as in :func:`solved_suite`."""
    return _beside_targets("grid-world", "GridWorld-v0", name, 10_000_000, description, solvable, **others)


def large_grid_world_suite(description: str, **others: Any) -> Benchmark:
    """The graded suite of GridWorldLarge-v0; ``others`` as in :func:`solved_suite`."""
    found = _beside_targets("grid-world", "GridWorldLarge-v0", "graded", 10_000_000, description, 1.0, **others)
    return replace(found, id="grid-world/large-graded")


def table_push_suite(name: Literal["graded", "random"], solvable: float, description: str, **others: Any) -> Benchmark:
    """One of TablePush's suites beside the targets; ``others`` as in :func:`solved_suite`."""
    others |= {"physics": True}
    return _beside_targets("table-push", "TablePush-v0", name, 1_000_000, description, solvable, **others)


def _beside_targets(
    track: str,
    environment_id: str,
    suite: str,
    interaction_budget: int,
    description: str,
    solvable: float,
    **others: Any,
) -> Benchmark:
    """One of APT-Gen's suites beside the targets, as in :func:`solved_suite`."""
    others |= {"training_tasks": _ANYTHING_ELSE, "held_out_suites": _APT_GEN_SUITES}
    return solved_suite(
        track, environment_id, suite, interaction_budget, description=description, solvable=solvable, **others
    )


def goal_suite(
    track: str, environment_id: str, interaction_budget: int, description: str, suite: str = "test", **others: Any
) -> Benchmark:
    """A goal environment's suite, all of whose tasks can be solved; ``others`` as in :func:`solved_suite`."""
    training_tasks = "any start and goal that the environment draws or that its space holds, none of the suite's"
    usual: dict[str, Any] = {"plain_levels": "suite", "training_tasks": training_tasks}
    return solved_suite(track, environment_id, suite, interaction_budget, description=description, **(usual | others))


def compared_by_goals(
    track: str, environment_id: str, description: str, version: int, suite: str = "test"
) -> Benchmark:
    """A :func:`goal_suite` of few goals: those that are scored or kept fresh are not trained on, from no start."""
    return goal_suite(
        track,
        environment_id,
        10_000_000,
        description,
        suite,
        version=version,
        training_tasks='any start, and any goal that `tasks="training"` draws: none of the suite\'s, none kept fresh',
    )


def maze_suite(kind: Literal["corridor", "u"], side: int) -> Benchmark:
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


def xland_suite(name: str, suite: str, episodes_per_task: int, description: str, **others: Any) -> Benchmark:
    """Returns of player 1, rewards of 0 or 1 in 900 steps, among the co-players that the tasks name.

    Episodes are replayed on states, of which nothing is hidden: no pictures are drawn, and the chains are over all that
    moves. The tolerance is 0, as of other physics. ``others`` are further attributes of the benchmark's.
    """
    usual: dict[str, Any] = {
        "version": 4,  # a tagged player cannot be tagged again for a second after it returns
        "environment_id": "XLand-v0",
        "interaction_budget": 10_000_000_000,
        "maximum": 900.0,
        "held_out_suites": _XLAND_SUITES,
    }
    return Benchmark(
        id=f"xland/{name}",
        suite=suite,
        task_names=None,
        episodes_per_task=episodes_per_task,
        training_tasks="any world and game that the environment draws or its space holds, with any co-players; no game "
        "or world of any suite, nor one that is the same but for colours, rotation or reflection (the hold-out), nor "
        "one that is kept fresh",
        metric="return",
        minimum=0.0,
        tolerance=0.0,
        description=description,
        physics=True,
        num_fresh_episodes=50,
        **(usual | others),
    )


def xland_exercise(task: str) -> Benchmark:
    """One of the tasks that people wrote, in the small, which is trained on itself; see :data:`.EXERCISES`."""
    exercise = xland_suite(
        task.replace("_", "-"),
        "hand_authored",
        8,
        f"Mean return of 300 steps on the task {task}, which is trained on itself.",
        version=3,  # a tagged player cannot be tagged again for a second after it returns
        environment_id="XLandSmall-v0",
        interaction_budget=100_000_000,
        maximum=300.0,
        fresh="seeds",
        levels="suite",
        plain_levels="suite",
    )
    return replace(exercise, task_names=(task,), training_tasks="the task itself")


def site_suite(
    suite: str,
    training_tasks: str,
    description: str,
    version: int,
    name: str = "",
    environment_id: str = "GMiniWoB-v0",
    **others: Any,
) -> Benchmark:
    """A suite of web sites, all of which the expert solves; ``others`` as in :func:`solved_suite`.

    The benchmark has the suite's name unless it has one of its own.
    """
    solved = solved_suite(
        "gminiwob", environment_id, suite, 10_000_000, training_tasks, description, version=version, **others
    )
    return replace(solved, id=f"gminiwob/{name or suite}")
