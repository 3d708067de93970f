"""The 212 atomic predicates (A.2.2): relations between objects, floors, the player itself and an opponent."""

from itertools import combinations, permutations, product
from typing import NamedTuple

from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GOAL_SHAPES
from procgen_bench.tasks.xland.games.scanner import Scanner

RELATIONS = ("near", "see", "on", "hold")
#: The nine objects that games speak of, colour by colour: object ``3 * colour + shape``.
OBJECTS = tuple(f"{colour} {shape}" for colour in COLOURS for shape in GOAL_SHAPES)
ME, OPPONENT = "me", "opponent"
FLOOR_NAMES = tuple(f"{colour} floor" for colour in FLOORS)
#: All that atoms speak of.
ENTITIES = (*OBJECTS, ME, OPPONENT, *FLOOR_NAMES)


class Atom(NamedTuple):
    """A relation of two entities, printed as ``near(black cube,me)``.

    near and see between objects hold in both directions and are kept in one: the thing first that comes first in
    ``ENTITIES``. on names the floor second, hold the player first.

    Attributes:
        relation: One of ``RELATIONS``.
        first: One of ``ENTITIES``.
        second: One of ``ENTITIES``.
    """

    relation: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.relation}({self.first},{self.second})"


def atoms_between(players: tuple[str, ...]) -> tuple[Atom, ...]:
    """All atoms over the objects, the floors and ``players``: near, see, on, hold, each in the order of its entities.

    Players are never near each other: that is no atom.
    """
    things = (*OBJECTS, *players)
    near = [pair for pair in combinations(things, 2) if pair[0] in OBJECTS]
    see = [
        (first, second)
        for first, second in permutations(things, 2)
        if first in players or second in players or things.index(first) < things.index(second)
    ]
    pairs = {"near": near, "see": see, "on": product(things, FLOOR_NAMES), "hold": product(players, OBJECTS)}
    return tuple(Atom(relation, *pair) for relation in RELATIONS for pair in pairs[relation])


#: The 212 atoms: 54 near, 74 see, 66 on, 18 hold, each relation by its first entity, then its second, as in
#: ``ENTITIES``. A boolean array of truths has its last axis in this order.
ATOMS = atoms_between((ME, OPPONENT))
#: Places of the atoms in ``ATOMS``.
ATOM_INDEX = {atom: index for index, atom in enumerate(ATOMS)}

_SIGNATURES = {
    "near": "near(object,object) or near(object,player), of two different things",
    "see": "see of two different objects or players",
    "on": "on(object or player,floor)",
    "hold": "hold(player,object)",
}


def read_atom(scanner: Scanner) -> Atom:
    """The atom that comes next, see :func:`parse_atom`."""
    column = scanner.column
    relation = scanner.name(RELATIONS)
    scanner.expect("(")
    first = scanner.name(ENTITIES)
    scanner.expect(",")
    second = scanner.name(ENTITIES)
    scanner.expect(")")
    for atom in (Atom(relation, first, second), Atom(relation, second, first)):
        # The other order of near and on, and of see between objects: where a player sees, both orders are atoms.
        if atom in ATOM_INDEX and (atom.first == first or relation != "hold"):
            return atom
    scanner.fail(_SIGNATURES[relation], f"{relation}({first},{second})", column)


def parse_atom(text: str) -> Atom:
    """The atom of a text such as ``near(me, black cube)``; near, on, and see of objects take either order.

    Raises:
        InvalidTaskError: The text is no atom; names the column, from 1.
    """
    scanner = Scanner(text, "atom")
    atom = read_atom(scanner)
    if not scanner.at_end:
        scanner.fail("the end of the text")
    return atom
