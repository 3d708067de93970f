"""One compiled call for a step of many worlds: actions, hands, physics, state, truths and rewards, without Python.

A world's arrays are given by where they lie. The call lets go of Python's lock, so that threads share out worlds.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.pointers import block, block4, matrix, record_type, vector
from procgen_bench.engine.mujoco_calls import DATA, MODEL, contacts_of, has_memory, mj_step
from procgen_bench.envs.xland.bearing import find_laden, keep_down
from procgen_bench.envs.xland.body_arrays import BODY_PLACES, bodies_at, calm, have_warned
from procgen_bench.envs.xland.driving import check, drive, is_sound, note
from procgen_bench.envs.xland.gadgets import EffectArrays, pass_step
from procgen_bench.envs.xland.hands import find_footholds, use_hands
from procgen_bench.envs.xland.model import FORCE_SUBSTEPS, SUBSTEPS, TIMESTEP
from procgen_bench.envs.xland.overlaps import separate
from procgen_bench.envs.xland.perception import observe
from procgen_bench.envs.xland.players import GRAVITY, PLAYER, intend
from procgen_bench.tasks.xland.predicates.states import SceneArrays, StateArrays

#: Of a game: atoms that its goals name (bool (1, P, 212)), its options and their numbers, and what comes of them; see
#: :func:`~procgen_bench.envs.xland.perception.observe`.
GAME = ("wanted", "options", "num_options", "truths", "rewards")
#: Of the players: as they are and as they begin (PLAYER (P,)), their gadgets and colours (int8 (P,)); the tiles' floors
#: (int8 (rows, columns)); which objects bear players (bool (K,)); and room for positions and velocities as they were
#: (float64 (7 K + 3 P,), (6 K + 3 P,)).
OTHERS = ("players", "newcomers", "gadgets", "colours", "floors", "laden", "old_positions", "old_velocities")
#: Where the arrays of a world lie.
WORLD = np.dtype(
    [
        ("bodies", BODY_PLACES),
        ("effects", record_type(EffectArrays._fields)),
        ("scenes", record_type(SceneArrays._fields)),
        ("states", record_type(StateArrays._fields)),
        ("game", record_type(GAME)),
        ("others", record_type(OTHERS)),
    ]
)


@njit(nogil=True)
def advance(worlds, actions):
    """Advance a world by 2/15 s, and fill state, truths and rewards as its bodies are then.

    One function does both: what looks at a world is compiled once. Without actions, nothing moves.

    Args:
        worlds: WORLD (1,), whose arrays are changed.
        actions: int64 (at least P, 6), valid ones; (0, 6): none.

    Returns:
        Whether the physics is sound. Where it is not, the rewards are 0, and the state is as it was before.
    """
    world = worlds[0]
    bodies, effects, players = bodies_at(world.bodies), effects_at(world.effects), vector(world.others.players, PLAYER)
    if actions.shape[0] > 0:
        pass_step(bodies, effects, players, vector(world.others.newcomers, PLAYER))
        friction = bodies.frictions[:, 0]
        some_aim, some_feel = intend(
            players, bodies.objects, actions, effects.gone, bodies.positions, bodies.velocities, friction
        )
        if some_aim:
            use_hands(bodies, effects, players, vector(world.others.gadgets, np.int8))
        if some_feel:
            find_footholds(bodies, players)
        if not _simulate(world, bodies, effects, players):
            matrix(world.game.rewards, np.float64)[:] = 0.0
            return False
    _perceive(world, bodies, players)
    return True


@njit
def _simulate(world, bodies, effects, players):
    """Simulate a step of the agents, and whether its physics is sound."""
    positions, velocities, objects = bodies.positions, bodies.velocities, bodies.objects
    before = vector(world.others.old_positions, np.float64), vector(world.others.old_velocities, np.float64)
    friction, ground = bodies.frictions[:, 0], _ground(world)
    note(positions, velocities, before)
    for done in range(0, SUBSTEPS, FORCE_SUBSTEPS):
        # Steps of the physics until forces are renewed.
        count = min(FORCE_SUBSTEPS, SUBSTEPS - done)
        if not drive(
            players,
            objects,
            positions,
            velocities,
            friction,
            bodies.applied,
            bodies.support,
            effects.gone,
            vector(world.others.laden, np.bool_),
            ground,
            before,
            count * TIMESTEP,
        ):
            return False
        for _ in range(count):
            mj_step(bodies.addresses[MODEL], bodies.addresses[DATA])
            if not (is_sound(positions, velocities) and has_memory(bodies.addresses)):
                return False
        contacts, fall = contacts_of(bodies.addresses), GRAVITY * count * TIMESTEP
        keep_down(players, contacts, bodies.body_of_geom, positions, velocities, before[1], fall)
    if not check(objects, positions, velocities, before):
        return False
    separate(bodies, effects)
    calm(bodies)
    return not have_warned(bodies)


@njit
def _perceive(world, bodies, players):
    contacts = contacts_of(bodies.addresses)
    find_laden(contacts, bodies.body_of_geom, vector(world.others.laden, np.bool_))
    observe(
        scenes_at(world.scenes),
        states_at(world.states),
        players,
        vector(world.effects.gone, np.int64),
        bodies.positions,
        bodies.velocities,
        contacts,
        _ground(world),
        bodies.body_of_geom,
        bodies.awake,
        (
            block(world.game.wanted, np.bool_),
            block4(world.game.options, np.int8),
            matrix(world.game.num_options, np.int64),
            block(world.game.truths, np.bool_),
            matrix(world.game.rewards, np.float64),
        ),
    )


@njit
def _ground(world):
    """Kinds, levels, floors and tile size of a world."""
    scenes = world.scenes
    return (
        block(scenes.kinds, np.int8)[0],
        block(scenes.levels, np.int8)[0],
        matrix(world.others.floors, np.int8),
        matrix(scenes.tile_size, np.float64)[0],
    )


@njit
def effects_at(places):
    """``EffectArrays`` by where they lie."""
    frozen, gone = vector(places.frozen, np.int64), vector(places.gone, np.int64)
    return EffectArrays(frozen, gone, vector(places.immune, np.int64))


@njit
def scenes_at(places):
    """``SceneArrays`` by where they lie."""
    return SceneArrays(
        block(places.kinds, np.int8),
        block(places.levels, np.int8),
        matrix(places.extents, np.int64),
        vector(places.tops, np.int64),
        matrix(places.tile_size, np.float64),
        matrix(places.object_shapes, np.int8),
        matrix(places.object_colours, np.int8),
        matrix(places.object_sizes, np.float64),
    )


@njit
def states_at(places):
    """``StateArrays`` by where they lie."""
    return StateArrays(
        vector(places.scene, np.int64),
        block(places.object_positions, np.float64),
        block(places.object_rotations, np.float64),
        matrix(places.objects_present, np.bool_),
        block(places.player_positions, np.float64),
        matrix(places.player_yaws, np.float64),
        matrix(places.player_pitches, np.float64),
        matrix(places.players_present, np.bool_),
        block(places.held, np.bool_),
        block(places.contacts, np.bool_),
    )
