"""Recording episodes of physics while they are played: what their replay would give, without replaying them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.segments import Segments
from procgen_bench.core.success import counted_success
from procgen_bench.engine.parallel import Workers
from procgen_bench.engine.physics_env import physics_env
from procgen_bench.leaderboards.errors import IrreproducibleEpisodeError
from procgen_bench.leaderboards.submission.checks import episode_place
from procgen_bench.leaderboards.submission.observation_chain import Observation
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.replay import KeptReplays, Outcome, Recorder, replay_for

#: One of so many recorded episodes is replayed nevertheless, and has to come out as recorded.
CHECKED_EVERY = 10


@dataclass(frozen=True)
class Recording:
    """How a benchmark's episodes are recorded.

    Attributes:
        replay_options: Under which the replay observes.
        segments: When states are recorded; ``None``: none are.
    """

    replay_options: Mapping[str, Any]
    segments: Segments | None

    @classmethod
    def of(cls, benchmark: Benchmark) -> "Recording":
        """That of a benchmark's replays."""
        return cls(dict(benchmark.replay_options), benchmark.segments)

    def recorders(self, played_options: Mapping[str, Any]) -> "Recorders":
        """Wraps environments that are played under these options."""
        return Recorders(self, played_options)


def checked_outcomes(
    submission: Submission,
    recorded: Sequence[Outcome | None],
    progress: str | None,
    workers: Workers,
    kept: KeptReplays | None,
) -> list[Outcome]:
    """What each episode of a submission gives: as it was recorded, else as its replay does.

    Args:
        submission: What was played.
        recorded: Of each episode, ``None`` where it was not.
        progress, workers, kept: See :func:`~procgen_bench.leaderboards.verification.replay.replay`.

    Raises:
        IrreproducibleEpisodeError: A recorded episode's replay gives something else.
    """
    places = [place for place, outcome in enumerate(recorded) if outcome is None or place % CHECKED_EVERY == 0]
    episodes = submission.all_episodes()
    outcomes = dict(enumerate(recorded))
    replayed = replay_for(submission.benchmark, [episodes[place] for place in places], progress, workers, kept)
    for place, outcome in zip(places, replayed, strict=True):
        known = outcomes[place]
        if known is not None and not known.is_same(outcome):
            raise IrreproducibleEpisodeError(
                f"{episode_place(place, len(submission.protocol.task_indices))} was recorded differently when it was "
                f"played than its replay gives: {submission.benchmark.environment_id} does not repeat itself on this "
                "machine"
            )
        outcomes[place] = outcome
    return [outcome for outcome in outcomes.values() if outcome is not None]


class Recorders:
    """Wraps each of several environments, by a call, in a :class:`RecorderEnv` if they can tell what a replay sees."""

    def __init__(self, recording: Recording, played_options: Mapping[str, Any]):
        self._recording = recording
        self._differing = _differing(played_options, recording.replay_options)
        self._envs: list[RecorderEnv] = []

    def __call__(self, env: gymnasium.Env) -> gymnasium.Env:
        """An environment to play in."""
        if not self._differing <= physics_env(env).viewing_options.keys():
            return env
        self._envs.append(RecorderEnv(env, self._recording, bool(self._differing)))
        return self._envs[-1]

    @property
    def outcomes(self) -> list[Outcome]:
        """What the replay of each environment's first episode would give; none unless all of them have ended."""
        outcomes = [env.outcome for env in self._envs if env.outcome is not None]
        return outcomes if len(outcomes) == len(self._envs) else []


class RecorderEnv(gymnasium.Wrapper):
    """Records its first episode as a replay would.

    Attributes:
        outcome: What the replay would give; ``None`` before the episode has ended.

    Args:
        env: What is played.
        recording: How it is recorded.
        asks: Whether the replay observes something else than the player does, so that the environment is asked for it.

    Raises:
        InvalidOptionError: ``env`` does not tell its physics.
    """

    def __init__(self, env: gymnasium.Env, recording: Recording, asks: bool):
        super().__init__(env)
        self._segments, self._physics = recording.segments, physics_env(env)
        replayed = recording.replay_options
        viewing = {name: replayed[name] for name in self._physics.viewing_options if name in replayed}
        self._asked_options = viewing if asks else None
        self.outcome: Outcome | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """As the environment does."""
        observation, info = self.env.reset(seed=seed, options=options)
        if self.outcome is None:
            self._steps, self._return = 0, 0.0
            self._recorder = Recorder(self.env, True, self._segments)
            self._recorder.begin(self._viewed(observation))
        return observation, info

    def step(self, action: Any):
        """As the environment does."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self.outcome is None:
            self._note(observation, float(reward), terminated or truncated, info)
        return observation, reward, terminated, truncated, info

    def _note(self, observation: Observation, reward: float, ended: bool, info: dict[str, Any]) -> None:
        self._steps, self._return = self._steps + 1, self._return + reward
        self._recorder.see(self._steps, self._viewed(observation), ended)
        if ended:
            success, links, states = bool(counted_success(info)), self._recorder.links, self._recorder.states
            self.outcome = Outcome(self._return, success, self._steps, True, links, states)

    def _viewed(self, observation: Observation) -> Observation:
        """What the replay observes here."""
        return observation if self._asked_options is None else self._physics.observed_under(self._asked_options)


def _differing(played: Mapping[str, Any], replayed: Mapping[str, Any]) -> set[str]:
    """Names of the options that are not the same; one that is given here and not there counts."""
    given_once = played.keys() ^ replayed.keys()
    return given_once | {name for name in played.keys() & replayed.keys() if played[name] != replayed[name]}
