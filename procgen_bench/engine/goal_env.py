"""GoalEnv, GoalRows and GoalVectorEnv: tasks that are a start and a goal, with a distance between the two.

Sibling Rivalry (Trott et al., 2019) names the parts: d(s, g) is ``distance``, delta is ``distance_threshold``,
equation 1 is ``reward="sparse"`` and equation 2 is ``reward="distance"``.
"""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice, check_count
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import TaskT
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.native_vector_env import NativeVectorEnv
from procgen_bench.engine.simulation import NativeSimulation
from procgen_bench.engine.task_vector_env import TaskVectorEnv

REWARDS = ("sparse", "distance")
#: A step number that no step of an episode has.
_NO_STEP = 0


class GoalEnv(NativeEnv[TaskT]):
    """A native environment whose observation is a dict of ``observation``, ``achieved_goal`` and ``desired_goal``.

    An episode terminates when ``distance(achieved_goal, desired_goal) <= distance_threshold``. Its task has the fields
    ``start`` and ``goal``, and ``reset(options={"start": ..., "goal": ...})`` replaces either or both in the task that
    was given or drawn, so that sibling rollouts can share them. A ``goal`` beside a saved ``state`` takes the place of
    the saved episode's.

    A family sets ``distance_threshold`` and ``start_shape``, defines ``distance``, ``checked_start`` and
    ``checked_goal``, and its ``simulation_type`` takes ``distance_step`` as a third argument: the number of the step
    that, when it does not reach the goal, is rewarded by minus the distance (0: none is). A step that reaches the goal
    is rewarded by 1, and every other one by 0.

    Args:
        tasks: See :class:`NativeEnv`.
        render_mode: See :class:`NativeEnv`.
        reward: ``"sparse"``: 1 for the step that reaches the goal, 0 for the others. ``"distance"``: in addition, minus
            the distance for step ``horizon`` when it does not reach the goal, and nothing before.
        horizon: Steps of an episode, at the last of which ``"distance"`` is paid. An environment does not see
            Gymnasium's time limit: with another ``max_episode_steps``, give the same number here.
        flat: See :class:`NativeEnv`.
    """

    #: Greatest distance at which the goal counts as reached.
    distance_threshold: ClassVar[float]
    #: Shape of a task's ``start``; its ``goal`` has the shape of the ``desired_goal``.
    start_shape: ClassVar[tuple[int, ...]]
    observation_space: spaces.Dict
    reset_options = NativeEnv.reset_options | {"start", "goal"}
    beginning_options = frozenset({"start"})

    def __init__(self, tasks, render_mode: str | None, reward: str, horizon: int, flat: bool = False):
        check_choice("reward", reward, REWARDS)
        check_count("horizon", horizon)
        self.reward = reward
        self.horizon = int(horizon)
        super().__init__(tasks, render_mode, flat)

    @staticmethod
    def distance(achieved_goal: np.ndarray, desired_goal: np.ndarray, /) -> np.ndarray:
        """Distances, float64 (...), between goals (..., *goal_shape); () between two single ones."""
        raise NotImplementedError

    def checked_start(self, start: np.ndarray) -> np.ndarray:
        """``start`` (numbers of any dtype, of ``start_shape``) in the dtype of tasks.

        Raises:
            InvalidTaskError: No task can start there.
        """
        raise NotImplementedError

    def checked_goal(self, goal: np.ndarray) -> np.ndarray:
        """``goal`` (numbers of any dtype, of ``goal_shape``) in the dtype of tasks.

        Raises:
            InvalidTaskError: No task can have this goal.
        """
        raise NotImplementedError

    @property
    def goal_shape(self) -> tuple[int, ...]:
        """Shape of one goal."""
        return self.structured_space["desired_goal"].shape or ()

    @property
    def distance_step(self) -> int:
        """Number of the step that is rewarded by minus the distance; 0: none is."""
        return self.horizon if self.reward == "distance" else _NO_STEP

    def make_simulation(self, num_rows: int, max_episode_steps: int | None) -> NativeSimulation[TaskT]:
        """A simulation of ``num_rows`` games that rewards as this environment does."""
        return self.simulation_type(num_rows, max_episode_steps, self.distance_step)

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> float | np.ndarray:
        """What an episode earns at its end in ``achieved_goal``, whether or not it was played for ``desired_goal``.

        With ``reward="sparse"`` this is also what every single step is rewarded by. With ``"distance"`` it is equation
        2, of which the environment pays the failure's part once, at the horizon.

        Args:
            achieved_goal: One goal, or a batch of goals (N, ...).
            desired_goal: As ``achieved_goal``; either may also be one goal for the other's whole batch.
            info: Not looked at; goals decide the reward.

        Returns:
            A float for one pair of goals; float64 (N,) for a batch.

        Raises:
            InvalidTaskError: What was given are no goals, or not as many of one as of the other.
        """
        distances = self.distance(*goals_to_compare(achieved_goal, desired_goal, self.goal_shape))
        failures = -distances if self.reward == "distance" else np.zeros_like(distances)
        rewards = np.where(distances <= self.distance_threshold, 1.0, failures)
        return rewards if rewards.ndim else float(rewards)

    def requested_parts(self, options: dict[str, Any] | None) -> dict[str, np.ndarray]:
        """The start and the goal that reset's ``options`` ask for, by name; see :meth:`checked_part`, also for
        errors."""
        given = {name: (options or {}).get(name) for name in ("start", "goal")}
        return {name: self.checked_part(name, value) for name, value in given.items() if value is not None}

    def checked_part(self, name: str, value: Any) -> np.ndarray:
        """A ``"start"`` (``start_shape``) or a ``"goal"`` (``goal_shape``) in the dtype of tasks.

        Raises:
            InvalidTaskError: It is not an array of numbers of the right shape (whole ones, where goals are), or no task
                can have it.
        """
        shape, checked = self._part_rules()[name]
        array, kind = numbers_of_shape(name, value, shape), self.structured_space["desired_goal"].dtype
        if name == "goal" and np.issubdtype(kind, np.integer) and array.dtype.kind == "f":
            raise InvalidTaskError("goal's dtype", str(array.dtype), f"whole numbers ({kind}), as goals are observed")
        return checked(array)

    def _part_rules(self):
        return {"start": (self.start_shape, self.checked_start), "goal": (self.goal_shape, self.checked_goal)}


