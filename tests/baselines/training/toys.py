"""Tasks of a few numbers that know their answer, with the seam of :class:`CurriculumVectorEnv`."""

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.training.curriculum_env import EpisodeColumns, Step
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.baselines.training.teacher import Teacher


def learn(rows, learner, updates):
    """Let a learner, whose configuration says how long rollouts are, learn from so many of them."""
    collector = Collector(rows, learner, learner.configuration.rollout_steps)
    for _ in range(updates):
        learner.update(collector.collect())


class ToyRows:
    """N rows of a toy; a subclass says what is seen and what an action earns.

    Attributes:
        space, action_space: Of one row.
    """

    space: spaces.Dict
    action_space: spaces.Space
    horizon: int
    teacher = Teacher  # of which nothing but its required columns is asked

    def __init__(self, num_rows=64, seed=0):
        self.num_rows, self.rng, self.steps = num_rows, np.random.default_rng(seed), 0
        self.starts, self.train = np.ones(num_rows, bool), np.ones(num_rows, bool)
        self.player, self.acting = np.zeros(num_rows, np.int16), np.ones(num_rows, bool)
        self.cues = self.rng.integers(2, size=num_rows)
        self.elapsed = np.zeros(num_rows, int)
        self.earned, self.recent = np.zeros(num_rows), []
        self.observations = self.seen()

    players = ("student",)

    def ensure_begun(self):
        """They have."""

    def seen(self):
        raise NotImplementedError

    def judged(self, actions):
        """Rewards (N,) and whether the episode terminates (N,)."""
        raise NotImplementedError

    def step(self, actions):
        rewards, terminations = self.judged(actions)
        self.elapsed += 1
        self.steps += self.num_rows
        self.earned += rewards
        truncations = (self.elapsed >= self.horizon) & ~terminations
        self.starts = terminations | truncations
        last = {name: array[self.starts] for name, array in self.seen().items()}
        self.recent += self.earned[self.starts & self.train].tolist()
        self.cues = np.where(self.starts, self.rng.integers(2, size=self.num_rows), self.cues)
        self.elapsed[self.starts], self.earned[self.starts] = 0, 0
        self.observations = self.seen()
        return Step(rewards, terminations, truncations, last)

    def pop_finished_episodes(self) -> list[EpisodeColumns]:
        return []

    def score(self, episodes=400):
        """Mean return of the newest episodes that were trained on."""
        return float(np.mean(self.recent[-episodes:]))


class Recall(ToyRows):
    """A cue is shown in the first of four steps; the action of the last one must name it. Best: 1; by chance: 0.5."""

    space = spaces.Dict({"cue": spaces.Box(-1, 1, (1,), np.float32), "last": spaces.Box(0, 1, (1,), np.float32)})
    action_space = spaces.Discrete(2)
    horizon = 99

    def seen(self):
        cue = np.where(self.elapsed == 0, 2 * self.cues - 1, 0)
        return {name: a[:, None].astype(np.float32) for name, a in (("cue", cue), ("last", self.elapsed == 3))}

    def judged(self, actions):
        last = self.elapsed == 3
        return np.where(last, actions == self.cues, 0.0), last


class Patience(ToyRows):
    """Action 1 earns 0.3 and ends it; four times action 0 earn 1. Best: 1, for who looks far ahead."""

    space = spaces.Dict({"elapsed": spaces.Box(0, 4, (1,), np.float32)})
    action_space = spaces.Discrete(2)
    horizon = 99

    def seen(self):
        return {"elapsed": self.elapsed[:, None].astype(np.float32)}

    def judged(self, actions):
        patient = (self.elapsed == 3) & (actions == 0)
        return np.where(actions == 1, 0.3, np.where(patient, 1.0, 0.0)), (actions == 1) | patient


class Endless(ToyRows):
    """Action 0 earns 0.1 and goes on for ever, but is cut off after four steps; action 1 earns 0.6 and ends it.

    Who knows that cutting off is no end goes on. Best: 0.4 by what is counted here.
    """

    space = spaces.Dict({"one": spaces.Box(0, 1, (1,), np.float32)})
    action_space = spaces.Discrete(2)
    horizon = 4

    def seen(self):
        return {"one": np.ones((self.num_rows, 1), np.float32)}

    def judged(self, actions):
        return np.where(actions == 1, 0.6, 0.1), actions == 1


