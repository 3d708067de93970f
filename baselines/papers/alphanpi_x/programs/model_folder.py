"""A self-model as it is kept: model.json and weights.safetensors in a folder; files from outside are checked first."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file

from procgen_bench.baselines.papers.alphanpi_x.programs.self_model import SelfModel
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.folders import regular_file
from procgen_bench.core.atomic import write_text, write_weights
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.tasks.programs import ProgramLibrary

#: The file whose presence says that the model is whole.
DESCRIPTION = "model.json"
_WEIGHTS = "weights.safetensors"
_MAX_DESCRIPTION_BYTES, _MAX_WEIGHTS_BYTES, _MAX_WIDTH = 64 * 1024, 1024**3, 4_096


class InvalidModelError(ProcgenBenchError):
    """A self-model that cannot be read, or is for another number of blocks."""


@dataclass(frozen=True)
class LearnedModel:
    """A self-model, and what it was learned from.

    Attributes:
        model: Says what calls bring about.
        starts: float64 (K, 15 N + 10), states in which calls began that went on from no other.
        loss: One of ``LOSSES``.
        calls: How many calls were recorded.
        held_out_loss: On those that were held out.
        atomic: Whose calls they were: a description, as :func:`.described_atomic` gives it.
    """

    model: SelfModel
    starts: np.ndarray
    loss: str
    calls: int
    held_out_loss: float
    atomic: dict[str, Any]

    def write(self, folder: Path) -> None:
        """Write it to a folder, which is made; the description, by which it is recognised, comes last."""
        folder.mkdir(parents=True, exist_ok=True)
        write_weights(folder / _WEIGHTS, self.arrays())
        write_text(folder / DESCRIPTION, json.dumps(self.description(), indent=2, sort_keys=True) + "\n")

    def arrays(self) -> Arrays:
        """The network's weights, and the starts."""
        return {f"network.{name}": array for name, array in network_arrays(self.model).items()} | {
            "starts": self.starts
        }

    def description(self) -> dict[str, Any]:
        """Plain values from which :func:`unpacked_model` builds it again."""
        plain = asdict(_Description(self.model.num_blocks, self.model.width, self.loss, self.calls, self.held_out_loss))
        return plain | {"atomic": self.atomic}


@dataclass(frozen=True)
class _Description:
    num_blocks: int
    width: int
    loss: str
    calls: int
    held_out_loss: float


def read_model(folder: Path, library: ProgramLibrary) -> LearnedModel:
    """The self-model that a folder holds, for the programs of a library of as many blocks.

    Raises:
        InvalidModelError: It cannot be read, or is for another number of blocks.
    """
    try:
        description = json.loads(regular_file(folder / DESCRIPTION, _MAX_DESCRIPTION_BYTES).read_text("utf-8"))
        arrays = load_file(regular_file(folder / _WEIGHTS, _MAX_WEIGHTS_BYTES))
    except (OSError, ValueError, RecursionError, MemoryError, SafetensorError, ProcgenBenchError) as error:
        raise InvalidModelError(f"{folder} is not the folder of a self-model: {error}") from None
    return unpacked_model(str(folder), description, arrays, library)


def unpacked_model(what: str, description: Any, arrays: Arrays, library: ProgramLibrary) -> LearnedModel:
    """The self-model of a description and arrays.

    Args:
        what: Names it in errors.
        description, arrays: As :class:`LearnedModel` gave them.
        library: The programs that it is to be used for.

    Raises:
        InvalidModelError: They do not fit each other, or it is for another number of blocks.
    """
    if not isinstance(description, dict):
        raise InvalidModelError(f"{what}: the description is {type(description).__name__}, expected an object")
    kinds = {"num_blocks": int, "width": int, "loss": str, "calls": int, "held_out_loss": float, "atomic": dict}
    for name, kind in kinds.items():
        if not isinstance(description.get(name), kind):
            raise InvalidModelError(f"{what}: {name} is {description.get(name)!r}, expected a {kind.__name__}")
    blocks, width = description["num_blocks"], description["width"]
    if blocks != library.num_blocks:
        raise InvalidModelError(f"{what} is for {blocks} blocks, expected one for the library's {library.num_blocks}")
    if not 1 <= width <= _MAX_WIDTH:
        raise InvalidModelError(f"{what}: width is {width}, expected 1 to {_MAX_WIDTH}")
    model, starts = SelfModel(library, width), arrays.get("starts", np.zeros(0))
    if starts.dtype != np.float64 or starts.ndim != 2 or starts.shape[1] != library.state_size or not len(starts):
        raise InvalidModelError(f"{what}: starts are {starts.dtype} {starts.shape}, expected states as float64 (K, S)")
    try:
        model.load_state_dict({name: torch.as_tensor(array) for name, array in below(arrays, "network").items()})
    except RuntimeError as error:
        raise InvalidModelError(f"{what}: its weights do not fit: {' '.join(str(error).split())}") from None
    return LearnedModel(model, starts, *(description[name] for name in ("loss", "calls", "held_out_loss", "atomic")))
