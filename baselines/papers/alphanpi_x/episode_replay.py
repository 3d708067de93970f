"""EpisodeReplay: whole episodes of states, from which transitions are drawn for goals that were achieved later."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from procgen_bench.baselines.parts.replay import SmallReplayError, Transitions
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.learner import Rollout

#: Rewards (n,) in [0, 1] of being in states (n, S) while goals (n, G) are desired.
Rewards = Callable[[np.ndarray, np.ndarray], np.ndarray]
_COLUMNS = ("states", "actions", "goals")


@dataclass(frozen=True)
class EpisodeForm:
    """What the episodes of a replay are like.

    Attributes:
        horizon: Steps of every episode, T.
        state_size: Numbers of a state, S.
        action_size: Numbers of an action, A.
        achieved: States (..., S) -> the goals (..., G) that are achieved in them.
        goal_size: G.
    """

    horizon: int
    state_size: int
    action_size: int
    goal_size: int
    achieved: Callable[[np.ndarray], np.ndarray]


class EpisodeReplay:
    """A ring of E whole episodes, each a state more than its steps: what follows an action is not kept twice.

    Rewards are of the state that follows and of the goal that is drawn, relabelled or not, and nothing terminates:
    staying where they are greatest is learned. Episodes that a rollout does not hold whole are not kept.

    Args:
        capacity: Transitions.
        form: What the episodes are like.
        relabelled: Relabelled transitions for every one as played (k).
        strategy: The new goal is what the episode achieved after this step or a later one ("future"), or at its end
            ("final").
        rng: What it draws with.
        rewards: What is rewarded, until it is replaced, for all that is drawn then.
        device: Where what is drawn lies.

    Attributes:
        rewards: See above.
        states: float32 (E, T + 1, S).
        actions: float32 (E, T, A).
        goals: float32 (E, G), what was desired.
        episodes: How many it holds.

    Raises:
        SmallReplayError: ``capacity`` is less than an episode.
    """

    def __init__(
        self,
        capacity: int,
        form: EpisodeForm,
        relabelled: float,
        strategy: Literal["future", "final"],
        rng: np.random.Generator,
        rewards: Rewards,
        device: torch.device | str = "cpu",
    ):
        size = capacity // form.horizon
        if not size:
            raise SmallReplayError(
                f"the replay holds {capacity} transitions, expected at least the {form.horizon} of an episode; give "
                "more buffer_size"
            )
        self.form, self._rng, self._device = form, rng, torch.device(device)
        self.rewards = rewards
        self._relabelled, self._strategy = relabelled / (1 + relabelled), strategy
        self.states = np.zeros((size, form.horizon + 1, form.state_size), np.float32)
        self.actions = np.zeros((size, form.horizon, form.action_size), np.float32)
        self.goals = np.zeros((size, form.goal_size), np.float32)
        self.episodes = self._next = 0

    def __len__(self) -> int:
        """How many transitions may be drawn."""
        return self.episodes * self.form.horizon

    def extend(self, rollout: Rollout, actions: np.ndarray) -> None:
        """Keep the whole episodes of a rollout, with its actions (T, N, A) as the networks know them."""
        horizon = self.form.horizon
        ends = np.argwhere(rollout.ends & rollout.train)
        ends = ends[ends[:, 0] >= horizon - 1]
        firsts = ends[:, 0] - horizon + 1
        whole = rollout.starts[firsts, ends[:, 1]]
        seen, desired = (rollout.observations[name].cpu().numpy() for name in ("observation", "desired_goal"))
        following = rollout.following("observation")
        for first, row in zip(firsts[whole].tolist(), ends[whole, 1].tolist()):
            steps = slice(first, first + horizon)
            states = np.concatenate([seen[steps, row], following[steps, row][-1:]])
            self.add(states, actions[steps, row], desired[first, row])

    def add(self, states: np.ndarray, actions: np.ndarray, goal: np.ndarray) -> None:
        """Keep an episode: states (T + 1, S), actions (T, A) and a goal (G,), replacing the oldest when it is full."""
        self.states[self._next], self.actions[self._next], self.goals[self._next] = states, actions, goal
        self._next = (self._next + 1) % len(self.states)
        self.episodes = min(self.episodes + 1, len(self.states))

    def sample(self, count: int) -> Transitions:
        """``count`` independent draws."""
        episodes = self._rng.integers(self.episodes, size=count)
        steps = self._rng.integers(self.form.horizon, size=count)
        states, following = self.states[episodes, steps], self.states[episodes, steps + 1]
        goals = self.goals[episodes]
        chosen = np.flatnonzero(self._rng.random(count) < self._relabelled)
        if len(chosen):
            goals[chosen] = self.form.achieved(self.states[episodes[chosen], self._later(steps[chosen])])
        rewards = self.rewards(following, goals).astype(np.float32)[:, np.newaxis]
        desired = self._tensor(goals)
        return Transitions(
            observations={"observation": self._tensor(states), "desired_goal": desired},
            actions=self._tensor(self.actions[episodes, steps]),
            rewards=self._tensor(rewards),
            next_observations={"observation": self._tensor(following), "desired_goal": desired},
            terminations=torch.zeros(count, 1, device=self._device),
        )

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """What it holds."""
        return {name: getattr(self, name)[: self.episodes] for name in _COLUMNS}, {"next": self._next}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Hold what :meth:`state` returned."""
        self.episodes, self._next = len(arrays["goals"]), values["next"]
        for name in _COLUMNS:
            getattr(self, name)[: self.episodes] = arrays[name]

    def _later(self, steps: np.ndarray) -> np.ndarray:
        """Places in their episodes of the states that are achieved in place of the goals, after these steps."""
        if self._strategy == "final":
            return np.full(len(steps), self.form.horizon)
        return steps + 1 + self._rng.integers(self.form.horizon - steps)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.as_tensor(array, device=self._device)