class Paid(ToyRows):
    """Every step earns 100. Episodes are cut off after four steps; in every second row they end for good after two."""

    space = spaces.Dict({"one": spaces.Box(0, 1, (1,), np.float32)})
    action_space = spaces.Discrete(2)
    horizon = 4

    def seen(self):
        return {"one": np.ones((self.num_rows, 1), np.float32)}

    def judged(self, actions):
        return np.full(self.num_rows, 100.0), (np.arange(self.num_rows) % 2 == 1) & (self.elapsed == 1)


class Poisoned(ToyRows):
    """Action 0 earns 1; but in every second row, which must not be learned from, action 1 earns 10. Best: 1."""

    space = spaces.Dict({"one": spaces.Box(0, 1, (1,), np.float32)})
    action_space = spaces.Discrete(2)
    horizon = 99

    def __init__(self, num_rows=64, seed=0):
        super().__init__(num_rows, seed)
        self.train = np.arange(num_rows) % 2 == 0

    def seen(self):
        return {"one": np.ones((self.num_rows, 1), np.float32)}

    def judged(self, actions):
        return np.where(self.train, actions == 0, 10.0 * (actions == 1)), np.ones(self.num_rows, bool)


class Pairs(ToyRows):
    """Two discrete actions at once: the first must name the cue, the second its opposite; 0.5 each. Best: 1."""

    space = spaces.Dict({"cue": spaces.Box(0, 1, (1,), np.float32)})
    action_space = spaces.MultiDiscrete([2, 3])
    horizon = 99

    def seen(self):
        return {"cue": self.cues[:, None].astype(np.float32)}

    def judged(self, actions):
        return ((actions[:, 0] == self.cues) * 0.5 + (actions[:, 1] == 2 - self.cues) * 0.5), np.ones(
            self.num_rows, bool
        )


class SixHeads(ToyRows):
    """Six discrete actions at once, as in XLand: the fourth must name the cue, the others earn nothing. Best: 1."""

    space = spaces.Dict({"cue": spaces.Box(0, 1, (1,), np.float32)})
    action_space = spaces.MultiDiscrete([3, 3, 5, 2, 2, 2])
    horizon = 99

    def seen(self):
        return {"cue": self.cues[:, None].astype(np.float32)}

    def judged(self, actions):
        return (actions[:, 3] == self.cues).astype(float), np.ones(self.num_rows, bool)


class Aim(ToyRows):
    """A continuous action near -3 or 1, as the cue says, in [-5, 3]; earns 1 minus the distance. Best: 1."""

    space = spaces.Dict({"cue": spaces.Box(-np.inf, np.inf, (1,), np.float32)})
    action_space = spaces.Box(-5.0, 3.0, (1,), np.float32)
    horizon = 99

    def seen(self):
        return {"cue": (1_000 + 5 * self.cues[:, None]).astype(np.float32)}

    def judged(self, actions):
        return 1 - np.abs(actions[:, 0] - np.where(self.cues, 1.0, -3.0)), np.ones(self.num_rows, bool)


class Walk(ToyRows):
    """Steps of at most 1 to a goal 6 away on the side that is shown, in 8 steps; 1 for who arrives. Best: 1.

    It is the goal environment of its rows, too: see :class:`.RolloutReplay`.
    """

    space = spaces.Dict({name: spaces.Box(-4, 4, (1,), np.float32) for name in ("achieved_goal", "desired_goal")})
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    horizon = 8
    distance_threshold = 0.5

    def __init__(self, num_rows=64, seed=0):
        self._place = np.zeros(num_rows)
        super().__init__(num_rows, seed)

    def seen(self):
        columns = {"achieved_goal": self._places(), "desired_goal": self._goals()}
        return {name: column[:, None].astype(np.float32) for name, column in columns.items()}

    def judged(self, actions):
        self._place = self._places() + actions[:, 0]
        arrived = np.abs(self._place - self._goals()) <= self.distance_threshold
        return arrived.astype(float), arrived

    @staticmethod
    def distance(achieved, desired):
        return np.abs(achieved - desired)[:, 0]

    def compute_reward(self, achieved, desired, info):
        return (self.distance(achieved, desired) <= self.distance_threshold).astype(float)

    def _places(self):
        return np.where(self.elapsed == 0, 0.0, self._place)

    def _goals(self):
        return np.where(self.cues, 6.0, -6.0)


def by_sign(toy):
    """A toy of two actions as one of reals in [-1, 1]: action 1 is any above 0."""

    class BySign(toy):
        action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

        def judged(self, actions):
            return super().judged((actions[:, 0] > 0).astype(int))

    return BySign
