"""What learning curves show: a policy's scores on the tasks that a benchmark draws them by, in columns."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.baselines.policies.scripted.policies import NoopPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.normalised_scores import UNCUT, score_percentiles, uncut_percentiles
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.checks import check_count
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.core.worst_tenth import PREFIX as WORST_TENTH
from procgen_bench.core.worst_tenth import worst_tenth_columns

#: What is measured by groups of tasks.
_GROUPED = ("return", "gain")


def evaluate(
    policy: Policy, benchmark: Benchmark, num_tasks: int | None = None, episodes_per_task: int | None = None
) -> dict[str, float]:
    """Means over the tasks that the benchmark draws curves by, or so many of them, spread evenly over the suite.

    Of each as many episodes are played as the benchmark scores, unless ``episodes_per_task`` says otherwise.

    Returns:
        Mean return, success and length, and means of what the environment tells of its episodes' ends beside them
        (voxel building's structure completion). Of several tasks, return and success on the worst tenth of them, each
        by its own: see :func:`.worst_tenth_columns`. Where the suite has records of the best returns that are known of
        its tasks, percentiles of normalised scores over tasks: see :func:`.score_percentiles`, and of uncut ones.

        Where the environment may reward a player that does nothing, ``gain``: the mean return less that player's in the
        same episodes. Where the task space knows groups of tasks (:meth:`.TaskSpace.groups`), both by group:
        ``return_objects``, ``gain_objects``.
    """
    episodes, best = curve_episodes(policy, benchmark, num_tasks, episodes_per_task)
    scores: dict[str, Sequence[float]] = {
        "return": [one.return_ for one in episodes],
        "success": [one.success for one in episodes],
    }
    each = episodes_per_task or benchmark.episodes_per_task
    by_task = {name: np.array(values, float).reshape(-1, each).mean(axis=1) for name, values in scores.items()}
    return (
        {name: float(np.mean(values)) for name, values in scores.items()}
        | {"length": float(np.mean([episode.length for episode in episodes]))}
        | worst_tenth_columns(**by_task)
        | {name: float(np.mean([episode.measures[name] for episode in episodes])) for name in episodes[0].measures}
        | (
            {}
            if best is None
            else score_percentiles(by_task["return"], best) | uncut_percentiles(by_task["return"], best)
        )
        | _gain_columns(by_task["return"], benchmark, num_tasks, episodes_per_task)
    )


def is_detail(column: str) -> bool:
    """Whether a column of :func:`evaluate` is about a part of the tasks, or beside another one."""
    return column.startswith((WORST_TENTH, UNCUT, *(f"{measure}_" for measure in _GROUPED)))


def _gain_columns(
    returns: np.ndarray, benchmark: Benchmark, num_tasks: int | None, episodes_per_task: int | None
) -> dict[str, float]:
    """The gain over doing nothing, and means by groups of tasks, of mean returns (n,) of the tasks of curves."""
    measured = {"return": returns}
    if getattr(environment_type(benchmark.environment_id), "rewards_doing_nothing", False):
        measured["gain"] = returns - _idle_returns(benchmark, num_tasks, episodes_per_task)
    columns = {"gain": float(measured["gain"].mean())} if "gain" in measured else {}
    suite = benchmark.curve_suite()
    tasks = [suite.tasks[place] for place in _curve_places(suite, num_tasks)]
    for group, chosen in benchmark.task_groups(tasks).items():
        for name, values in measured.items():
            columns[f"{name}_{group.replace(' ', '_')}"] = float(values[chosen].mean())
    return columns


@lru_cache(maxsize=8)
def _idle_returns(benchmark: Benchmark, num_tasks: int | None, episodes_per_task: int | None) -> np.ndarray:
    """Mean returns of a player that does nothing in the tasks of curves, float64 (n,): the same at every evaluation."""
    idle = NoopPolicy(benchmark.environment_id)
    episodes, _ = curve_episodes(idle, benchmark, num_tasks, episodes_per_task)
    returns = np.array([episode.return_ for episode in episodes])
    return returns.reshape(-1, episodes_per_task or benchmark.episodes_per_task).mean(axis=1)


def curve_episodes(
    policy: Policy, benchmark: Benchmark, num_tasks: int | None, episodes_per_task: int | None
) -> tuple[list[Episode], np.ndarray | None]:
    """The episodes of :func:`evaluate`, those of a task side by side, the same seeds for every policy.

    Returns:
        They, and float64 (n,) the best returns that are known of the tasks; ``None``: none are.

    Raises:
        InvalidOptionError: ``episodes_per_task`` is no number from 1 on.
        PolicyCrashedError: The policy raised an error.
    """
    if episodes_per_task is not None:
        check_count("evaluation_episodes", episodes_per_task)
    suite = benchmark.curve_suite()
    places = _curve_places(suite, num_tasks)
    each = episodes_per_task or benchmark.episodes_per_task
    tasks = [suite.tasks[place] for place in places for _ in range(each)]
    seeds = [seed_from_parts("training evaluation", index) for index in range(len(tasks))]
    policy.seed(0)
    best = suite.records.get("best_return")
    return play_episodes(policy, benchmark.environment_id, tasks, seeds), None if best is None else best[places]


def _curve_places(suite: TaskSuite, num_tasks: int | None) -> np.ndarray:
    """Places in the suite of so many tasks, spread evenly over it; ``None``: of all."""
    count = len(suite.tasks)
    return np.linspace(0, count - 1, min(num_tasks or count, count)).round().astype(int)
