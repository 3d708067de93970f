"""SparseAntMaze's rows: ants, their tasks, and what they see and earn."""

from types import MappingProxyType
from typing import Protocol

import numpy as np

from procgen_bench.engine.block_simulation import BlockSimulation
from procgen_bench.engine.goal_simulation import GoalSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.ant_maze import kernel
from procgen_bench.envs.ant_maze.controller import Controller
from procgen_bench.envs.ant_maze.model import NUM_JOINTS, maze_model
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.tasks.ant_maze.space import GOAL_REGION, START_REGION
from procgen_bench.tasks.ant_maze.task import HORIZON, SUBGOAL_STEPS, AntMazeTask


class Walker(Protocol):
    """Walks ants by what they observe, and is notified when their walks end, so that it may learn from them."""

    def walk(
        self, observations: dict[str, np.ndarray], places: np.ndarray, rows: np.ndarray, torques: np.ndarray
    ) -> None:
        """Write the torques that walk ants to their places for one step.

        Args:
            observations: By name (N, ...), with the time that has passed on the way.
            places: float32 (N, 2), x and y.
            rows: bool (N,), the ants that walk.
            torques: float64 (N, 8), newton metres in [-30, 30]; written for ``rows``.
        """

    def arrive(self, observations: dict[str, np.ndarray], places: np.ndarray, rows: np.ndarray) -> None:
        """The ants of ``rows`` have walked for 20 steps, or are at their goals; arguments as of :meth:`walk`."""


class AntMazeSimulation(GoalSimulation[AntMazeTask], BlockSimulation[AntMazeTask]):
    """N ants in U-mazes of their own, moved by torques or, under a controller, by subgoals.

    Attributes:
        observation_rows: float32 (N, 34), every row's observation as one vector: achieved goal (2), desired goal (2),
            state (30).
        observations: The same memory as a dict of ``observation``, ``achieved_goal`` and ``desired_goal``.
        bodies: The ants.
        distances: float64 (N,), from the goals, as observed after the last step.
        starts, goals: float64 (N, 2), of the rows' tasks.
        walker: What walks to the subgoals instead of the controller; ``None``: nothing does.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
        horizon: Steps that the observed time is a share of.
        controller: What walks to the subgoals; ``None``: the actions are torques.
        num_threads: Number of threads that share out the rows.
    """

    task_type = AntMazeTask
    task_arrays = MappingProxyType({"start": TaskArray((2,), np.float64), "goal": TaskArray((2,), np.float64)})
    state_names = ("observation_rows", "distances", "bodies.states")

    def __init__(
        self,
        num_rows: int,
        max_episode_steps: int | None,
        distance_step: int = 0,
        horizon: int = HORIZON,
        controller: Controller | None = None,
        num_threads: int = 1,
    ):
        super().__init__(num_rows, max_episode_steps, distance_step, block_shape=(kernel.OBSERVATION_SIZE,))
        self.horizon, self.controller = horizon, controller
        self.walker: Walker | None = None
        self.bodies = AntBodies(num_rows, maze_model, num_threads)
        self.distances = np.zeros(num_rows, np.float64)
        self._torques = np.zeros((num_rows, NUM_JOINTS), np.float64)

    @staticmethod
    def by_name(rows: np.ndarray) -> dict[str, np.ndarray]:
        """Observations, float32 (N, 34), as views by name."""
        return {
            "achieved_goal": rows[:, kernel.ACHIEVED_START : kernel.DESIRED_START],
            "desired_goal": rows[:, kernel.DESIRED_START : kernel.STATE_START],
            "observation": rows[:, kernel.STATE_START :],
        }

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.draw_tasks(
            rows & fresh,
            self.streams,
            *self.bank,
            START_REGION,
            GOAL_REGION,
            *self.task_rows,
        )
        for row in np.flatnonzero(rows).tolist():
            self.bodies.place(row, self.starts[row])
        kernel.begin_rows(
            rows, self.bodies.positions, self.bodies.velocities, self.goals, self.observation_rows, self.outcomes
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action (float32): torques (N, 8), or subgoals (N, 2) from where ants are."""
        if self.controller is None:
            self.bodies.push(active, actions)
        else:
            self._walk(actions, active)
        kernel.end_steps(
            active,
            self.max_episode_steps,
            self.distance_step,
            self.horizon,
            self.bodies.positions,
            self.bodies.velocities,
            self.observation_rows,
            self.distances,
            self.outcomes,
        )

    def _walk(self, subgoals: np.ndarray, active: np.ndarray) -> None:
        """Walk the active ants towards their subgoals for 20 steps, or until they are at the goal."""
        if self.walker is not None:
            self._walk_by(self.walker, subgoals, active)
            return
        assert self.controller is not None  # see above
        bodies, walking = self.bodies, active.copy()
        targets = bodies.positions[:, :2] + subgoals
        for _ in range(SUBGOAL_STEPS):
            self.controller.walk(bodies.positions, bodies.velocities, targets, walking, self._torques)
            bodies.push(walking, self._torques)
            if not kernel.leave_arrived(walking, bodies.positions, self.observation_rows):
                break

    def _walk_by(self, walker: Walker, subgoals: np.ndarray, active: np.ndarray) -> None:
        """The same by a walker, which sees what a policy of torques sees, time and all."""
        bodies, walking = self.bodies, active.copy()
        _, _, _, _, elapsed = self.outcomes
        places = self.observations["achieved_goal"] + subgoals
        for time in range(SUBGOAL_STEPS):
            walker.walk(self.observations, places, walking, self._torques)
            bodies.push(walking, self._torques)
            positions, velocities = bodies.positions, bodies.velocities
            kernel.observe_rows(walking, time + 1, positions, velocities, elapsed, self.horizon, self.observation_rows)
            if not kernel.leave_arrived(walking, positions, self.observation_rows):
                break
        walker.arrive(self.observations, places, active)

    def close(self) -> None:
        """End the threads; again without effect."""
        self.bodies.close()
