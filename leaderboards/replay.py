"""Replaying recorded episodes: what the actions give in the benchmark's tasks, and nothing that the submitter says."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import gymnasium
import numpy as np
from tqdm import tqdm

from procgen_bench.baselines.rollout import make_task_vector_env
from procgen_bench.leaderboards.observation_chain import ObservationChain
from procgen_bench.leaderboards.submission import EpisodeTrace

#: Rows of the vector environment that episodes are replayed in.
_ROWS = 1024


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
    environment_id: str, episodes: Sequence[EpisodeTrace], progress: str | None = None, physics: bool = False
) -> list[Outcome]:
    """Play recorded actions again, each episode from its task and seed until it ends or its actions run out.

    Args:
        environment_id: A registered environment; replayed in its vector form if it has one.
        episodes: Episodes whose actions lie in the action space.
        progress: Title of a progress bar, shown where it takes longer than two seconds; ``None`` for none.
        physics: Whether outcomes hold their hash chains. Such episodes are long, and a step of physics costs the same
            in every row, even in one whose episode is over: they are replayed one by one.

    Returns:
        One outcome per episode, in their order.
    """
    if not physics and gymnasium.spec(environment_id).vector_entry_point is not None:
        outcomes = _replay_in_rows(environment_id, episodes)
    else:
        outcomes = _replay_one_by_one(environment_id, episodes, physics)
    if progress is None:
        return list(outcomes)
    return list(tqdm(outcomes, total=len(episodes), desc=progress, unit="episode", delay=2))


def _replay_one_by_one(environment_id: str, episodes: Sequence[EpisodeTrace], chained: bool) -> Iterator[Outcome]:
    with gymnasium.make(environment_id, disable_env_checker=True) as env:
        for episode in episodes:
            observation, info = env.reset(seed=episode.seed, options={"task": episode.task})
            chain = ObservationChain(observation) if chained else None
            total, steps, ended = 0.0, 0, False
            while steps < len(episode.actions) and not ended:
                observation, reward, terminated, truncated, info = env.step(episode.actions[steps])
                total, steps, ended = total + float(reward), steps + 1, terminated or truncated
                if chain is not None:
                    chain.append(observation)
            yield Outcome(total, bool(info["success"]), steps, ended, () if chain is None else chain.links)


def _replay_in_rows(environment_id: str, episodes: Sequence[EpisodeTrace]) -> Iterator[Outcome]:
    for start in range(0, len(episodes), _ROWS):
        batch = episodes[start : start + _ROWS]
        with closing(make_task_vector_env(environment_id, len(batch))) as env:
            yield from _replay_batch(env, batch)


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
