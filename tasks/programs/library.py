"""ProgramLibrary: programs by their names."""

from collections.abc import Iterable, Iterator, Mapping

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.tasks.programs.checks import check_library
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.functions import ProgramFunctions
from procgen_bench.tasks.programs.program import Program


class ProgramLibrary(ProgramFunctions, Mapping[str, Program]):
    """Programs for a number of blocks, by name; a program's number is its place.

    :class:`ProgramFunctions` answers for all of them at once.

    Args:
        definitions: The programs.
        num_blocks: Number of blocks, N, 2 to 6.

    Raises:
        InvalidLibraryError: Programs call each other in a circle, call unknown ones or ones of no lower level, lack a
            post-condition, or have functions that cannot be compiled.
    """

    def __init__(self, definitions: Iterable[ProgramDefinition], num_blocks: int = 4):
        definitions = tuple(definitions)
        check_library(definitions, num_blocks)
        super().__init__(definitions, num_blocks)
        self._programs = {one.name: Program(self, one, number) for number, one in enumerate(definitions)}

    def extended(self, definitions: Iterable[ProgramDefinition]) -> "ProgramLibrary":
        """A library of these programs and further ones, which come last."""
        return ProgramLibrary((*self.definitions, *definitions), self.num_blocks)

    def holds(self, other: "ProgramLibrary") -> bool:
        """Whether all programs of another library are in this one, for as many blocks."""
        return self.num_blocks == other.num_blocks and set(other.definitions) <= set(self.definitions)

    def __getitem__(self, name: str) -> Program:
        if not isinstance(name, str) or name not in self._programs:
            raise UnknownNameError("program", name, list(self._programs))
        return self._programs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._programs)

    def __len__(self) -> int:
        return len(self._programs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProgramLibrary):
            return NotImplemented
        return (self.definitions, self.num_blocks) == (other.definitions, other.num_blocks)

    def __hash__(self) -> int:
        return hash((self.definitions, self.num_blocks))

    def __reduce__(self):
        return ProgramLibrary, (self.definitions, self.num_blocks)
