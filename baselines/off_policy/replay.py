"""EpisodeReplay: stable-baselines3's hindsight replay, for episodes that are over once their goal is reached."""

import numpy as np
from stable_baselines3 import HerReplayBuffer
from stable_baselines3.common.type_aliases import DictReplayBufferSamples

from procgen_bench.baselines.sb3.vec_env import TaskVecEnv


class EpisodeReplay(HerReplayBuffer):
    """Transitions of whole episodes; most are drawn with a goal that their episode achieved later (strategy "future").

    It differs from stable-baselines3's where a relabelled goal is reached, as the published source of Sibling Rivalry
    does: that ends the episode, so nothing is bootstrapped from there, and a transition that begins in its new goal is
    not drawn, since no episode goes on from there.

    Args:
        *arguments: stable-baselines3's; ``n_sampled_goal`` relabelled transitions are drawn to every one as played
            (0: none are), apart from those that begin in their goal.
        rng: What it draws from.
        as_bytes: Whether observations, which then hold nothing but integers from 0 to 255, are kept in one byte each.
        **keywords: stable-baselines3's.
    """

    env: TaskVecEnv

    def __init__(self, *arguments, rng: np.random.Generator, as_bytes: bool = False, **keywords):
        super().__init__(*arguments, **keywords)
        self._rng, self._as_bytes = rng, as_bytes
        if as_bytes:
            for kept in (self.observations, self.next_observations):
                kept.update(_in_bytes(kept))

    def add(self, obs, next_obs, action, reward, done, infos) -> None:
        """Keep a transition of every row.

        Raises:
            ValueError: An observation cannot be kept in bytes.
        """
        position = self.pos
        super().add(obs, next_obs, action, reward, done, infos)
        if self._as_bytes:
            _check_kept(obs, self.observations, position)
            _check_kept(next_obs, self.next_observations, position)

    def sample(self, batch_size: int, env=None) -> DictReplayBufferSamples:  # type: ignore[override]  # as its base class
        """``batch_size`` independent draws; observations and rewards are float32, goals those that were drawn."""
        steps, rows, goals, relabelled = self._draw(batch_size)
        following = {name: array[steps, rows] for name, array in self.next_observations.items()}
        rewards = self.rewards[steps, rows]
        ends = self.dones[steps, rows] * (1 - self.timeouts[steps, rows])
        achieved, chosen = following["achieved_goal"][relabelled], goals[relabelled]
        rewards[relabelled] = self.env.env_method("compute_reward", achieved, chosen, None, indices=[0])[0]
        ends[relabelled] = self._reached(achieved, chosen)
        observations = {name: array[steps, rows] for name, array in self.observations.items()}
        return DictReplayBufferSamples(
            observations=self._tensors(observations, goals),
            actions=self.to_torch(self.actions[steps, rows]),
            next_observations=self._tensors(following, goals),
            dones=self.to_torch(ends[:, np.newaxis]),
            rewards=self.to_torch(rewards[:, np.newaxis]),
        )

    def _draw(self, count: int):
        """Steps, rows, goals and whether they are relabelled, each (count, ...)."""
        whole = np.flatnonzero(self.ep_length)
        if not len(whole):
            raise RuntimeError("the replay holds no whole episode yet")
        parts, missing = [], count
        while missing > 0:
            part = self._candidates(whole, count)
            parts.append([values[:missing] for values in part])
            missing -= len(part[0])
        return [np.concatenate(values) for values in zip(*parts)]

    def _candidates(self, whole: np.ndarray, count: int):
        """At most ``count`` draws: those that begin in their new goal are left out."""
        steps, rows = np.unravel_index(self._rng.choice(whole, count), self.ep_length.shape)
        goals = self.observations["desired_goal"][steps, rows]
        relabelled = self._rng.random(count) < self.her_ratio
        goals[relabelled] = self._later_goals(steps[relabelled], rows[relabelled])
        kept = ~relabelled
        kept[relabelled] = ~self._reached(
            self.observations["achieved_goal"][steps[relabelled], rows[relabelled]], goals[relabelled]
        )
        return steps[kept], rows[kept], goals[kept], relabelled[kept]

    def _later_goals(self, steps: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """What was achieved after a step of each transition's episode, from its own step on."""
        starts = self.ep_start[steps, rows]
        places = self._rng.integers((steps - starts) % self.buffer_size, self.ep_length[steps, rows])
        return self.next_observations["achieved_goal"][(starts + places) % self.buffer_size, rows]

    def _reached(self, achieved: np.ndarray, goals: np.ndarray) -> np.ndarray:
        distances = self.env.env_method("distance", achieved, goals, indices=[0])[0]
        return distances <= self.env.get_attr("distance_threshold", [0])[0]

    def _tensors(self, observations: dict[str, np.ndarray], goals: np.ndarray):
        chosen = observations | {"desired_goal": goals}
        return {name: self.to_torch(array.astype(np.float32, copy=False)) for name, array in chosen.items()}


def _in_bytes(observations: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.zeros(array.shape, np.uint8) for name, array in observations.items()}


def _check_kept(given: dict[str, np.ndarray], kept: dict[str, np.ndarray], position: int) -> None:
    for name, array in kept.items():
        lost = array[position] != given[name]
        if lost.any():
            raise ValueError(f"{name} holds {given[name][lost][0]}, expected integers from 0 to 255 to keep in bytes")
