"""The paper's programs (AlphaNPI-X, table 3) for any number of blocks, and ``PROGRAMS``, its 27 for four."""

from functools import cache
from itertools import permutations

from procgen_bench.tasks.programs import conditions
from procgen_bench.tasks.programs.checks import check_num_blocks
from procgen_bench.tasks.programs.definition import ProgramDefinition
from procgen_bench.tasks.programs.library import ProgramLibrary
from procgen_bench.tasks.programs.states import NUM_BLOCKS
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, COLOURS

_ZONES = range(len(COLOURS))


def blocks_of_colour(zone: int, num_blocks: int = NUM_BLOCKS) -> tuple[int, ...]:
    """The blocks that belong in a zone."""
    return tuple(block for block in range(num_blocks) if BLOCK_COLOURS[block] == zone)


def stack_name(upper: int, lower: int) -> str:
    """Name of the program that stacks block ``upper`` on block ``lower``."""
    return f"Stack_{upper}_{lower}"


def move_name(block: int, zone: int) -> str:
    """Name of the program that moves ``block`` to ``zone``, a place in ``COLOURS``."""
    return f"Move_To_Zone_{block}_{COLOURS[zone]}"


@cache
def paper_library(num_blocks: int) -> ProgramLibrary:
    """The paper's programs for so many blocks, in the order of its table 3.

    Where a colour has no blocks it has no programs, and where it has one, there is nothing to stack of it.

    Raises:
        InvalidLibraryError: It is no number of blocks from 2 to 6.
    """
    check_num_blocks(num_blocks)
    return _PaperLibrary(_definitions(num_blocks), num_blocks)


class _PaperLibrary(ProgramLibrary):
    """One that is known by its number of blocks, also in other processes."""

    def __reduce__(self):
        return paper_library, (self.num_blocks,)


def _definitions(num_blocks: int) -> list[ProgramDefinition]:
    blocks = range(num_blocks)
    stacks = [_stack(*pair) for pair in permutations(blocks, 2)]
    moves = [_move_to_zone(block, zone) for zone in _ZONES for block in blocks]
    stack_all_to_zone = [_stack_all_to_zone(zone, num_blocks) for zone in _zones_of(num_blocks, 2)]
    move_all_to_zone = [_move_all_to_zone(zone, num_blocks) for zone in _zones_of(num_blocks, 1)]
    stacked = {definition.zone for definition in stack_all_to_zone}
    return [
        *stacks,
        *moves,
        *stack_all_to_zone,
        *move_all_to_zone,
        ProgramDefinition(
            name="Stack_All_Blocks",
            text="stack all blocks together in any order",
            level=1,
            psi=conditions.all_stacked,
            calls=tuple(definition.name for definition in stacks),
            most_atomic_calls=num_blocks - 1,
        ),
        ProgramDefinition(
            name="Clean_Table",
            text="move all blocks to the zones of their colours",
            level=2,
            psi=conditions.all_in_zones,
            arguments=(conditions.EVERY_ZONE,),
            calls=tuple(definition.name for definition in move_all_to_zone),
            most_atomic_calls=num_blocks,
        ),
        ProgramDefinition(
            name="Clean_And_Stack",
            text="stack the blocks of each colour in its zone",
            level=2,
            psi=conditions.all_stacked_in_zones,
            arguments=(conditions.EVERY_ZONE,),
            calls=(
                *(definition.name for definition in stack_all_to_zone),
                *(definition.name for definition in move_all_to_zone if definition.zone not in stacked),
            ),
            most_atomic_calls=num_blocks,
        ),
    ]


def _stack(upper: int, lower: int) -> ProgramDefinition:
    return ProgramDefinition(
        name=stack_name(upper, lower),
        text=f"stack block {upper} on block {lower}",
        level=0,
        phi=conditions.can_stack,
        theta=conditions.set_stack_goal,
        arguments=(upper, lower),
        precondition_text=f"nothing on block {upper}, nothing on block {lower}, and no other block in the air",
        blocks=(upper, lower),
    )


def _move_to_zone(block: int, zone: int) -> ProgramDefinition:
    colour = COLOURS[zone].lower()
    return ProgramDefinition(
        name=move_name(block, zone),
        text=f"move block {block} to the {colour} zone",
        level=0,
        phi=conditions.can_move_to_zone,
        theta=conditions.set_zone_goal,
        arguments=(block, zone),
        precondition_text=f"nothing on block {block}, a free place in the {colour} zone, and no other block in the air",
        blocks=(block,),
        zone=zone,
    )


def _stack_all_to_zone(zone: int, num_blocks: int) -> ProgramDefinition:
    colour = COLOURS[zone]
    return ProgramDefinition(
        name=f"Stack_All_To_Zone_{colour}",
        text=f"stack the {colour.lower()} blocks in the {colour.lower()} zone",
        level=1,
        psi=conditions.all_stacked_in_zones,
        arguments=(zone,),
        calls=_every_move_home(num_blocks) + _stacks_by_colour(num_blocks),
        most_atomic_calls=num_blocks,
        zone=zone,
    )


def _move_all_to_zone(zone: int, num_blocks: int) -> ProgramDefinition:
    colour = COLOURS[zone]
    return ProgramDefinition(
        name=f"Move_All_To_Zone_{colour}",
        text=f"move the {colour.lower()} blocks to the {colour.lower()} zone",
        level=1,
        psi=conditions.all_in_zones,
        arguments=(zone,),
        calls=_every_move_home(num_blocks),
        most_atomic_calls=num_blocks,
        zone=zone,
    )


def _zones_of(num_blocks: int, least: int) -> list[int]:
    """The zones to which at least so many blocks belong."""
    return [zone for zone in _ZONES if len(blocks_of_colour(zone, num_blocks)) >= least]


def _every_move_home(num_blocks: int) -> tuple[str, ...]:
    """A plan may also have to put a block of the other colour away, which lies on top or is held."""
    return tuple(move_name(block, BLOCK_COLOURS[block]) for block in range(num_blocks))


def _stacks_by_colour(num_blocks: int) -> tuple[str, ...]:
    pairs = permutations(range(num_blocks), 2)
    return tuple(stack_name(*pair) for pair in pairs if BLOCK_COLOURS[pair[0]] == BLOCK_COLOURS[pair[1]])


#: Every program for four blocks by its name, in the order of table 3; a program's number is its place.
PROGRAMS: ProgramLibrary = paper_library(NUM_BLOCKS)
#: The groups of table 2: the non-atomic programs, those that differ in their arguments together.
GROUPS: dict[str, tuple[str, ...]] = {
    "Clean_Table": ("Clean_Table",),
    "Clean_And_Stack": ("Clean_And_Stack",),
    "Stack_All_Blocks": ("Stack_All_Blocks",),
    "Stack_All_To_Zone": tuple(f"Stack_All_To_Zone_{colour}" for colour in COLOURS),
    "Move_All_To_Zone": tuple(f"Move_All_To_Zone_{colour}" for colour in COLOURS),
}
