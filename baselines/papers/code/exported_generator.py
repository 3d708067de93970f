"""ExportedGenerator: designs and tasks of a generator's ONNX file, which is run without being trusted."""

import math
from os import PathLike
from types import TracebackType
from typing import Self

import numpy as np

from procgen_bench.baselines.curricula.design_spaces import design_space
from procgen_bench.baselines.curricula.designs import Design, DesignSpace
from procgen_bench.baselines.papers.code.generator_file import (
    GeneratorDescription,
    InvalidGeneratorError,
    drawn_inputs,
    inputs_of,
    outputs_of,
)
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.policy import read_policy_file
from procgen_bench.baselines.policies.onnx.sandbox.process import ModelProcess
from procgen_bench.baselines.policies.onnx.sandbox.signature import read_columns, read_texts
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidPolicyError, PolicyStoppedError, UnknownNameError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.design import MAX_PAGES

#: Designs in a row that may be without a task.
_TRIES = 1_000
#: Designs that are drawn together at least: of some generators few have a task.
_LEAST_DRAWN = 32


class ExportedGenerator:
    """Draws designs by a :class:`~.ModelProcess`, and checks each. To be closed, or used as a context manager.

    Args:
        process: The process, which belongs to the generator from now on.
        benchmark_id: Whose tasks to give; ``None``: those of the benchmark that the file names.
        solvable: Whether to give no task that a glance shows to be unsolvable, as in training.

    Attributes:
        description: What the file tells of itself.
        levels: Says which tasks may be given.
        space: The designs.

    Raises:
        InvalidGeneratorError: The model is no generator of designs, or not one of the benchmark's.
        UnknownNameError: There is no such benchmark.
    """

    def __init__(self, process: ModelProcess, benchmark_id: str | None = None, solvable: bool = True):
        self._process = process
        described = process.description if isinstance(process.description, dict) else {}
        try:
            self.description = GeneratorDescription.read(read_texts(described.get("metadata"), "metadata"))
            inputs, outputs = read_columns(described.get("inputs")), read_texts(described.get("outputs"), "outputs")
        except InvalidPolicyError as error:
            raise InvalidGeneratorError(str(error)) from None
        self.levels, self.space = self._space(benchmark_id, solvable)
        self._inputs, self._outputs = inputs_of(self.space), outputs_of(self.space)
        if inputs != self._inputs or outputs != {column.name: column.dtype for column in self._outputs}:
            found = ", ".join(f"{column.name!r} {column}" for column in inputs) or "none"
            expected = ", ".join(f"{column.name!r} {column}" for column in self._inputs)
            raise InvalidGeneratorError(
                f"its inputs are {found[:300]} and its outputs {', '.join(outputs)[:300]}; expected {expected}, and "
                f"{', '.join(column.name for column in self._outputs)}, all int64"
            )
        process.agree(self._outputs)

    @classmethod
    def from_bytes(
        cls,
        file: bytes,
        benchmark_id: str | None = None,
        solvable: bool = True,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> Self:
        """The generator that the bytes of an ONNX file hold; see the class, and :func:`load_generator`."""
        try:
            process = ModelProcess(file, limits)
        except (InvalidPolicyError, PolicyStoppedError) as error:
            raise InvalidGeneratorError(str(error)) from None
        try:
            return cls(process, benchmark_id, solvable)
        except BaseException:
            process.close()
            raise

    def designs(self, rng: np.random.Generator, count: int) -> list[Design]:
        """So many designs as the generator draws them, held-out ones and such with nothing to do among them.

        Raises:
            InvalidGeneratorError: The file fails, or gives anything else; it is over then.
        """
        if count == 0:
            return []
        given = drawn_inputs(self._inputs, count, rng)
        sizes = [count * math.prod(column.shape) * np.dtype(column.dtype).itemsize for column in self._outputs]
        try:
            answer = self._process.act(np.ones(count, np.bool_), given, sum(sizes))
        except PolicyStoppedError as error:
            raise InvalidGeneratorError(f"the generator fails: {error}") from None
        parts = np.split(np.frombuffer(answer, np.int64), np.cumsum(sizes[:-1]) // np.dtype(np.int64).itemsize)
        numbers, primitives, places = (
            part.reshape(count, *column.shape) for part, column in zip(parts, self._outputs, strict=True)
        )
        least = 1 if self.space.chooses_number else self.space.most_places
        self._check("num_places", numbers, least, np.array(self.space.most_places))
        self._check("primitives", primitives, 0, np.array(len(self.space.primitives)))
        self._check("places", places, 0, numbers[:, None] - 1)
        return [Design(int(number), *chosen) for number, *chosen in zip(numbers, primitives, places)]

    def tasks(self, rng: np.random.Generator, count: int) -> list[Task]:
        """So many tasks, each of another design; what a design leaves open is drawn.

        Designs that are held out, or have nothing to do, are drawn again, as in training.

        Raises:
            InvalidGeneratorError: The file fails, gives anything else, or no design of very many has a task.
        """
        tasks: list[Task] = []
        failed = 0
        while len(tasks) < count:
            designs = self.designs(rng, max(count - len(tasks), _LEAST_DRAWN))
            found = [task for design in designs if (task := self._task(design, rng)) is not None]
            tasks += found
            failed = 0 if found else failed + len(designs)
            if failed >= _TRIES:
                raise InvalidGeneratorError(f"none of {failed} designs of the generator has a task that may be given")
        return tasks[:count]

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _space(self, benchmark_id: str | None, solvable: bool) -> tuple[LevelSource, DesignSpace]:
        """The levels of the benchmark, and its designs, which must be those of the file."""
        known = self.description
        try:
            benchmark = get_benchmark(known.benchmark if benchmark_id is None else benchmark_id)
        except UnknownNameError:
            if benchmark_id is not None:
                raise
            raise InvalidGeneratorError(
                f"it is of the benchmark {known.benchmark!r}, which is not known here; give one of {known.environment}"
            ) from None
        if benchmark.environment_id != known.environment:
            raise InvalidGeneratorError(
                f"it designs tasks of {known.environment}, expected {benchmark.environment_id}, as of {benchmark.id}"
            )
        levels = LevelSource(benchmark, solvable)
        whole = design_space(benchmark.environment_id, levels.task_space, 1, MAX_PAGES)
        for name, value, most in (("slots", known.slots, whole.most_slots), ("pages", known.pages, whole.most_places)):
            if not 1 <= value <= most:
                raise InvalidGeneratorError(f"its {name} are {value}, expected 1 to {most} in {known.environment}")
        if known.primitives != whole.primitives:
            raise InvalidGeneratorError(
                f"its {len(known.primitives)} primitives are not the {len(whole.primitives)} of {benchmark.id}"
            )
        pages = known.pages if whole.chooses_number else MAX_PAGES
        drops_pages = known.drops_pages and whole.chooses_number
        return levels, design_space(benchmark.environment_id, levels.task_space, known.slots, pages, drops_pages)

    def _check(self, name: str, found: np.ndarray, least: int, most: np.ndarray) -> None:
        wrong = found[(found < least) | (found > most)]
        if wrong.size:
            self.close()
            raise InvalidGeneratorError(
                f"the generator gives {name} of {wrong.flat[0]}, expected {least} to {most.max()}; the file is no good"
            )

    def _task(self, design: Design, rng: np.random.Generator) -> Task | None:
        """A task of a design; ``None``: it is held out, or has nothing to do."""
        if not self.space.is_task(design):
            return None
        (task,) = self.space.tasks(design, 1, rng)
        return task if self.levels.admits(task) else None


def load_generator(
    path: str | PathLike,
    benchmark_id: str | None = None,
    solvable: bool = True,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> ExportedGenerator:
    """The generator of a file that ``procgen-bench export RUN --generator`` wrote.

    The file is read and run in a process of its own, as policies of others are, and what it gives is checked.

    Args:
        path: The file.
        benchmark_id: Whose tasks to give; ``None``: those of the benchmark that the file names.
        solvable: Whether to give no task that a glance shows to be unsolvable, as in training.
        limits: What the file may take.

    Raises:
        InvalidGeneratorError: The file cannot be read, is no generator of designs, or not one of the benchmark's.
        UnknownNameError: There is no benchmark ``benchmark_id``.
        NoSandboxError: No process can be confined here.
        MissingExtraError: onnx or onnxruntime is not installed.
    """
    try:
        return ExportedGenerator.from_bytes(read_policy_file(path), benchmark_id, solvable, limits)
    except (InvalidGeneratorError, InvalidPolicyError) as error:
        raise InvalidGeneratorError(f"{path} holds no such generator of designs: {error}") from None
