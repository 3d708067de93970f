"""Replaying recorded episodes: what the actions give in the benchmark's tasks, and nothing that the submitter says."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from tqdm import tqdm

from procgen_bench.baselines.rollout import make_task_vector_env
from procgen_bench.benchmark import Benchmark
from procgen_bench.environment_options import make_environment
from procgen_bench.leaderboards.observation_chain import ObservationChain
from procgen_bench.leaderboards.submission import EpisodeTrace
from procgen_bench.leaderboards.worker_processes import finished_jobs

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
    """

    return_: float
    success: bool
    steps: int
    finished: bool
    links: tuple[bytes, ...] = ()


def replay(
    environment_id: str,
    episodes: Sequence[EpisodeTrace],
    progress: str | None = None,
    physics: bool = False,
    options: Mapping[str, Any] | None = None,
    workers: int | None = None,
) -> list[Outcome]:
    """Play recorded actions again, each episode from its task and seed until it ends or its actions run out.

    Args:
        environment_id: A registered environment; replayed in its vector form if it has one.
        episodes: Episodes whose actions lie in the action space.
        progress: Title of a progress bar, shown where it takes longer than two seconds; ``None`` for none.
        physics: Whether outcomes hold their hash chains. Such episodes are long, and a step of physics costs the same
            in every row, even in one whose episode is over: they are replayed one by one.
        options: Arguments of the environment's constructor, by name.
        workers: Number of processes among which episodes that are replayed one by one are divided, where there are more
            than a few; ``None``: this one does all.

    Returns:
        One outcome per episode, in their order.

    Raises:
        InvalidOptionError: The environment does not take these options.
        WorkerError: A worker process died.
    """
    in_rows = not physics and gymnasium.spec(environment_id).vector_entry_point is not None
    size = _ROWS if in_rows else EPISODES_PER_BATCH
    batches = [episodes[start : start + size] for start in range(0, len(episodes), size)]
    if in_rows:
        jobs = [(environment_id, batch, dict(options or {})) for batch in batches]
        results = finished_jobs(_replay_in_rows, jobs, workers=None)
    else:
        jobs = [(environment_id, batch, physics, dict(options or {})) for batch in batches]
        results = finished_jobs(replay_one_by_one, jobs, workers if len(jobs) > 1 else None)
    outcomes: dict[int, list[Outcome]] = {}
    bar = tqdm(desc=progress, total=len(episodes), unit="episode", delay=2, disable=progress is None)
    with bar, closing(results):
        for place, of_batch in results:
            outcomes[place] = of_batch
            bar.update(len(of_batch))
    return [outcome for place in range(len(batches)) for outcome in outcomes[place]]


def replay_for(
    benchmark: Benchmark, episodes: Sequence[EpisodeTrace], progress: str | None = None, workers: int | None = None
) -> list[Outcome]:
    """:func:`replay` as a benchmark wants it."""
    return replay(benchmark.environment_id, episodes, progress, benchmark.physics, benchmark.replay_options, workers)


def replay_one_by_one(
    environment_id: str, episodes: Sequence[EpisodeTrace], chained: bool, options: Mapping[str, Any]
) -> list[Outcome]:
    """Replay episodes in turn in this process; see :func:`replay`."""
    outcomes = []
    with make_environment(environment_id, options) as env:
        for episode in episodes:
            observation, info = env.reset(seed=episode.seed, options={"task": episode.task})
            chain = ObservationChain(observation) if chained else None
            total, steps, ended = 0.0, 0, False
            while steps < len(episode.actions) and not ended:
                observation, reward, terminated, truncated, info = env.step(episode.actions[steps])
                total, steps, ended = total + float(reward), steps + 1, terminated or truncated
                if chain is not None:
                    chain.append(observation)
            links = () if chain is None else chain.links
            outcomes.append(Outcome(total, bool(info["success"]), steps, ended, links))
    return outcomes


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
    env.reset(seed=[episode.seed for episode in episodes], options={"task": [episode.task for episode in episodes]})
    for step in range(len(actions)):
        playing = ~finished & (step < lengths)
        if not playing.any():
            break
        _, rewards, terminations, truncations, infos = env.step(actions[step])
        ended = terminations | truncations
        returns[playing] += rewards[playing]
        successes[playing] = infos["success"][playing]
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
