"""The form of a generator of designs as an ONNX file, and what the file tells of itself.

Inputs are ``noise``, float32 (N, 100), normal, and ``uniform``, float64 (N, K), uniform in [0, 1), a number for each
choice: first the number of places where the generator chooses it, then by slot a primitive and, where there is more
than one place, its place. Outputs are int64: ``num_places`` (N,); ``primitives`` (N, slots), 0 for SKIP and k for the
k-th one that the metadata name; and ``places`` (N, slots), from 0 and below ``num_places``. Places are a site's pages
and a grid world's tiles; a room is one place. Choices are made in the file, so nothing else is drawn.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.designs import DesignSpace
from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import ENVIRONMENT, NOISE, TRAINING_STEPS
from procgen_bench.baselines.policies.onnx.sandbox.answers import brief
from procgen_bench.core.errors import ProcgenBenchError

UNIFORM, NUM_PLACES, PRIMITIVES, PLACES = "uniform", "num_places", "primitives", "places"
#: Numbers of the noise that a design begins with.
NOISE_SIZE = 100
_MAX_TEXT, _MAX_DIGITS = 100, 15
#: Stands in the metadata of generators whose sites are without empty pages at the end.
_DROPS_PAGES = "drops_pages"


class InvalidGeneratorError(ProcgenBenchError, ValueError):
    """A run or a file without a generator of designs, or with one of other designs than are asked for."""


@dataclass(frozen=True)
class GeneratorDescription:
    """What the file of a generator tells of itself.

    Attributes:
        benchmark: Id of the benchmark that it was trained for, whose held-out tasks it does not give.
        environment: Id of that benchmark's environment.
        teacher: Name of the teacher that trained it.
        slots: Choices of a design.
        pages: Places that a design has at most: pages of a site, tiles of a grid world, 1 of a room.
        primitives: Names of the primitives, without SKIP.
        training_steps: Environment steps of the run.
        commit: Commit of the checkout that the run began with; ``None``: outside one.
        drops_pages: Whether empty pages at the end of its sites are left out.
    """

    benchmark: str
    environment: str
    teacher: str
    slots: int
    pages: int
    primitives: tuple[str, ...]
    training_steps: int
    commit: str | None = None
    drops_pages: bool = False

    @property
    def metadata(self) -> dict[str, str]:
        """As texts by name."""
        texts = {
            "benchmark": self.benchmark,
            ENVIRONMENT: self.environment,
            "teacher": self.teacher,
            "slots": str(self.slots),
            "pages": str(self.pages),
            PRIMITIVES: json.dumps(self.primitives),
            TRAINING_STEPS: str(self.training_steps),
        }
        further = {"commit": self.commit, _DROPS_PAGES: "true" if self.drops_pages else None}
        return texts | {name: text for name, text in further.items() if text is not None}

    @classmethod
    def read(cls, metadata: Mapping[str, str]) -> "GeneratorDescription":
        """Of a file's metadata, which may say anything.

        Raises:
            InvalidGeneratorError: Something is missing, or not of its kind.
        """
        benchmark, environment, teacher = (_text(metadata, name) for name in ("benchmark", ENVIRONMENT, "teacher"))
        slots, pages, steps = (_number(metadata, name) for name in ("slots", "pages", TRAINING_STEPS))
        commit = _text(metadata, "commit") if "commit" in metadata else None
        drops_pages = _DROPS_PAGES in metadata
        return cls(benchmark, environment, teacher, slots, pages, _names(metadata), steps, commit, drops_pages)


def inputs_of(space: DesignSpace) -> list[Column]:
    """What a generator of a space's designs takes."""
    choices = space.chooses_number + space.slots * (1 + (space.most_places > 1))
    return [Column(NOISE, "float32", (NOISE_SIZE,)), Column(UNIFORM, "float64", (choices,))]


def outputs_of(space: DesignSpace) -> list[Column]:
    """What it gives."""
    slots = (space.slots,)
    return [Column(NUM_PLACES, "int64", ()), Column(PRIMITIVES, "int64", slots), Column(PLACES, "int64", slots)]


def drawn_inputs(columns: Sequence[Column], count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Inputs (N, ...) of so many designs, in the order in which the generator draws them while it is trained."""
    (_, _, (width,)), (_, _, (choices,)) = ((one.name, one.dtype, one.shape) for one in columns)
    noise = rng.standard_normal((count, width), np.float32)
    return [noise, np.ascontiguousarray(rng.random((choices, count)).T)]


def _text(metadata: Mapping[str, str], name: str) -> str:
    value = metadata.get(name, "")
    if not (0 < len(value) <= _MAX_TEXT and value.isprintable()):
        raise InvalidGeneratorError(f"its {name} is {brief(value)!r}, expected 1 to {_MAX_TEXT} characters")
    return value


def _number(metadata: Mapping[str, str], name: str) -> int:
    value = metadata.get(name, "")
    if not (value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS):
        raise InvalidGeneratorError(f"its {name} is {brief(value)!r}, expected a number")
    return int(value)


def _names(metadata: Mapping[str, str]) -> tuple[str, ...]:
    text = metadata.get(PRIMITIVES, "")
    try:
        names: Any = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise InvalidGeneratorError(f"its {PRIMITIVES} are {brief(text)!r}, expected a list of names")
    return tuple(names)
