"""What makes a library of programs: checks that name the programs at fault."""

from collections.abc import Mapping, Sequence

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS

#: Numbers of blocks that programs can be for.
LEAST_BLOCKS, MOST_BLOCKS = 2, len(BLOCK_COLOURS)


class InvalidLibraryError(ProcgenBenchError, ValueError):
    """A library of programs that cannot be played; the programs at fault are named."""


def check_library(definitions: Sequence[ProgramDefinition], num_blocks: int) -> None:
    """Raise :class:`InvalidLibraryError` unless all programs have what they need and call known ones of lower level."""
    check_num_blocks(num_blocks)
    named = {definition.name: definition for definition in definitions}
    twice = sorted({one.name for one in definitions if [other.name for other in definitions].count(one.name) > 1})
    if twice:
        raise InvalidLibraryError(f"{', '.join(twice)} is defined more than once; give every program a name of its own")
    for definition in definitions:
        _check_parts(definition)
        _check_blocks(definition, num_blocks)
        unknown = [name for name in definition.calls if name not in named]
        if unknown:
            raise InvalidLibraryError(
                f"{definition.name} calls {', '.join(unknown)}, of which the library knows nothing; "
                f"it has {', '.join(named)}"
            )
    for definition in definitions:
        circle = _circle(definition.name, named, ())
        if circle:
            raise InvalidLibraryError(f"programs call each other in a circle: {' -> '.join(circle)}")
    for definition in definitions:
        for name in definition.calls:
            if named[name].level >= definition.level:
                raise InvalidLibraryError(
                    f"{definition.name} of level {definition.level} calls {name} of level {named[name].level}, "
                    "expected programs of lower levels"
                )


def check_num_blocks(num_blocks: int) -> None:
    """Raise :class:`InvalidLibraryError` unless there can be programs for so many blocks."""
    if not isinstance(num_blocks, int) or not LEAST_BLOCKS <= num_blocks <= MOST_BLOCKS:
        raise InvalidLibraryError(
            f"a library is for {num_blocks!r} blocks, expected an integer from {LEAST_BLOCKS} to {MOST_BLOCKS}"
        )


def _check_parts(definition: ProgramDefinition) -> None:
    name = definition.name
    if definition.is_atomic:
        if definition.level != 0 or definition.calls or definition.most_atomic_calls != 1:
            raise InvalidLibraryError(
                f"{name} has a goal setter (theta), so it is atomic: expected level 0, no calls and one atomic call, "
                f"not level {definition.level}, {len(definition.calls)} calls and {definition.most_atomic_calls}"
            )
        if not definition.blocks:
            raise InvalidLibraryError(f"{name} is atomic: expected the block that it moves in blocks")
        return
    if definition.psi is None:
        raise InvalidLibraryError(f"{name} has no post-condition (psi), and no goal (theta) to be reached instead")
    if definition.level < 1 or not definition.calls or definition.most_atomic_calls < 1:
        raise InvalidLibraryError(
            f"{name} has no goal setter (theta), so it calls others: expected level 1 or more, calls and at least one "
            f"atomic call, not level {definition.level}, {len(definition.calls)} calls and "
            f"{definition.most_atomic_calls}"
        )


def _check_blocks(definition: ProgramDefinition, num_blocks: int) -> None:
    beyond = [block for block in definition.blocks if not 0 <= block < num_blocks]
    if beyond:
        raise InvalidLibraryError(
            f"{definition.name} is about block {beyond[0]}, expected blocks 0 to {num_blocks - 1} of the library's "
            f"{num_blocks}"
        )


def _circle(name: str, named: Mapping[str, ProgramDefinition], callers: tuple[str, ...]) -> tuple[str, ...]:
    """The names along a circle of calls that ``callers`` have led to; none where there is none."""
    if name in callers:
        return (*callers[callers.index(name) :], name)
    return next(filter(None, (_circle(called, named, (*callers, name)) for called in named[name].calls)), ())
