"""FetchProgramTask: a start, and the program that is to be played from it."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.programs import PROGRAMS, Program, ProgramLibrary
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE, block_positions


@dataclass(frozen=True, eq=False)
class FetchProgramTask(Task):
    """Where an episode begins, and what is to be done.

    Attributes:
        start: Where blocks and gripper are when the episode begins; as many blocks as the program's library is for.
        program: Name of a program, whose pre-condition holds there: of :data:`procgen_bench.tasks.programs.PROGRAMS`,
            or of the library that the environment was given.
    """

    start: FetchBlocksStart
    program: str

    @property
    def state(self) -> np.ndarray:
        """float64 (15 N + 10,), the start as programs take it: where the blocks are; all other numbers are 0."""
        state = np.zeros(BLOCK_SIZE * self.start.num_blocks + GRIPPER_SIZE)
        block_positions(state)[:] = self.start.positions
        return state

    def validate(self, library: ProgramLibrary = PROGRAMS) -> None:
        """Raise :class:`InvalidTaskError` or :class:`UnknownNameError` unless the fields are as documented."""
        if not isinstance(self.start, FetchBlocksStart):
            raise InvalidTaskError("start", self.start, "a FetchBlocksStart")
        self.start.validate()
        if self.start.num_blocks != library.num_blocks:
            expected = f"{library.num_blocks}, which programs are for"
            raise InvalidTaskError("number of blocks", self.start.num_blocks, expected)
        check_precondition(library[self.program], self.state)

    def to_text(self) -> str:
        """The start's lines (:meth:`FetchBlocksStart.to_text`), then ``program NAME``."""
        return f"{self.start.to_text()}\nprogram {self.program}"

    @classmethod
    def from_text(cls, text: str) -> "FetchProgramTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: A line that cannot be read.
        """
        lines, _, last = text.strip().rpartition("\n")
        word, _, name = last.partition(" ")
        if word != "program":
            raise InvalidTaskError("last line", last, "'program' and the name of a program")
        return cls(FetchBlocksStart.from_text(lines), name)


def check_precondition(program: Program, state: np.ndarray) -> None:
    """Raise :class:`InvalidTaskError` unless ``program`` can be called in ``state`` (float64 (15 N + 10,))."""
    unmet = program.unmet(state)
    if unmet:
        found = f"not met ({'; '.join(unmet)})"
        raise InvalidTaskError(f"pre-condition of {program.name}", found, program.precondition_text)
