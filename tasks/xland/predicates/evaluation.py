"""Which atoms hold in states of the simulation, from every player's point of view."""

import numpy as np

from procgen_bench.core.checks import check_contiguous
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.predicates.atom_table import (
    ATOM,
    FIRST_FLOOR,
    HOLD,
    ME,
    NEAR,
    NUM_ATOMS,
    NUM_ENTITIES,
    ON,
    OPPONENT,
    SEE,
)
from procgen_bench.tasks.xland.predicates.bodies import BODY, empty_balls, enclose, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA
from procgen_bench.tasks.xland.predicates.ground import GROUND, place_ground
from procgen_bench.tasks.xland.predicates.relations import are_near, object_sees, player_sees
from procgen_bench.tasks.xland.predicates.states import States

#: In place of a player, for atoms between objects and floors.
_NOBODY = -1


def evaluate_atoms(states: States, out: np.ndarray | None = None, wanted: np.ndarray | None = None) -> np.ndarray:
    """Which atoms hold, for every player as ``me``.

    An atom with ``opponent`` holds if it holds for some other player. Where a world has several objects of a shape and
    colour, an atom holds if it holds for some of them (two different ones, if it names it twice: there is no such
    atom). What is gone, or not in the world, makes every atom false that names it.

    Args:
        states: S states with P players.
        out: bool (S, P, 212), written and returned; a new array without.
        wanted: bool (1, P, 212) for all states or (S, P, 212): the atoms to evaluate; the others are False. All
            without.

    Returns:
        bool (S, P, 212), atoms in the order of :data:`~procgen_bench.tasks.xland.games.atoms.ATOMS`.

    Raises:
        InvalidTaskError: ``out`` or ``wanted`` has another shape or type, or a state's world does not exist.
    """
    shape = (len(states), states.num_players, NUM_ATOMS)
    if out is None:
        out = np.empty(shape, np.bool_)
    else:
        check_contiguous("out", out, np.bool_, shape)
    if wanted is None:
        wanted = np.ones((1, *shape[1:]), np.bool_)
    else:
        once = getattr(wanted, "shape", ())[:1] == (1,)
        check_contiguous("wanted", wanted, np.bool_, (1, *shape[1:]) if once else shape)
    invalid = fill_truths(states.scenes, states.arrays, wanted, out)
    if invalid >= 0:
        expected = f"0 to {len(states.scenes.kinds) - 1}"
        raise InvalidTaskError(f"scene[{invalid}]", int(states.scene[invalid]), expected)
    return out


@njit
def fill_truths(scenes, states, wanted, out):
    """Evaluate all states, unchecked: see :func:`evaluate_atoms`.

    Returns:
        The number of the first state whose world does not exist, else -1.
    """
    num_objects, num_players = scenes.object_shapes.shape[1], states.player_yaws.shape[1]
    bodies, cameras = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
    ground, balls = np.empty(1, GROUND)[0], empty_balls(num_objects + num_players)
    for s in range(out.shape[0]):
        scene = states.scene[s]
        if scene < 0 or scene >= scenes.kinds.shape[0]:
            return s
        asked, truths = wanted[s if wanted.shape[0] > 1 else 0], out[s]
        truths[:] = False
        place_ground(ground, scenes, scene)
        place_bodies(bodies, cameras, scenes, states, s)
        enclose(bodies, balls)
        _objects_and_objects(bodies, balls, num_objects, ground, asked, truths)
        _players_and_objects(bodies, balls, num_objects, cameras, ground, states.held[s], asked, truths)
        _players_and_players(bodies, balls, num_objects, cameras, ground, asked, truths)
        _floors(bodies, num_objects, states.contacts[s], asked, truths)
    return -1


