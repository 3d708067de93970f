import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GOAL_SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, ENTITIES, Atom, parse_atom
from procgen_bench.tasks.xland.predicates.atom_table import (
    ATOM,
    FIRST_FLOOR,
    FIRST_OBJECT,
    HOLD,
    ME,
    NEAR,
    NUM_ATOMS,
    NUM_ENTITIES,
    ON,
    OPPONENT,
    SEE,
)

RELATIONS = {NEAR: "near", SEE: "see", ON: "on", HOLD: "hold"}


def test_every_atom_is_at_its_place():
    assert ATOM.shape == (4, NUM_ENTITIES, NUM_ENTITIES) == (4, len(ENTITIES), len(ENTITIES))
    assert np.array_equal(np.unique(ATOM), np.arange(-1, NUM_ATOMS)) and len(ATOMS) == NUM_ATOMS
    for (relation, first, second), atom in np.ndenumerate(ATOM):
        pair = (ENTITIES[first], ENTITIES[second])
        if atom >= 0:
            assert ATOMS[atom] in (Atom(RELATIONS[relation], *pair), Atom(RELATIONS[relation], *pair[::-1]))


def test_atoms_are_found_as_the_parser_finds_them():
    for first, one in enumerate(ENTITIES):
        for second, other in enumerate(ENTITIES):
            for relation in (NEAR, SEE):
                atom = ATOM[relation, first, second]
                assert atom < 0 or ATOMS[atom] == parse_atom(f"{RELATIONS[relation]}({one},{other})")
    bodies = [*range(FIRST_OBJECT, FIRST_FLOOR)]
    pairs = np.ones((len(bodies), len(bodies)), bool) & ~np.eye(len(bodies), dtype=bool)
    players = np.isin(bodies, (ME, OPPONENT))
    assert np.array_equal(ATOM[SEE][np.ix_(bodies, bodies)] >= 0, pairs)
    assert np.array_equal(ATOM[NEAR][np.ix_(bodies, bodies)] >= 0, pairs & ~(players & players[:, np.newaxis]))


def test_objects_and_floors_are_numbered_as_their_arrays_number_them():
    for colour, name in enumerate(COLOURS):
        for shape, kind in enumerate(GOAL_SHAPES):
            assert ENTITIES[FIRST_OBJECT + len(GOAL_SHAPES) * colour + shape] == f"{name} {kind}"
    assert ENTITIES[FIRST_FLOOR:] == tuple(f"{colour} floor" for colour in FLOORS)
    assert (ENTITIES[ME], ENTITIES[OPPONENT]) == ("me", "opponent")
