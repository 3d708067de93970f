"""Whole episodes of a goal environment, played by a policy that is still learning."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from procgen_bench.engine.goal_env import GoalVectorEnv

Observations = dict[str, np.ndarray]
#: Observations (n, ...) -> actions (n, ...) and their log-probabilities (n,).
Act = Callable[[Observations], tuple[np.ndarray, np.ndarray]]

#: What the two rows of a pair share: nothing, the goal, or the start and the goal.
Siblings = Literal["none", "goal", "start and goal"]


@dataclass(frozen=True)
class Episodes:
    """N episodes side by side, time first; what lies behind an episode's end is zero.

    Attributes:
        observations: By name (T, N, ...), what the policy saw before each action.
        actions: (T, N, ...), of the environment's action space.
        log_probabilities: float32 (T, N), of the actions when they were taken.
        lengths: int64 (N,), steps of each episode; T is the greatest.
        final_observations: By name (N, ...), what the environment showed at the end.
        successes: bool (N,), whether the goal was reached.
    """

    observations: Observations
    actions: np.ndarray
    log_probabilities: np.ndarray
    lengths: np.ndarray
    final_observations: Observations
    successes: np.ndarray

    @property
    def goals(self) -> np.ndarray:
        """The goals (N, ...)."""
        return self.final_observations["desired_goal"]

    @property
    def ends(self) -> np.ndarray:
        """The goals (N, ...) that were achieved at the end: m(s_T)."""
        return self.final_observations["achieved_goal"]

    @property
    def played(self) -> np.ndarray:
        """bool (T, N): whether the episode had that step."""
        return np.arange(len(self.actions))[:, np.newaxis] < self.lengths

    @property
    def num_steps(self) -> int:
        """Environment steps that the episodes took together."""
        return int(self.lengths.sum())

    def next_observations(self, name: str) -> np.ndarray:
        """(T, N, ...), what the environment showed after each action; 0 behind an episode's end."""
        following = np.zeros_like(self.observations[name])
        following[:-1] = self.observations[name][1:]
        following[self.lengths - 1, np.arange(len(self.lengths))] = self.final_observations[name]
        return following

    def at_the_end(self, values: np.ndarray) -> np.ndarray:
        """float64 (T, N): ``values`` (N,) at each episode's last step, and 0 before."""
        rewards = np.zeros(self.actions.shape[:2])
        rewards[self.lengths - 1, np.arange(len(self.lengths))] = values
        return rewards


def siblings_of(values: np.ndarray) -> np.ndarray:
    """``values`` (N, ...) with the two rows of every pair (2k, 2k + 1) exchanged."""
    return values.reshape(-1, 2, *values.shape[1:])[:, ::-1].reshape(values.shape)


class EpisodePlayer:
    """Plays one episode in every row of an environment.

    Args:
        env: Rows that are reset by hand; an even number of them where they come in pairs.
        siblings: What rows 2k and 2k + 1 share.
    """

    def __init__(self, env: GoalVectorEnv, siblings: Siblings = "none"):
        if siblings != "none" and env.num_envs % 2:
            raise ValueError(f"{env.num_envs} rows do not come in pairs")
        self._env, self._siblings = env, siblings

    def play(self, act: Act) -> Episodes:
        """One episode per row; rows whose episode is over rest until the last one is."""
        self._begin()
        simulation = self._env.simulation
        active = np.ones(self._env.num_envs, np.bool_)
        steps = []
        while active.any():
            seen = self._shown()
            chosen, log_probabilities = act({name: array[active] for name, array in seen.items()})
            actions: np.ndarray = np.zeros(self._env.action_space.shape or (), self._env.action_space.dtype)
            all_log_probabilities = np.zeros(self._env.num_envs, np.float32)
            actions[active], all_log_probabilities[active] = chosen, log_probabilities
            simulation.step(actions, active)
            steps.append((seen, actions, all_log_probabilities, active))
            active = active & ~(simulation.terminations | simulation.truncations)
        return self._episodes(steps)

    def _begin(self) -> None:
        self._env.reset()
        if self._siblings == "none":
            return
        odd = np.arange(self._env.num_envs) % 2 == 1
        if self._siblings == "start and goal":
            tasks = [self._env.simulation.task(row - 1) if odd[row] else None for row in range(self._env.num_envs)]
            self._env.reset(options={"reset_mask": odd, "task": tasks})
        else:
            goals = np.repeat(self._shown()["desired_goal"][::2], 2, axis=0)
            self._env.reset(options={"reset_mask": odd, "goal": goals})

    def _shown(self) -> Observations:
        observations = self._env.simulation.copy_observations()
        assert isinstance(observations, dict)  # as every goal environment's
        return observations

    def _episodes(self, steps) -> Episodes:
        seen, actions, log_probabilities, active = zip(*steps)
        played = np.stack(active)
        return Episodes(
            observations={name: _stack_played([one[name] for one in seen], played) for name in seen[0]},
            actions=np.stack(actions),
            log_probabilities=np.stack(log_probabilities),
            lengths=played.sum(axis=0),
            final_observations=self._shown(),
            successes=self._env.simulation.successes.copy(),
        )


def _stack_played(arrays: list[np.ndarray], played: np.ndarray) -> np.ndarray:
    stacked = np.stack(arrays)
    stacked[~played] = 0
    return stacked
