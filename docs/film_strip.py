"""The films at the top of README: six environments, each played by its solver or expert.

``python docs/film_strip.py`` writes ``docs/pictures/strip/NAME.webp``; it needs the extras ``fetch`` and ``mujoco``.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageSequence

OUT = Path(__file__).parent / "pictures" / "strip"
#: Height in pixels: nearly twice what README shows, for sharp screens.
HEIGHT = 180
#: WebP's quality, 0 to 100: the greatest at which all six together have less than 400 kB.
QUALITY = 60


class Film(NamedTuple):
    """One film: its file, who plays what, and every how many steps it shows."""

    name: str
    environment_id: str
    policy: str
    task: str
    every: int
    milliseconds: int


FILMS = (
    Film("grid_world", "GridWorld-v0", "solver", "targets/B", 1, 120),
    Film("point_maze", "SparsePointMaze-v0", "solver", "test/1", 1, 120),
    Film("fetch_blocks", "FetchProgram-v0", "fetch-expert", "groups/stack_all_blocks/0", 2, 100),
    Film("gminiwob", "GMiniWoB-v0", "solver", "payment/2", 1, 500),
    Film("voxel_build", "VoxelBuild-v0", "solver", "test/0", 2, 300),
    Film("xland", "XLandSmall-v0", "xland-scripted", "small/0", 8, 130),
)


def write_film(film: Film, out: Path) -> Path:
    """Play and film an episode, and write it as an animated WebP of :data:`HEIGHT`."""
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.gif"
        what = ["--policy", film.policy, "--env", film.environment_id, "--task", film.task, "--every", str(film.every)]
        subprocess.run([sys.executable, "-m", "procgen_bench.cli", "render", *what, "--out", str(clip)], check=True)
        with Image.open(clip) as opened:
            frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(opened)]
    width = round(frames[0].width * HEIGHT / frames[0].height)
    first, *others = [frame.resize((width, HEIGHT), Image.Resampling.LANCZOS) for frame in frames]
    durations = [film.milliseconds] * len(others) + [1500]
    path = out / f"{film.name}.webp"
    first.save(path, save_all=True, append_images=others, duration=durations, quality=QUALITY, method=6, loop=0)
    return path


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for film in FILMS:
        path = write_film(film, OUT)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
