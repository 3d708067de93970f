"""Replaying recorded episodes: what the actions give in the benchmark's tasks, and nothing that the submitter says."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.baselines.training.evaluation import make_task_vector_env
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import find_spec
from procgen_bench.core.success import counted_success
from procgen_bench.engine.environment_options import make_environment
from procgen_bench.leaderboards.submission.submission import EpisodeTrace

#: Rows of the vector environment that episodes are replayed in.
_ROWS = 1024


@dataclass(frozen=True)
class Outcome:
    """What replaying one episode gave.

    Attributes:
        return_: Undiscounted sum of the rewards, added in the order of the steps.
        success: Whether the task was solved.
        length: Actions that were played, at most those recorded.
        finished: Whether the environment ended the episode.
    """

    return_: float
    success: bool
    length: int
    finished: bool


def replay(benchmark: Benchmark, episodes: Sequence[EpisodeTrace], progress: str | None = None) -> list[Outcome]:
    """Play recorded actions again, each episode from its task and seed until it ends or its actions run out.

    Args:
        benchmark: An exact one; replayed in its environment's vector form if it has one.
        episodes: Episodes whose actions lie in the action space.
        progress: Title of a progress bar, shown where it takes longer than two seconds; ``None`` for none.

    Returns:
        One outcome per episode, in their order.
    """
    environment_id = benchmark.environment_id
    outcomes: list[Outcome] = []
    bar = Progress(desc=progress, total=len(episodes), unit="episode", delay=2, disable=progress is None)
    with bar:
        if find_spec(environment_id).vector_entry_point is None:
            with make_environment(environment_id, {}) as env:
                for episode in episodes:
                    outcomes.append(_replayed(env, episode))
                    bar.update(1)
            return outcomes
        for start in range(0, len(episodes), _ROWS):
            batch = episodes[start : start + _ROWS]
            with closing(make_task_vector_env(environment_id, len(batch), {})) as rows:
                outcomes += _replay_batch(rows, batch)
            bar.update(len(batch))
    return outcomes


def _replayed(env: gymnasium.Env, episode: EpisodeTrace) -> Outcome:
    _, info = env.reset(seed=episode.seed, options={"task": episode.task})
    total, steps, ended = 0.0, 0, False
    while steps < len(episode.actions) and not ended:
        _, reward, terminated, truncated, info = env.step(episode.actions[steps])
        total, steps, ended = total + float(reward), steps + 1, terminated or truncated
    return Outcome(total, bool(counted_success(info)), steps, ended)


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
