"""The atoms as a table for compiled functions, which know relations and entities by their places in ``RELATIONS`` and
``ENTITIES``."""

import numpy as np

from procgen_bench.tasks.xland.games import atoms

NEAR, SEE, ON, HOLD = (atoms.RELATIONS.index(relation) for relation in ("near", "see", "on", "hold"))
FIRST_OBJECT = atoms.ENTITIES.index(atoms.OBJECTS[0])
ME, OPPONENT = atoms.ENTITIES.index(atoms.ME), atoms.ENTITIES.index(atoms.OPPONENT)
FIRST_FLOOR = atoms.ENTITIES.index(atoms.FLOOR_NAMES[0])
NUM_ENTITIES, NUM_ATOMS = len(atoms.ENTITIES), len(atoms.ATOMS)


def _atom_table() -> np.ndarray:
    table = np.full((len(atoms.RELATIONS), NUM_ENTITIES, NUM_ENTITIES), -1, np.int16)
    for (relation, *pair), place in atoms.ATOM_INDEX.items():
        number = atoms.RELATIONS.index(relation)
        first, second = (atoms.ENTITIES.index(entity) for entity in pair)
        table[number, first, second] = place
        if number in (NEAR, SEE) and atoms.Atom(relation, *reversed(pair)) not in atoms.ATOM_INDEX:
            table[number, second, first] = place
    table.setflags(write=False)
    return table


#: int16 (relations, entities, entities): the place in ``ATOMS`` of a relation between two entities, -1 where there is
#: no such atom. near, and see between objects, are found in either order.
ATOM = _atom_table()
