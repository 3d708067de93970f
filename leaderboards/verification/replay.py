"""Replaying recorded episodes: what the actions give in the benchmark's tasks, and nothing that the submitter says."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import gymnasium
import numpy as np

from procgen_bench.baselines.training.evaluation import make_task_vector_env
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import find_spec
from procgen_bench.core.segments import Segments
from procgen_bench.core.success import counted_success
from procgen_bench.engine.environment_options import make_environment
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.submission.observation_chain import Observation, ObservationChain
from procgen_bench.leaderboards.submission.physics_record import PhysicsRecord
from procgen_bench.leaderboards.submission.submission import EpisodeTrace

#: Rows of the vector environment that episodes are replayed in.
_ROWS = 1024
#: Episodes that are replayed one by one in a go.
EPISODES_PER_BATCH = 10


@dataclass(frozen=True)
class Outcome:
    """What replaying one episode gave.

    Attributes:
        return_: Undiscounted sum of the rewards, added in the order of the steps.
        success: Whether the task was solved.
        steps: Actions that were played, at most those recorded.
        finished: Whether the environment ended the episode.
        links: Hash chain over the observations; empty unless it was asked for.
        states: float64 (states, numbers of one state), of its physics; ``None`` unless they were asked for.
    """

    return_: float
    success: bool
    steps: int
    finished: bool
    links: tuple[bytes, ...] = ()
    states: np.ndarray | None = field(default=None, compare=False)

    def is_same(self, other: "Outcome") -> bool:
        """Whether all of it is what the other's is, states included."""
        own, others = (np.empty((0, 0)) if one.states is None else one.states for one in (self, other))
        return self == other and np.array_equal(own, others)


class Witness(Protocol):
    """Looks on while an episode is played."""

    def begin(self, observation: Observation) -> None:
        """The reset has returned this."""

    def see(self, step: int, observation: Observation, last: bool) -> bool:
        """The step of this number (from 1), which may be the episode's last, has returned this; whether to go on."""


class KeptReplays(Protocol):
    """Keeps what replays gave, batch by batch, so that none is replayed again."""

    def read_replays(self, batch: int) -> list[Outcome] | None:
        """What a batch gave; ``None`` if it has not been replayed."""

    def write_replays(self, batch: int, outcomes: Sequence[Outcome]) -> None:
        """Keep what a batch gave."""


def replay(
    environment_id: str,
    episodes: Sequence[EpisodeTrace],
    progress: str | None = None,
    physics: bool = False,
    options: Mapping[str, Any] | None = None,
    workers: Workers = None,
    segments: Segments | None = None,
    kept: KeptReplays | None = None,
) -> list[Outcome]:
    """Play recorded actions again, each episode from its task and seed until it ends or its actions run out.

    Args:
        environment_id: A registered environment; replayed in its vector form if it has one.
        episodes: Episodes whose actions lie in the action space.
        progress: Title of a progress bar, shown where it takes longer than two seconds; ``None`` for none.
        physics: Whether outcomes hold their hash chains. Such episodes are long, and a step of physics costs the same
            in every row, even in one whose episode is over: they are replayed one by one.
        options: Arguments of the environment's constructor, by name.
        workers: Who replays episodes that are replayed one by one, where there are more than a few.
        segments: When outcomes of physics hold states; ``None``: they hold none.
        kept: Keeps what is replayed one by one, of these very episodes.

    Returns:
        One outcome per episode, in their order.

    Raises:
        InvalidOptionError: The environment does not take these options.
        WorkerDiedError, LostJobError: A worker process died.
    """
    in_rows = not physics and find_spec(environment_id).vector_entry_point is not None
    options = dict(options or {})
    if in_rows:
        return in_batches(_replay_in_rows, environment_id, episodes, _ROWS, (options,), progress, None)
    further = (physics, segments, options)
    return in_batches(replay_one_by_one, environment_id, episodes, EPISODES_PER_BATCH, further, progress, workers, kept)


def in_batches(
    function: Callable[..., list],
    environment_id: str,
    episodes: Sequence[EpisodeTrace],
    size: int,
    further: tuple,
    progress: str | None,
    workers: Workers,
    kept: KeptReplays | None = None,
) -> list:
    """What ``function(environment_id, batch, *further)`` gives for each episode, in their order.

    Args:
        function: Called with so many episodes at a time.
        environment_id, episodes: What is played.
        size: How many.
        further: More arguments.
        progress: See :func:`replay`.
        workers: Who calls, where there is more than one batch.
        kept: What is there of earlier calls is not called for again.
    """
    batches = [episodes[start : start + size] for start in range(0, len(episodes), size)]
    found = {} if kept is None else {place: kept.read_replays(place) for place in range(len(batches))}
    given: dict[int, list] = {place: of_batch for place, of_batch in found.items() if of_batch is not None}
    missing = [place for place in range(len(batches)) if place not in given]
    jobs = [(environment_id, batches[place], *further) for place in missing]
    results = finished_jobs(function, jobs, workers if len(jobs) > 1 else None)
    begun = sum(map(len, given.values()))
    bar = Progress(desc=progress, total=len(episodes), initial=begun, unit="episode", delay=2, disable=progress is None)
    with bar, closing(results):
        for number, of_batch in results:
            if kept is not None:
                kept.write_replays(missing[number], of_batch)
            given[missing[number]] = of_batch
            bar.update(len(of_batch))
    return [one for place in range(len(batches)) for one in given[place]]


