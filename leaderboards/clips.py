"""Pictures of an entry's episodes and of a benchmark's tasks: sheets of frames to step through, GIFs, first frames."""

import io
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import gymnasium
import numpy as np
from PIL import Image

from procgen_bench.leaderboards.episodes import PlayedEpisode
from procgen_bench.recording import episode_frames, filmed_environment, write_clip
from procgen_bench.task import Task
from procgen_bench.task_suite import TaskSuite

#: Greatest number of frames of a clip, which bounds a page's size and memory.
_MAX_FRAMES = 101
_PICTURES = 4
_PICTURE_SIDE = 200


@dataclass(frozen=True)
class Clip:
    """An episode that a page shows.

    Attributes:
        title: Why it was chosen.
        episode: The episode.
        sheet: Name of a PNG file: all frames, row by row.
        gif: Name of the same as a GIF.
        steps_shown: The step after which each frame was taken, 0 for the first.
        columns: Frames in a row of the sheet.
        width, height: Size of a frame in pixels.
        fps: Frames to play in a second.
    """

    title: str
    episode: PlayedEpisode
    sheet: str
    gif: str
    steps_shown: tuple[int, ...]
    columns: int
    width: int
    height: int
    fps: float


def choose_episodes(episodes: Sequence[PlayedEpisode]) -> list[tuple[str, PlayedEpisode]]:
    """Episodes worth a look, each with the reason: the first, the longest that was solved, a median one, the worst.

    An episode that plays the same actions in the same task as one before it is shown once, for both reasons.
    """
    by_score = sorted(episodes, key=lambda episode: (episode.score, episode.outcome.return_))
    solved = [episode for episode in episodes if episode.outcome.success]
    chosen = [("first episode", episodes[0])]
    if solved:
        chosen.append(("longest solved", max(solved, key=lambda episode: episode.outcome.steps)))
    chosen += [("median score", by_score[len(by_score) // 2]), ("worst score", by_score[0])]
    reasons: dict[tuple[int, bytes], list[str]] = {}
    shown: dict[tuple[int, bytes], PlayedEpisode] = {}
    for reason, episode in chosen:
        content = (episode.trace.task_index, episode.trace.actions.tobytes())
        shown.setdefault(content, episode)
        reasons.setdefault(content, []).append(reason)
    return [(", ".join(reasons[content]), episode) for content, episode in shown.items()]


def write_clips(environment_id: str, shown: Sequence[tuple[str, PlayedEpisode]], folder: Path) -> list[Clip]:
    """Film the episodes that are worth a look.

    Args:
        environment_id: What they are episodes of.
        shown: The episodes, each with the reason.
        folder: Where ``clip-0.png``, ``clip-0.gif`` ... are written.
    """
    if not shown:
        return []
    with closing(filmed_environment(environment_id)) as env:
        return [
            _write_clip(env, title, episode, folder, f"clip-{number}") for number, (title, episode) in enumerate(shown)
        ]


def write_pictures(environment_id: str, suite: TaskSuite, folder: Path) -> list[tuple[str, str]]:
    """Draw the first states of a few tasks, spread evenly over the suite.

    Returns:
        (name of the task, name of a PNG file in ``folder``) of each.
    """
    chosen = np.unique(np.linspace(0, len(suite) - 1, _PICTURES).round().astype(int))
    pictures = _pictures(environment_id, tuple(suite.tasks[index] for index in chosen))
    names = [f"task-{number}.png" for number in range(len(pictures))]
    for name, picture in zip(names, pictures):
        (folder / name).write_bytes(picture)
    return [(suite.task_names[index], name) for index, name in zip(chosen, names)]


@lru_cache(maxsize=64)
def _pictures(environment_id: str, tasks: tuple[Task, ...]) -> tuple[bytes, ...]:
    """PNG files of the first states of tasks; kept, for a site that is written again."""
    pictures = []
    with closing(filmed_environment(environment_id)) as env:
        for task in tasks:
            (frame,), picture = _filmed(env, task, 0, [], _PICTURE_SIDE), io.BytesIO()
            frame.save(picture, "png", optimize=True)
            pictures.append(picture.getvalue())
    return tuple(pictures)


def _write_clip(env: gymnasium.Env, title: str, episode: PlayedEpisode, folder: Path, name: str) -> Clip:
    trace = episode.trace
    last = len(trace.actions)
    kept = np.unique(np.linspace(0, last, min(last + 1, _MAX_FRAMES)).round().astype(int)).tolist()
    side = env.unwrapped.film_side
    frames = _filmed(env, trace.task, trace.seed, trace.actions, side, frozenset(kept))
    columns = int(np.ceil(np.sqrt(len(frames))))
    width, height = frames[0].size
    sheet = Image.new("RGB", (columns * width, -(-len(frames) // columns) * height))
    for index, frame in enumerate(frames):
        sheet.paste(frame, (index % columns * width, index // columns * height))
    if sheet.getcolors(256):
        sheet = sheet.quantize(256)  # exact, and half the size
    sheet.save(folder / f"{name}.png")
    fps = env.metadata["render_fps"]
    write_clip((np.asarray(frame) for frame in frames), folder / f"{name}.gif", fps)
    return Clip(title, episode, f"{name}.png", f"{name}.gif", tuple(kept), columns, width, height, fps)


def _filmed(
    env: gymnasium.Env, task, seed: int, actions: Iterable, side: int, steps: frozenset[int] | None = None
) -> list[Image.Image]:
    """The episode's frames at these steps, at most ``side`` pixels wide and high."""
    frames = [Image.fromarray(frame) for frame in episode_frames(env, task, seed, actions, steps)]
    for frame in frames:
        frame.thumbnail((side, side), Image.Resampling.LANCZOS)
    return frames
