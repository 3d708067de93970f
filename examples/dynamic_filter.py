"""How well the teacher dynamic-tasks filters: its decisions by few episodes, held against those by many.

The teacher admits a level by a few episodes of the control policy and the first ones that the student trains on. Here
both play new tasks of xland/small: more episodes for the exact decision, and others, as few as the teacher's, for its
own. Every line of the output is of one set of the teacher's options, which share the episodes.

python examples/dynamic_filter.py
python examples/dynamic_filter.py --options too_easy=0.8 --options trials=10,control_episodes=10
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from procgen_bench.baselines.papers.open_ended.dynamic_tasks import DynamicTasksTeacher
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task

BENCHMARK = get_benchmark("xland/small")


@dataclass(frozen=True)
class Agreement:
    """How one filter of some tasks agrees with the exact one.

    Attributes:
        exact, cheap: bool (n,), whether the task is kept by each.
    """

    exact: np.ndarray
    cheap: np.ndarray

    @property
    def precision(self) -> float:
        """Share of what the cheap filter keeps that the exact one keeps, too; NaN where it keeps nothing."""
        return float(self.exact[self.cheap].mean()) if self.cheap.any() else float("nan")

    @property
    def recall(self) -> float:
        """Share of what the exact filter keeps that the cheap one keeps, too; NaN where it keeps nothing."""
        return float(self.cheap[self.exact].mean()) if self.exact.any() else float("nan")

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.2f}, recall {self.recall:.2f}; kept {self.cheap.sum()} of {len(self.cheap)} "
            f"({self.cheap.mean():.3f}), by the exact filter {self.exact.sum()} ({self.exact.mean():.3f})"
        )


def returns_of(policy: Policy, tasks: Sequence[Task], episodes: int, seed: int, name: str) -> np.ndarray:
    """Returns float64 (n, episodes) of a policy on every task, with a progress bar of this name."""
    seeds = [seed_from_parts("dynamic filter", seed, name, number) for number in range(len(tasks) * episodes)]
    policy.seed(seed_from_parts("dynamic filter", seed, name))
    every = [task for task in tasks for _ in range(episodes)]
    played = play_episodes(policy, BENCHMARK.environment_id, every, seeds, progress=name)
    return np.array([episode.return_ for episode in played]).reshape(len(tasks), episodes)


def kept(teacher: DynamicTasksTeacher, student: np.ndarray, control: np.ndarray) -> np.ndarray:
    """Which tasks the teacher keeps, bool (n,), by returns (n, any) of the student and of the control policy."""
    return np.array([teacher.is_worth_it(list(own), float(other.mean())) for own, other in zip(student, control)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print a line for each set of options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="trained", help="Student: a policy for XLandSmall-v0.")
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--episodes", type=int, default=10, help="Of each player on each task, for the exact decision.")
    parser.add_argument(
        "--options",
        action="append",
        help="Thresholds and numbers of episodes (trials, control_episodes), as of --teacher-options; may be repeated.",
    )
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    if min(chosen.tasks, chosen.episodes) < 1:
        parser.error(f"--tasks is {chosen.tasks} and --episodes {chosen.episodes}, expected at least 1 of each")
    torch.set_num_threads(1)  # small networks gain nothing from more
    rng = np.random.default_rng(seed_from_parts("dynamic filter", chosen.seed))
    levels = LevelSource(BENCHMARK, solvable=True)
    texts = chosen.options or [""]
    configurations = [get_teacher("dynamic-tasks").configured(text) for text in texts]
    student, control = (load_policy(source, BENCHMARK.environment_id) for source in (chosen.policy, "random"))
    tasks = levels.draw_plain(rng, chosen.tasks)

    exact_student = returns_of(student, tasks, chosen.episodes, chosen.seed, "student, exact")
    exact_control = returns_of(control, tasks, chosen.episodes, chosen.seed, "control, exact")
    cheap_student = returns_of(student, tasks, max(one.trials for one in configurations), chosen.seed, "student, cheap")
    most_control = max(one.control_episodes for one in configurations)
    cheap_control = returns_of(control, tasks, most_control, chosen.seed, "control, cheap")
    for text, own in zip(texts, configurations, strict=True):
        teacher = DynamicTasksTeacher(levels, rng, own)
        agreement = Agreement(
            kept(teacher, exact_student, exact_control),
            kept(teacher, cheap_student[:, : own.trials], cheap_control[:, : own.control_episodes]),
        )
        print(f"{text or 'defaults'}: {agreement}", flush=True)


if __name__ == "__main__":
    main()
