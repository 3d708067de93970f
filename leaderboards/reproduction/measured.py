"""Figures that are measured, drawn, and written beside their numbers: generated tasks, and what policies do in them."""

import dataclasses
import io
import json
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from procgen_bench.core.atomic import write_bytes, write_text
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.sweeps.figure_file import Asked, Made, PaperFigure
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.worlds.world import World

DOTS_PER_INCH = 110
_CLAIM_CHARACTERS_PER_INCH = 14
_DIGITS = 6


class KeyNumber(NamedTuple):
    """A number that a figure gives, in words, beside what the paper says of it (empty where it says nothing)."""

    name: str
    ours: str
    paper: str = ""


class Measurement(Protocol):
    """The numbers of a figure: a dataclass, whose fields are written beside the picture."""

    def key_numbers(self) -> list[KeyNumber]:
        """The numbers that matter most."""

    def draw(self) -> Figure:
        """The picture, without its title."""


def reproduce(figure: PaperFigure, asked: Asked) -> Made:
    """Measure and draw a figure: ``figure-N.png`` and ``figure-N.json`` in a folder, which is made.

    Its function takes the number of samples and a random generator, where it samples anything, and the policies, where
    it has some.

    Raises:
        InvalidOptionError: Too few samples, or another number of policies than it takes.
    """
    folder, used = asked.folder, _samples(figure, asked)
    players = _policies(figure, asked.policies)
    measured = [used["samples"], np.random.default_rng(used["seed"])] if used else []
    module, _, function = figure.measure.partition(":")
    measure = getattr(import_extra(module), function)
    measurement: Measurement = measure(*measured, *([players] if players else []))
    folder.mkdir(parents=True, exist_ok=True)
    picture, numbers = folder / f"figure-{figure.number}.png", folder / f"figure-{figure.number}.json"
    write_bytes(picture, _drawn(figure, measurement))
    about = {"figure": figure.number, "title": figure.title, "claim": figure.claim, **used}
    about |= {"policies": players} if players else {}
    key_numbers = {number.name: number.ours for number in measurement.key_numbers()}
    write_text(numbers, json.dumps(about | {"key numbers": key_numbers} | _plain(measurement), allow_nan=False) + "\n")
    files = {"numbers": numbers, "picture": picture}
    return Made(("number", "ours", "the paper's"), measurement.key_numbers(), files)


def waiting(things: Iterable, unit: str) -> Iterable:
    """``things`` in turn, with a progress bar where that takes long."""
    return Progress(things, desc=f"{unit}s", unit=unit, delay=2, leave=False)


def _samples(figure: PaperFigure, asked: Asked) -> dict[str, int]:
    """The samples and the seed that are used; none of them where nothing is sampled."""
    if figure.samples is None:
        return {}
    samples = figure.samples.default if asked.samples is None else asked.samples
    if samples < figure.samples.least:
        expected = f"at least {figure.samples.least} {figure.samples.unit}"
        raise InvalidOptionError(f"samples of figure {figure.number} is {samples}, expected {expected}")
    return {"samples": samples, "seed": asked.seed or 0}


def _policies(figure: PaperFigure, policies: Sequence[str]) -> list[str]:
    """Who plays."""
    players = [kept for source in policies for kept in _kept_policies(source)] or [*figure.policies]
    default = len(figure.policies)
    takes = "one policy" if default == 1 else "two policies or more"
    if len(players) < default or (len(players) > default and default < 2):
        raise InvalidOptionError(f"figure {figure.number} takes {takes}, not {len(players)}")
    return players


def _kept_policies(source: str) -> list[str]:
    """The policies that a folder keeps, the earliest first: a run's, or the best of each generation of a plan.

    Where it keeps none, or is another, the source itself.
    """
    # These take packages that pictures do not.
    from procgen_bench.baselines.policies.folders import KEPT_POLICIES_FOLDER
    from procgen_bench.leaderboards.sweeps.generations import best_policies

    if best := best_policies(Path(source)):
        return best
    kept = [path for path in Path(source, KEPT_POLICIES_FOLDER).glob("*") if path.name.isdecimal()]
    return [str(path) for path in sorted(kept, key=lambda path: int(path.name))] or [source]


def _drawn(figure: PaperFigure, measurement: Measurement) -> bytes:
    picture = measurement.draw()
    picture.suptitle(f"Figure {figure.number}. {figure.title}\n{_wrapped(figure.claim, picture)}", fontsize=9)
    full, content = io.BytesIO(), io.BytesIO()
    picture.savefig(full, format="png", dpi=DOTS_PER_INCH)
    # A palette makes the files a quarter as large. It is one that keeps rare colours, as those of objects are.
    coloured = Image.open(full).convert("RGB")
    reduced = coloured.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    reduced.save(content, "png", optimize=True)
    return content.getvalue()


def _wrapped(claim: str, picture: Figure) -> str:
    """The claim in as few lines as fit the picture, of about one length."""
    text, most = f"Paper: {claim}", int(picture.get_figwidth() * _CLAIM_CHARACTERS_PER_INCH)
    lines = len(textwrap.wrap(text, most))
    return textwrap.fill(text, min(most, len(text) // lines + 8))


def _plain(value: Any) -> Any:
    """``value`` as JSON has it: floats of six digits, none where there is no finite one, worlds and games as text."""
    if isinstance(value, World):
        return value.to_text()
    if isinstance(value, Game):
        return str(value)
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
    return value
