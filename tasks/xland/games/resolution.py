"""What me and opponent stand for: a player's atoms as atoms about players by number.

In a game of two, opponent is the other player: player 1's ``see(opponent,me)`` is player 2's ``see(me,opponent)``. In a
game of three, opponent is any of the others: an atom with opponent is true where it is for one co-player or both, so
``~hold(opponent,black cube)`` says that neither holds it. The atoms about players by number are what a state of the
world decides one by one; predicate states are assignments of truths to these.
"""

import numpy as np

from procgen_bench.tasks.xland.entities import MAX_PLAYERS
from procgen_bench.tasks.xland.games.atoms import ATOMS, ME, OPPONENT, Atom, atoms_between

PLAYER_NAMES = tuple(f"player {number}" for number in range(1, MAX_PLAYERS + 1))
#: The 258 atoms over numbered players, in the order of ``ATOMS``.
PLAYER_ATOMS = atoms_between(PLAYER_NAMES)
PLAYER_ATOM_INDEX = {atom: index for index, atom in enumerate(PLAYER_ATOMS)}
#: No atom: pads ``RESOLUTION``.
NONE = -1


def resolve(atom: Atom, player: int, players: int) -> tuple[Atom, ...]:
    """The atoms of ``PLAYER_ATOMS`` of which one must be true for ``atom`` to be, seen by ``player`` (from 0).

    Two of them where a player in a game of three names the opponent; none where there is no opponent.
    """
    others = [name for place, name in enumerate(PLAYER_NAMES[:players]) if place != player]
    stands_for = {ME: [PLAYER_NAMES[player]], OPPONENT: others}
    firsts, seconds = (stands_for.get(entity, [entity]) for entity in (atom.first, atom.second))
    return tuple(Atom(atom.relation, first, second) for first in firsts for second in seconds)


def _resolution() -> np.ndarray:
    table = np.full((MAX_PLAYERS, MAX_PLAYERS, len(ATOMS), 2), NONE, np.int16)
    for players in range(1, MAX_PLAYERS + 1):
        for player in range(players):
            for row, atom in zip(table[players - 1, player], ATOMS):
                places = [PLAYER_ATOM_INDEX[resolved] for resolved in resolve(atom, player, players)]
                row[: len(places)] = places
    return table


#: :func:`resolve` as int16 (players - 1, player, 212, 2), places in ``PLAYER_ATOMS`` or ``NONE``.
RESOLUTION = _resolution()
