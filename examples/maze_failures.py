"""Where a policy's failures end in the point maze, with drawn actions and with mean ones: point-maze/test.

What is left of the way is counted in cells, along the maze's one path: 0 is the goal's own cell. The whole way is 22.

procgen-bench train sibling-rivalry point-maze/test --out runs/maze
python examples/maze_failures.py runs/maze/policy
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import gymnasium
import numpy as np

from procgen_bench.baselines.parts.hierarchy import GoalPolicy
from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.tasks.point_maze import PointMazeTask
from procgen_bench.tasks.point_maze.solver import path_length

BENCHMARK = get_benchmark("point-maze/test")


@dataclass(frozen=True)
class Failures:
    """How a policy did on some tasks.

    Attributes:
        success: Share of the tasks that it solved.
        cells_left: int (n,), of each failure: cells from where it ended to the goal's.
        distances: float (n,), of each failure: the straight distance to the goal.
    """

    success: float
    cells_left: np.ndarray
    distances: np.ndarray

    def __str__(self) -> str:
        if not len(self.cells_left):
            return f"success {self.success:.3f}"
        bounds = {"the goal's cell": (0, 0), "1 to 3 cells away": (1, 3), "4 to 9": (4, 9), "10 or more": (10, 99)}
        counts = {
            name: int(((self.cells_left >= least) & (self.cells_left <= most)).sum())
            for name, (least, most) in bounds.items()
        }
        ends = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
        return f"success {self.success:.3f}; failures end in {ends}; median distance {np.median(self.distances):.2f}"


def failures(policy: Policy, tasks: Sequence[PointMazeTask]) -> Failures:
    """Play an episode of every task, and see where those end that fail."""
    seeds = [seed_from_parts("maze failures", place) for place in range(len(tasks))]
    episodes = play_episodes(policy, BENCHMARK.environment_id, tasks, seeds)
    with gymnasium.make(BENCHMARK.environment_id) as env:
        ends = [
            (task, _end(env, task, episode))
            for task, episode in zip(tasks, episodes, strict=True)
            if not episode.success
        ]
    return Failures(
        1 - len(ends) / len(tasks),
        np.array([path_length(replace(task, start=end)) for task, end in ends], np.int64),
        np.array([np.linalg.norm(end - task.goal) for task, end in ends]),
    )


def _end(env: gymnasium.Env, task: PointMazeTask, episode: Episode) -> np.ndarray:
    """Where the episode's actions lead: x and y."""
    observation, _ = env.reset(seed=episode.seed, options={"task": task})
    for action in episode.actions:
        observation = env.step(action)[0]
    return observation["achieved_goal"].astype(np.float64)


def main() -> None:
    """Print a line for each policy and each way of choosing actions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policies", nargs="+", type=Path, help="Folders of goal policies for SparsePointMaze-v0.")
    for path in parser.parse_args().policies:
        folder = PolicyFolder.read_for(path, BENCHMARK.environment_id)
        for name, stochastic in (("drawn", True), ("mean", False)):
            configuration = {**folder.configuration, "stochastic": stochastic}
            policy = GoalPolicy.from_folder(replace(folder, configuration=configuration))
            print(f"{path}, {name} actions: {failures(policy, BENCHMARK.task_suite().tasks)}", flush=True)


if __name__ == "__main__":
    main()
