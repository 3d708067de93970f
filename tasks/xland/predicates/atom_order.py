"""The order of the 212 atoms (A.2.2), as plain numbers for compiled functions.

Entities are numbered: me, opponent, the nine goal objects by colour and within it by shape, the six floors. Atoms are
sorted by relation (near, see, on, hold), then by their first and second entity; symmetric relations name the entity of
lower number first. near, on and seeing between objects are symmetric.
"""

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GOAL_SHAPES

RELATIONS = ("near", "see", "on", "hold")
NEAR, SEE, ON, HOLD = range(4)

ME, OPPONENT, FIRST_OBJECT = range(3)
FIRST_FLOOR = FIRST_OBJECT + len(COLOURS) * len(GOAL_SHAPES)
NUM_ENTITIES = FIRST_FLOOR + len(FLOORS)


def _ordered_atoms() -> list[tuple[int, int, int]]:
    """Relation, first and second entity of every atom."""
    players, objects = (ME, OPPONENT), range(FIRST_OBJECT, FIRST_FLOOR)
    bodies, floors = (*players, *objects), range(FIRST_FLOOR, NUM_ENTITIES)
    near = [(NEAR, a, b) for a in bodies for b in objects if a < b]
    see = [(SEE, a, b) for a in bodies for b in bodies if a != b and (a in players or b in players or a < b)]
    on = [(ON, a, floor) for a in bodies for floor in floors]
    hold = [(HOLD, a, b) for a in players for b in objects]
    return near + see + on + hold


#: (relation, first entity, second entity) of every atom.
ATOMS = tuple(_ordered_atoms())
NUM_ATOMS = len(ATOMS)

#: int16 (4, entities, entities): the atom of a relation between two entities, -1 where there is none. Pairs of a
#: symmetric relation are found in either order.
ATOM = np.full((len(RELATIONS), NUM_ENTITIES, NUM_ENTITIES), -1, np.int16)
for _atom, (_relation, _first, _second) in enumerate(ATOMS):
    ATOM[_relation, _first, _second] = _atom
    if _relation in (NEAR, ON) or (_relation == SEE and min(_first, _second) >= FIRST_OBJECT):
        ATOM[_relation, _second, _first] = _atom
ATOM.setflags(write=False)