@njit
def _objects_and_objects(bodies, balls, num_objects, ground, asked, truths):
    """near and see between objects."""
    for i in range(num_objects):
        first = bodies[i].entity
        if first < 0:
            continue
        for j in range(i):
            second = bodies[j].entity
            if second < 0 or second == first:
                continue
            near, see = ATOM[NEAR, first, second], ATOM[SEE, first, second]
            if _is_open(asked, truths, _NOBODY, near, near) and are_near(bodies[i], bodies[j]):
                _tell(asked, truths, _NOBODY, near, near)
            if _is_open(asked, truths, _NOBODY, see, see) and object_sees(bodies, balls, ground, i, j):
                _tell(asked, truths, _NOBODY, see, see)


@njit
def _players_and_objects(bodies, balls, num_objects, cameras, ground, held, asked, truths):
    """near, see (from either side) and hold between a player and an object."""
    for p in range(cameras.shape[0]):
        i = num_objects + p
        if bodies[i].shape < 0:
            continue
        for k in range(num_objects):
            entity = bodies[k].entity
            if entity < 0:
                continue
            mine, theirs = ATOM[NEAR, ME, entity], ATOM[NEAR, OPPONENT, entity]
            if _is_open(asked, truths, p, mine, theirs) and are_near(bodies[i], bodies[k]):
                _tell(asked, truths, p, mine, theirs)
            mine, theirs = ATOM[SEE, ME, entity], ATOM[SEE, OPPONENT, entity]
            if _is_open(asked, truths, p, mine, theirs) and player_sees(bodies, balls, ground, cameras[p], i, k):
                _tell(asked, truths, p, mine, theirs)
            mine, theirs = ATOM[SEE, entity, ME], ATOM[SEE, entity, OPPONENT]
            if _is_open(asked, truths, p, mine, theirs) and object_sees(bodies, balls, ground, k, i):
                _tell(asked, truths, p, mine, theirs)
            if held[p, k]:
                _tell(asked, truths, p, ATOM[HOLD, ME, entity], ATOM[HOLD, OPPONENT, entity])


@njit
def _players_and_players(bodies, balls, num_objects, cameras, ground, asked, truths):
    """see between players: an atom for either of the two, and none for a third."""
    i_see, i_am_seen = ATOM[SEE, ME, OPPONENT], ATOM[SEE, OPPONENT, ME]
    for p in range(cameras.shape[0]):
        for q in range(cameras.shape[0]):
            i, j = num_objects + p, num_objects + q
            if p == q or bodies[i].shape < 0 or bodies[j].shape < 0:
                continue
            open_to_p = asked[p, i_see] and not truths[p, i_see]
            open_to_q = asked[q, i_am_seen] and not truths[q, i_am_seen]
            if (open_to_p or open_to_q) and player_sees(bodies, balls, ground, cameras[p], i, j):
                truths[p, i_see] = asked[p, i_see]
                truths[q, i_am_seen] = asked[q, i_am_seen]


@njit
def _floors(bodies, num_objects, contacts, asked, truths):
    """on, of all bodies."""
    for i in range(contacts.shape[0]):
        if bodies[i].shape < 0:
            continue
        player, mine, theirs = i - num_objects, ME, OPPONENT
        if player < 0:
            if bodies[i].entity < 0:
                continue
            player, mine, theirs = _NOBODY, bodies[i].entity, bodies[i].entity
        for floor in range(FIRST_FLOOR, NUM_ENTITIES):
            if contacts[i, floor - FIRST_FLOOR]:
                _tell(asked, truths, player, ATOM[ON, mine, floor], ATOM[ON, theirs, floor])


@njit
def _is_open(asked, truths, player, mine, theirs):
    """Whether someone asks for a fact about ``player`` that is not yet known to be true.

    It is the atom ``mine`` for the player itself and ``theirs`` for the others.
    """
    for p in range(asked.shape[0]):
        atom = mine if p == player else theirs
        if asked[p, atom] and not truths[p, atom]:
            return True
    return False


@njit
def _tell(asked, truths, player, mine, theirs):
    """Note for all who ask that a fact about ``player`` is true."""
    for p in range(asked.shape[0]):
        atom = mine if p == player else theirs
        if asked[p, atom]:
            truths[p, atom] = True
