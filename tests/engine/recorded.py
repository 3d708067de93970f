"""The frames of a whole episode."""

from collections.abc import Iterable
from contextlib import closing

import numpy as np

from procgen_bench.core.task import Task
from procgen_bench.engine.recording import episode_frames, filmed_environment


def record_episode(
    environment_id: str, task: Task | str | None, seed: int | None, actions: Iterable
) -> list[np.ndarray]:
    """All frames of :func:`episode_frames` in a new environment of this id."""
    with closing(filmed_environment(environment_id)) as env:
        return [frame for _, frame in episode_frames(env, task, seed, actions)]
