"""Films of entries' episodes: sheets of frames to step through. And pictures of a benchmark's tasks."""

import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import gymnasium
import numpy as np
from PIL import Image

from procgen_bench.core.errors import MissingExtraError, NoRendererError, ProcgenBenchError, ResetNeededError
from procgen_bench.core.task import Task
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.engine.recording import episode_frames, filmed_environment
from procgen_bench.engine.task_env import TaskEnv
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.site.replays import ChosenEpisode, choose_episodes

#: Greatest number of frames of a clip, which bounds a page's size and memory.
_MAX_FRAMES = 61
#: Sheets of more colours than a palette has are compressed with losses, of this quality of 100.
_PALETTE, _QUALITY = 256, 80
_PICTURES = 4
_PICTURE_SIDE = 200


@dataclass(frozen=True)
class Clip:
    """An episode that a page shows; plain values alone, which the site keeps for when it is written again.

    Attributes:
        reason: Why it was chosen.
        task: The task's name.
        run: Index of the run.
        steps: Length of the episode.
        score: What it scores.
        sheet: Name of a picture: all frames, row by row.
        steps_shown: The step after which each frame was taken, 0 for the first.
        columns: Frames in a row of the sheet.
        width, height: Size of a frame in pixels.
        fps: Frames to play in a second.
    """

    reason: str
    task: str
    run: int
    steps: int
    score: float
    sheet: str
    steps_shown: tuple[int, ...]
    columns: int
    width: int
    height: int
    fps: float


@dataclass(frozen=True)
class Film:
    """What is shown of an entry: its clips and their files' content by name, or in words why there are none."""

    clips: tuple[Clip, ...]
    files: dict[str, bytes]
    absence: str | None = None

    def description(self) -> dict:
        """All but the files, as JSON has it."""
        return {"clips": [asdict(clip) for clip in self.clips], "absence": self.absence}


def film_entries(entries: Sequence[Entry]) -> list[Film]:
    """Film the episodes worth a look of each entry; all are of one benchmark.

    An entry that cannot be filmed here has no clips: that is said, and nothing else depends on it.
    """
    chosen = [_chosen(entry) for entry in entries]
    absent = [of_entry for of_entry in chosen if isinstance(of_entry, Film)]
    if len(absent) == len(chosen):  # nothing needs an environment, which can be a simulator or a browser
        return absent
    try:
        env = filmed_environment(entries[0].benchmark.environment_id)
    except (MissingExtraError, NoRendererError) as error:
        unfilmed = Film((), {}, str(error))
        return [of_entry if isinstance(of_entry, Film) else unfilmed for of_entry in chosen]
    with closing(env):
        return [of_entry if isinstance(of_entry, Film) else _filmed(env, of_entry) for of_entry in chosen]


def _chosen(entry: Entry) -> list[ChosenEpisode] | Film:
    """The episodes that are shown of an entry; a film without any where they cannot be played here."""
    try:
        return choose_episodes(entry)
    except ProcgenBenchError as error:
        return Film((), {}, str(error))


def _filmed(env: gymnasium.Env, episodes: Sequence[ChosenEpisode]) -> Film:
    try:
        filmed = [_film(env, episode, f"clip-{number}") for number, episode in enumerate(episodes)]
    except ResetNeededError:
        return Film((), {}, "the episodes end differently on the machine that wrote this page")
    return Film(tuple(clip for clip, _ in filmed), {clip.sheet: sheet for clip, sheet in filmed})


def write_pictures(environment_id: str, suite: TaskSuite, folder: Path) -> list[tuple[str, str]]:
    """Draw the first states of a few tasks, spread evenly over the suite.

    Returns:
        (name of the task, name of a PNG file in ``folder``) of each; none where the environment's package is missing.
    """
    chosen = np.unique(np.linspace(0, len(suite) - 1, _PICTURES).round().astype(int))
    try:
        pictures = _pictures(environment_id, tuple(suite.tasks[index] for index in chosen))
    except (MissingExtraError, NoRendererError):
        return []
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
            ((_, frame),), picture = list(episode_frames(env, task, 0, ())), io.BytesIO()
            _small(frame, _PICTURE_SIDE).save(picture, "png", optimize=True)
            pictures.append(picture.getvalue())
    return tuple(pictures)


def _film(env: gymnasium.Env, episode: ChosenEpisode, name: str) -> tuple[Clip, bytes]:
    """The clip of an episode, and its sheet."""
    trace, family = episode.trace, env.unwrapped
    assert isinstance(family, TaskEnv)  # as whatever is scored
    last = len(trace.actions)
    shown = np.unique(np.linspace(0, last, min(last + 1, _MAX_FRAMES)).round().astype(int)).tolist()
    most_per_step = max(1, (_MAX_FRAMES - 1) // max(1, last))
    filmed = episode_frames(env, trace.task, trace.seed, trace.actions, frozenset(shown), most_per_step)
    steps_shown, frames = zip(*((step, _small(frame, family.film_side)) for step, frame in filmed))
    columns = int(np.ceil(np.sqrt(len(frames))))
    sheet, suffix = _encoded(_sheet(frames, columns))
    clip = Clip(
        reason=episode.reason,
        task=trace.task_name,
        run=episode.run,
        steps=last,
        score=trace.claimed_score,
        sheet=f"{name}.{suffix}",
        steps_shown=steps_shown,
        columns=columns,
        width=frames[0].width,
        height=frames[0].height,
        fps=env.metadata["render_fps"],
    )
    return clip, sheet


def _sheet(frames: Sequence[Image.Image], columns: int) -> Image.Image:
    width, height = frames[0].size
    sheet = Image.new("RGB", (columns * width, -(-len(frames) // columns) * height))
    for index, frame in enumerate(frames):
        sheet.paste(frame, (index % columns * width, index // columns * height))
    return sheet


def _encoded(sheet: Image.Image) -> tuple[bytes, str]:
    """The file's content and suffix: PNG, exact, where colours are few; else WebP, of a third of its size."""
    content = io.BytesIO()
    if sheet.getcolors(_PALETTE):
        sheet.quantize(_PALETTE).save(content, "png")
        return content.getvalue(), "png"
    sheet.save(content, "webp", quality=_QUALITY, method=2)
    return content.getvalue(), "webp"


def _small(frame: np.ndarray, side: int) -> Image.Image:
    """The frame, at most ``side`` pixels wide and high."""
    image = Image.fromarray(frame)
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    return image
