"""Exporting: from the checkpoint of a run under a teacher with a generator of designs to the bytes of an ONNX file.

The file is checked: from equal inputs it makes the same designs as the network. The unrolled graph is written operator
by operator, which is immediate; torch's exporter took 90 s for two choices.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch

from procgen_bench.baselines.curricula.design_spaces import design_space
from procgen_bench.baselines.curricula.designs import DesignSpace
from procgen_bench.baselines.papers.code.design_generator import DesignGenerator
from procgen_bench.baselines.papers.code.design_settings import CoDEConfiguration
from procgen_bench.baselines.papers.code.generator_file import (
    GeneratorDescription,
    InvalidGeneratorError,
    drawn_inputs,
    inputs_of,
    outputs_of,
)
from procgen_bench.baselines.papers.code.generator_graph import generator_model
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.onnx.sandbox.loaded_model import LoadedModel
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.run_folder import CHECKPOINT_FOLDERS, DamagedRunError, RunFolder, read_config
from procgen_bench.baselines.training.teacher_table import TEACHERS
from procgen_bench.core.benchmarks import get_benchmark

#: Designs that are compared, and how many of them may differ: a number at the very edge of a choice may be rounded to
#: the other side, as in 2 of 10,000 designs of twelve choices.
_COMPARED, _ROUNDED = 128, 2


def export_run(folder: Path) -> bytes:
    """The ONNX file of the generator in a run's newest checkpoint; the same checkpoint gives the same bytes.

    Raises:
        InvalidGeneratorError: The folder holds no run with a generator.
        DamagedRunError: What is there cannot be read.
    """
    config = read_config(folder)
    if config is None:
        raise InvalidGeneratorError(f"{folder} holds no run, expected the folder that `procgen-bench train` wrote")
    settings = config["settings"]
    configuration = _teacher_settings(folder, settings["configuration"])
    benchmark = get_benchmark(settings["benchmark"])
    run = RunFolder(folder, settings["method"], benchmark, None, settings["seed"], settings["steps"])
    checkpoint = run.read_checkpoint()
    if checkpoint is None:
        raise InvalidGeneratorError(f"the run in {folder} has no checkpoint yet, and the generator is kept there")
    arrays, values = checkpoint
    arrays = below(arrays, "teacher")
    if settings["configuration"].get("target_share"):
        arrays = below(arrays, "teacher")  # it proposed its levels beside targets
    levels = LevelSource(benchmark, solvable=True)
    space = design_space(
        benchmark.environment_id,
        levels.task_space,
        configuration.slots,
        configuration.most_pages,
        configuration.drops_pages,
    )
    description = GeneratorDescription(
        benchmark.id,
        benchmark.environment_id,
        configuration.objective,  # a name of the teacher, too
        space.slots,
        space.most_places,
        space.primitives,
        values["rows"]["steps"],
        config["provenance"]["commit"],
        space.drops_pages,
    )
    return export_generator(_generator(folder, space, below(arrays, "generator")), space, description)


def export_generator(generator: DesignGenerator, space: DesignSpace, description: GeneratorDescription) -> bytes:
    """The ONNX file of a generator of a space's designs.

    Raises:
        InvalidGeneratorError: The file makes other designs than the network.
    """
    model = generator_model(generator, inputs_of(space), outputs_of(space))
    onnx.helper.set_model_props(model, dict(sorted(description.metadata.items())))
    onnx.checker.check_model(model, full_check=True)
    file = model.SerializeToString(deterministic=True)
    check_alike(file, generator, space)
    return file


def check_alike(file: bytes, generator: DesignGenerator, space: DesignSpace) -> None:
    """Raise :class:`InvalidGeneratorError` unless a file makes the designs of a network from equal inputs."""
    model, expected = LoadedModel(file), generator.draw(_COMPARED, np.random.default_rng(0))
    given = drawn_inputs(inputs_of(space), _COMPARED, np.random.default_rng(0))
    numbers, *chosen = model.act(np.ones(_COMPARED, np.bool_), given, outputs_of(space))
    wanted = (expected.numbers + 1, expected.primitives, expected.places)
    pairs = zip((numbers, *chosen), wanted, strict=True)
    equal = np.all([(found == own).reshape(_COMPARED, -1).all(axis=1) for found, own in pairs], axis=0)
    if equal.sum() < _COMPARED - _ROUNDED:
        raise InvalidGeneratorError(
            f"{_COMPARED - equal.sum()} of {_COMPARED} designs of the file are not the network's"
        )


def _teacher_settings(folder: Path, configuration: dict[str, Any]) -> CoDEConfiguration:
    """The settings of a run's teacher; code that the run names is not imported."""
    name = str(configuration.get("teacher"))
    settings = TEACHERS[name].configured(configuration.get("teacher_options", "")) if name in TEACHERS else None
    if not isinstance(settings, CoDEConfiguration):
        beside = f"{CoDEConfiguration.__module__}:{CoDEConfiguration.__name__}"
        ours = [entry.name for entry in TEACHERS.values() if entry.configuration == beside]
        raise InvalidGeneratorError(
            f"the run in {folder} has the teacher {name!r}, expected one with a generator: {', '.join(ours)}"
        )
    return settings


def _generator(folder: Path, space: DesignSpace, weights: Arrays) -> DesignGenerator:
    generator = DesignGenerator(
        len(space.primitives), space.most_places, space.chooses_number, space.slots, np.random.default_rng(0)
    )
    try:
        generator.load_state_dict({name: torch.as_tensor(array) for name, array in weights.items()})
    except RuntimeError as error:
        raise DamagedRunError(folder / CHECKPOINT_FOLDERS[0], error, folder) from error
    return generator
