"""Recording: an episode's frames from its actions, and a clip from frames."""

import os
import subprocess
import tempfile
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from itertools import chain, pairwise
from os import PathLike
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from procgen_bench.core.atomic import naming_path
from procgen_bench.core.errors import InvalidOptionError, UnwritablePathError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.paths import check_file
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.task import Task
from procgen_bench.engine.task_env import TaskEnv

if TYPE_CHECKING:
    from PIL.Image import Image

#: A GIF, which plays in a loop, shows its last frame this much longer.
_LAST_FRAME_MILLISECONDS = 1000
_GIF_COLOURS = 256
#: x264's constant rate factor, 0 (lossless) to 51; low, because flat colours show every artefact.
_MP4_RATE_FACTOR = 10


def filmed_environment(environment_id: str) -> gymnasium.Env:
    """The environment as films show it, with the render mode ``rgb_array``."""
    options = environment_type(environment_id).film_options()
    return gymnasium.make(environment_id, render_mode="rgb_array", **options)


def episode_frames(
    env: gymnasium.Env,
    task: Task | str | None,
    seed: int | None,
    actions: Iterable,
    steps: Container[int] | None = None,
    most_per_step: int | None = None,
) -> Iterator[tuple[int, np.ndarray]]:
    """Frames, uint8 (height, width, 3), of the episode that ``actions`` play, each with its step; 0: the first state.

    A step has one frame, or more where the family shows what happens in it (:meth:`TaskEnv.frames_of_step`).

    Args:
        env: An environment of :func:`filmed_environment`.
        task: A task, or the name of one; ``None``: the one that ``seed`` draws.
        seed: Seed of the reset.
        actions: Members of the action space, at most until the episode ends.
        steps: The steps that are wanted; ``None``: all.
        most_per_step: At most so many frames of a step; ``None``: enough for a smooth film.

    Returns:
        Frames, uint8 (height, width, 3).

    Raises:
        InvalidActionError: An action outside the action space.
        ResetNeededError: More actions than the episode lasts.
    """
    family = env.unwrapped
    assert isinstance(family, TaskEnv)  # as whatever is registered
    env.reset(seed=seed, options=None if task is None else {"task": task})
    if steps is None or 0 in steps:
        yield 0, next(family.frames_of_step())
    for step, action in enumerate(actions, start=1):
        env.step(action)
        if steps is None or step in steps:
            for frame in family.frames_of_step(most_per_step):
                yield step, frame


class RecordWholeSteps(gymnasium.wrappers.RecordVideo):
    """Gymnasium's recorder, which takes a picture after every step, with all frames of the step instead."""

    def _capture_frame(self) -> None:
        family = self.env.unwrapped
        assert isinstance(family, TaskEnv)  # others are recorded by Gymnasium's own
        self.recorded_frames += family.frames_of_step()


def write_clip(frames: Iterable[np.ndarray], path: str | PathLike, fps: float) -> None:
    """Write ``frames`` as a moving picture; a file that is there is replaced only by a whole one.

    Args:
        frames: At least one frame, uint8 (height, width, 3), all of one size.
        path: Ends in ``.gif`` (loops; exact colours as long as a frame has at most 256) or ``.mp4`` (H.264; an odd
            height or width is scaled to the next even one).
        fps: Frames per second, above 0. GIF counts in hundredths of a second and knows at most 50.

    Raises:
        InvalidOptionError: Another suffix, or an ``fps`` that is not above 0.
        UnwritablePathError: No file can be written there.
        MissingExtraError: MP4 takes the extra ``film``, which is not installed.
    """
    path = check_clip_path(path)
    if not 0 < fps < float("inf"):
        raise InvalidOptionError(f"fps is {fps!r}, expected a number above 0")
    with naming_path(path), tempfile.TemporaryDirectory(dir=path.parent, prefix=".clip-") as folder:
        unfinished = Path(folder) / path.name
        _WRITERS[path.suffix.lower()](frames, unfinished, fps)
        os.replace(unfinished, path)


def check_clip_path(path: str | PathLike) -> Path:
    """``path``, if :func:`write_clip` can write there; for callers that want to know before a long recording.

    Raises:
        InvalidOptionError: Its suffix is neither ``.gif`` nor ``.mp4``.
        UnwritablePathError: No file can be written there.
        MissingExtraError: MP4 takes the extra ``film``, which is not installed.
    """
    path = Path(path)
    if path.suffix.lower() not in _WRITERS:
        raise InvalidOptionError(f"the clip's path is {str(path)!r}, expected one that ends in {' or '.join(_WRITERS)}")
    check_file(path)
    if path.suffix.lower() == ".mp4":
        import_extra("imageio_ffmpeg")
    return path


def _write_gif(frames: Iterable[np.ndarray], path: Path, fps: float) -> None:
    images = _timed_images(frames, max(20, round(1000 / fps)))
    next(images).save(path, save_all=True, append_images=images, loop=0)


def _timed_images(frames: Iterable[np.ndarray], milliseconds: int) -> Iterator["Image"]:
    """Pillow's images, each with its time, one by one: Pillow keeps of each but what has changed.

    Of more colours than a GIF has, those are kept that together are near to all. Pillow's own choice goes by how many
    pixels have a colour: small things would be drawn in that of their surroundings.
    """
    from PIL.Image import Quantize, fromarray

    # Behind the last frame there is none.
    for frame, following in pairwise(chain[Any](frames, [None])):
        image = fromarray(frame)
        if not image.getcolors(_GIF_COLOURS):
            image = image.quantize(_GIF_COLOURS, Quantize.MAXCOVERAGE)
        image.info["duration"] = _LAST_FRAME_MILLISECONDS if following is None else milliseconds
        yield image


def _write_mp4(frames: Iterable[np.ndarray], path: Path, fps: float) -> None:
    remaining = iter(frames)
    first = next(remaining)
    height, width, _ = first.shape
    even = f"scale={width + width % 2}:{height + height % 2}"
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:.9g}", "-i", "-"]
    film = ["-vf", even, "-c:v", "libx264", "-crf", str(_MP4_RATE_FACTOR), "-pix_fmt", "yuv420p", str(path)]
    # Not by imageio's own writer, which does not notice that ffmpeg failed.
    command = [import_extra("imageio_ffmpeg").get_ffmpeg_exe(), "-v", "error", *source, *film]
    # A file that grows too large is then an error that ffmpeg names, as here, and not its end by a signal.
    with subprocess.Popen(command, stdin=PIPE, stderr=PIPE, restore_signals=False) as ffmpeg:
        assert ffmpeg.stdin is not None and ffmpeg.stderr is not None
        with suppress(BrokenPipeError), ffmpeg.stdin as pipe:  # it has ended, and says why
            for frame in chain([first], remaining):
                pipe.write(np.ascontiguousarray(frame).data)
        said = ffmpeg.stderr.read().decode(errors="replace").split()
    if ffmpeg.returncode:
        raise UnwritablePathError(f"{path.name} cannot be written: {' '.join(said) or 'ffmpeg failed'}")


_WRITERS = {".gif": _write_gif, ".mp4": _write_mp4}