def replay_for(
    benchmark: Benchmark,
    episodes: Sequence[EpisodeTrace],
    progress: str | None = None,
    workers: Workers = None,
    kept: KeptReplays | None = None,
) -> list[Outcome]:
    """:func:`replay` under a benchmark's protocol."""
    return replay(
        benchmark.environment_id,
        episodes,
        progress,
        benchmark.physics,
        benchmark.replay_options,
        workers,
        benchmark.segments,
        kept,
    )


def replay_one_by_one(
    environment_id: str,
    episodes: Sequence[EpisodeTrace],
    chained: bool,
    segments: Segments | None,
    options: Mapping[str, Any],
) -> list[Outcome]:
    """Replay episodes in turn in this process; see :func:`replay`."""
    outcomes = []
    with make_environment(environment_id, options) as env:
        for episode in episodes:
            witness = Recorder(env, chained, segments)
            outcome = play_recorded(env, episode, witness)
            outcomes.append(replace(outcome, links=witness.links, states=witness.states))
    return outcomes


def play_recorded(env: gymnasium.Env, episode: EpisodeTrace, witness: Witness) -> Outcome:
    """Play an episode's actions from its task and seed, until it ends, they run out, or the witness has seen enough."""
    observation, info = env.reset(seed=episode.seed, options={"task": episode.task})
    witness.begin(observation)
    total, steps, ended, seen_enough = 0.0, 0, False, False
    while steps < len(episode.actions) and not ended and not seen_enough:
        observation, reward, terminated, truncated, info = env.step(episode.actions[steps])
        total, steps, ended = total + float(reward), steps + 1, terminated or truncated
        seen_enough = not witness.see(steps, observation, steps == len(episode.actions))
    return Outcome(total, bool(counted_success(info)), steps, ended)


class Recorder:
    """A :class:`Witness` that notes what others need to verify an episode.

    Args:
        env: The environment that plays it.
        chained: Whether its hash chain is noted.
        segments: When its states are noted; ``None``: they are not.
    """

    def __init__(self, env: gymnasium.Env, chained: bool, segments: Segments | None):
        self._chained = chained
        self._chain: ObservationChain | None = None
        self._record = None if segments is None else PhysicsRecord(env, segments)

    def begin(self, observation: Observation) -> None:
        """See :class:`Witness`."""
        if self._chained:
            self._chain = ObservationChain(observation)

    def see(self, step: int, observation: Observation, last: bool) -> bool:
        """See :class:`Witness`; goes on always."""
        if self._chain is not None:
            self._chain.append(observation)
        if self._record is not None:
            self._record.after(step, last)
        return True

    @property
    def links(self) -> tuple[bytes, ...]:
        """As :class:`Outcome` has them."""
        return () if self._chain is None else self._chain.links

    @property
    def states(self) -> np.ndarray | None:
        """As :class:`Outcome` has them."""
        return None if self._record is None else self._record.states


def _replay_in_rows(environment_id: str, episodes: Sequence[EpisodeTrace], options: Mapping[str, Any]) -> list[Outcome]:
    with closing(make_task_vector_env(environment_id, len(episodes), options)) as env:
        return _replay_batch(env, episodes)


def _replay_batch(env: gymnasium.vector.VectorEnv, episodes: Sequence[EpisodeTrace]) -> list[Outcome]:
    """One episode per row. A row whose episode is over plays on unseen, since all rows step together."""
    lengths = np.array([len(episode.actions) for episode in episodes])
    actions = _step_major(episodes, lengths)
    returns = np.zeros(len(episodes))
    successes, finished = np.zeros(len(episodes), np.bool_), np.zeros(len(episodes), np.bool_)
    steps = np.zeros(len(episodes), np.int64)
    seeds: Any = [episode.seed for episode in episodes]  # of every row, which Gymnasium's annotation leaves out
    env.reset(seed=seeds, options={"task": [episode.task for episode in episodes]})
    for step in range(len(actions)):
        playing = ~finished & (step < lengths)
        if not playing.any():
            break
        _, rewards, terminations, truncations, infos = env.step(actions[step])
        ended = terminations | truncations
        returns[playing] += rewards[playing]
        successes[playing] = counted_success(infos)[playing]
        steps[playing] += 1
        finished |= playing & ended
        if ended.any():
            env.reset(options={"reset_mask": ended})
    return [
        Outcome(float(returns[row]), bool(successes[row]), int(steps[row]), bool(finished[row]))
        for row in range(len(episodes))
    ]


def _step_major(episodes: Sequence[EpisodeTrace], lengths: np.ndarray) -> np.ndarray:
    """Actions (steps, episodes, ...); where an episode has no more, some action that the space holds."""
    recorded = [episode.actions for episode in episodes if len(episode.actions)]
    if not recorded:
        return np.empty((0, len(episodes)))
    filler = recorded[0][0]
    actions = np.empty((lengths.max(), len(episodes), *filler.shape), recorded[0].dtype)
    actions[:] = filler
    for row, episode in enumerate(episodes):
        actions[: lengths[row], row] = episode.actions
    return actions
