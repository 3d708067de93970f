"""Following a record: bit for bit where the physics comes out so, else by segments from its states.

A replay by segments sets out from the episode's start and comes to the end of each segment. There its physics must be
within the track's tolerance of the recorded state, which it takes over; all else it keeps its own book of: what has
been reached and earned, when the episode ends. So a forger can gain what the tolerance gives, once a segment
(:mod:`procgen_bench.core.segments`): nothing of use, and nothing that other actions would not give, of which they have
the choice anyway.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.segments import Segments
from procgen_bench.core.task import Task
from procgen_bench.engine.environment_options import make_environment
from procgen_bench.engine.parallel import Workers
from procgen_bench.engine.physics_env import physics_env
from procgen_bench.leaderboards.submission.observation_chain import (
    LINK_STEPS,
    Observation,
    ObservationChain,
    first_difference,
)
from procgen_bench.leaderboards.submission.physics_record import state_ending
from procgen_bench.leaderboards.submission.submission import EpisodeTrace
from procgen_bench.leaderboards.verification.replay import EPISODES_PER_BATCH, Outcome, in_batches, play_recorded


@dataclass(frozen=True)
class Followed:
    """How a record was followed.

    Attributes:
        outcome: What the replay gave; the one by segments where there was one.
        parted: The first and the last of the steps in which the replay began to observe something else than was
            recorded; ``None``: it observed the same, bit for bit, and there was no need of segments.
        deviation: Greatest difference of a number of the replay's states from the recorded one, in the numbers' scales
            (:class:`~procgen_bench.engine.physics_env.PhysicsEnv`); ``None`` where none were recorded.
        step: The step at which it was found; 0 where there is no difference.
    """

    outcome: Outcome
    parted: tuple[int, int] | None
    deviation: float | None = None
    step: int = 0


def follow(
    benchmark: Benchmark, episodes: Sequence[EpisodeTrace], progress: str | None = None, workers: Workers = None
) -> list[Followed]:
    """Follow episodes of a physics track; arguments and errors as of
    :func:`~procgen_bench.leaderboards.verification.replay.replay`."""
    further = (benchmark.segments, dict(benchmark.replay_options))
    return in_batches(
        follow_one_by_one, benchmark.environment_id, episodes, EPISODES_PER_BATCH, further, progress, workers
    )


def follow_one_by_one(
    environment_id: str, episodes: Sequence[EpisodeTrace], segments: Segments | None, options: Mapping[str, Any]
) -> list[Followed]:
    """Follow episodes in turn in this process."""
    followed = []
    with make_environment(environment_id, options) as env:
        for episode in episodes:
            followed.append(_followed(env, episode, segments))
    return followed


def _followed(env: gymnasium.Env, episode: EpisodeTrace, segments: Segments | None) -> Followed:
    def recorded_states() -> "_States | None":
        if segments is None or episode.states is None:
            return None
        return _States(env, episode.task, episode.states, segments)

    states = recorded_states()
    exact = _BitForBit(episode.links, states)
    outcome = play_recorded(env, episode, exact)
    parted = first_difference(episode.links, exact.links, len(episode.actions))
    if parted is not None and (states := recorded_states()) is not None:
        outcome = play_recorded(env, episode, _BySegments(states))
    if states is None:
        return Followed(outcome, parted)
    return Followed(outcome, parted, states.deviation, states.step)


class _States:
    """An episode's recorded states beside those of an environment that plays it.

    Attributes:
        deviation: The greatest difference so far.
        step: Where it was.
    """

    def __init__(self, env: gymnasium.Env, task: Task, recorded: np.ndarray, segments: Segments):
        self._env, self._recorded, self._segments = physics_env(env), recorded, segments
        self._scales = self._env.physics_scales(task)
        self.deviation, self.step = 0.0, 0

    @property
    def agree(self) -> bool:
        """Whether all differences so far are tolerated."""
        return self.deviation <= self._segments.tolerance

    def ending(self, step: int, last: bool) -> np.ndarray | None:
        """The state that was recorded after a step, which may be the record's last; ``None``: none was."""
        place = state_ending(step, last, self._segments)
        return None if place is None else self._recorded[place]

    def compare(self, step: int, last: bool) -> None:
        """Take the state after this step into account, if one was recorded."""
        recorded = self.ending(step, last)
        if recorded is not None:
            found = float((np.abs(self._env.physics_vector() - recorded) / self._scales).max(initial=0.0))
            if found > self.deviation:
                self.deviation, self.step = found, step

    def take_over(self, step: int, last: bool) -> None:
        """Continue from the state that was recorded after this step, if one was and the episode goes on."""
        recorded = self.ending(step, last)
        if recorded is not None and not last:
            self._env.restore_physics(recorded)


class _BitForBit:
    """Keeps the chain of an episode, which it sees to its end or, if there are states to go by, to where it parts."""

    def __init__(self, recorded: Sequence[bytes], states: _States | None):
        self._recorded, self._states = recorded, states

    def begin(self, observation: Observation) -> None:
        self._chain = ObservationChain(observation)

    def see(self, step: int, observation: Observation, last: bool) -> bool:
        self._chain.append(observation)
        if self._states is None:
            return True
        self._states.compare(step, last)
        return step % LINK_STEPS != 0 or self._chain.links[-1] == self._recorded[len(self._chain.links) - 1]

    @property
    def links(self) -> tuple[bytes, ...]:
        return self._chain.links


class _BySegments:
    """Takes the recorded state over wherever there is one, as long as the replay comes close to it."""

    def __init__(self, states: _States):
        self._states = states

    def begin(self, observation: Observation) -> None:
        """The start follows from task and seed."""

    def see(self, step: int, observation: Observation, last: bool) -> bool:
        self._states.compare(step, last)
        if self._states.agree:
            self._states.take_over(step, last)
        return self._states.agree