class GoalRows(TaskVectorEnv):
    """What a vector environment of goal tasks adds, however its rows are simulated; see :class:`GoalEnv`.

    ``reset``'s options ``start`` and ``goal`` are arrays with one row per environment, or one start or goal for all.
    """

    single: GoalEnv

    @property
    def distance_threshold(self) -> float:
        """Greatest distance at which the goal counts as reached."""
        return self.single.distance_threshold

    def distance(self, achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """See :meth:`GoalEnv.distance`."""
        return self.single.distance(achieved_goal, desired_goal)

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> float | np.ndarray:
        """See :meth:`GoalEnv.compute_reward`."""
        return self.single.compute_reward(achieved_goal, desired_goal, info)

    def _further_options(self, options: dict[str, Any], rows: np.ndarray) -> dict[int, dict[str, Any]]:
        shapes = {"start": self.single.start_shape, "goal": self.single.goal_shape}
        others = {name: value for name, value in options.items() if name not in shapes}
        further = super()._further_options(others, rows)
        for name, shape in shapes.items():
            if options.get(name) is None:
                continue
            values = self._value_of_every_row(name, options[name], shape)
            for row in np.flatnonzero(rows).tolist():
                further.setdefault(row, {})[name] = values[row]
        return further

    def _value_of_every_row(self, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
        every_row = (self.num_envs, *shape)
        array = numbers(name, value, shape)
        if array.shape not in (shape, every_row):
            raise InvalidTaskError(f"{name}'s shape", array.shape, f"{shape}, or {every_row} with one row each")
        return np.broadcast_to(array, every_row)


class GoalVectorEnv(GoalRows, NativeVectorEnv):
    """N goal tasks in one compiled step; see :class:`GoalEnv`, :class:`GoalRows` and :class:`NativeVectorEnv`."""

    single: GoalEnv


def numbers(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """``value`` as an array of numbers, of its own shape and dtype (float, int or bool).

    Raises:
        InvalidTaskError: It is none; one of ``shape`` was expected.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # nested lists of unequal lengths
        raise InvalidTaskError(name, value, f"an array of shape {shape}") from None
    if array.dtype.kind not in "fiub":
        raise InvalidTaskError(f"{name}'s dtype", str(array.dtype), f"numbers, as an array of shape {shape}")
    return array


def numbers_of_shape(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """``value`` as an array of numbers of this shape, of its own dtype (float, int or bool).

    Raises:
        InvalidTaskError: It is none.
    """
    array = numbers(name, value, shape)
    if array.shape != shape:
        raise InvalidTaskError(f"{name}'s shape", array.shape, str(shape))
    return array


def goals_to_compare(
    achieved_goal: np.ndarray, desired_goal: np.ndarray, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Two goals of ``shape``, or batches (..., *shape) of them, as arrays of their own dtypes that can be compared.

    Raises:
        InvalidTaskError: What was given are no goals, or not as many of one as of the other.
    """
    goals = numbers("achieved_goal", achieved_goal, shape), numbers("desired_goal", desired_goal, shape)
    for name, array in zip(("achieved_goal", "desired_goal"), goals):
        if array.shape[-len(shape) :] != shape:
            raise InvalidTaskError(f"{name}'s shape", array.shape, f"{shape}, or a batch of such goals")
    achieved, desired = (array.shape for array in goals)
    if achieved != desired and shape not in (achieved, desired):
        raise InvalidTaskError("desired_goal's shape", desired, f"{achieved}, as achieved_goal's, or {shape}")
    return goals
