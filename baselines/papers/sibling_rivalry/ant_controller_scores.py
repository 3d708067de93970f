"""How well a controller walks: on the plain, where it learned, and through the maze."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.baselines.policies.scripted.ant_expert import AntExpertPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.registrations import environment_type
from procgen_bench.envs.ant_maze.controller import Controller
from procgen_bench.envs.ant_maze.environment import MAX_SUBGOAL
from procgen_bench.envs.ant_maze.model import NUM_JOINTS, STEP_SECONDS, plain_model
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS, AntMazeTask

_MAZE = "SparseAntMaze-v0"
_ANTS, _STEPS, _SEED = 200, 500, 1_000_003
_VALIDATION_TASKS = 100


def plain_scores(controller: Controller) -> dict[str, float]:
    """Over 200 ants that walk 500 steps on the plain, with a new uniform subgoal every 20.

    Returns:
        ``approach``: mean speed towards the subgoals (units a second); ``fallen``: share that ends on its back.
    """
    rng, bodies = np.random.default_rng(_SEED), AntBodies(_ANTS, plain_model)
    for row in range(_ANTS):
        bodies.place(row, np.zeros(2))
    every_row, torques = np.ones(_ANTS, np.bool_), np.zeros((_ANTS, NUM_JOINTS))
    approached = 0.0
    for _ in range(_STEPS // SUBGOAL_STEPS):
        targets = bodies.positions[:, :2] + rng.uniform(-MAX_SUBGOAL, MAX_SUBGOAL, (_ANTS, 2))
        before = _distances(bodies, targets)
        for _ in range(SUBGOAL_STEPS):
            controller.walk(bodies.positions, bodies.velocities, targets, every_row, torques)
            bodies.push(every_row, torques)
        approached += float((before - _distances(bodies, targets)).mean())
    _, x, y, _ = bodies.positions[:, 3:7].T
    fallen = 1 - 2 * (x * x + y * y) < 0
    return {"approach": round(approached / (_STEPS * STEP_SECONDS), 3), "fallen": float(fallen.mean())}


def maze_scores(controller: Controller) -> dict[str, float]:
    """Over the suite ``test``; see :func:`walked_scores`."""
    return walked_scores(controller, environment_type(_MAZE).task_space.suite("test").tasks)


def validation_scores(controller: Controller) -> dict[str, float]:
    """Over 100 tasks of the same distribution that are not in the suite; see :func:`walked_scores`."""
    rng, space = np.random.default_rng(_SEED), environment_type(_MAZE).task_space
    return walked_scores(controller, [space.sample_task(rng) for _ in range(_VALIDATION_TASKS)])


def walked_scores(controller: Controller, tasks: Sequence[AntMazeTask]) -> dict[str, float]:
    """Over ``tasks``, each walked along its shortest way.

    Returns:
        ``success``: share of goals reached; ``steps``: mean steps of those; ``most_steps``: the most of them (-1 where
        none is reached).
    """
    episodes = play_episodes(AntExpertPolicy(_MAZE, controller), _MAZE, tasks, range(len(tasks)))
    steps = [len(episode.actions) for episode in episodes if episode.success]
    return {
        "success": len(steps) / len(tasks),
        "steps": round(float(np.mean(steps)), 1) if steps else -1.0,
        "most_steps": max(steps, default=-1),
    }


def _distances(bodies: AntBodies, targets: np.ndarray) -> np.ndarray:
    return np.hypot(*(targets - bodies.positions[:, :2]).T)
