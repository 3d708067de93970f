"""A world as a MuJoCo model: the ground and four walls that stay, objects that are free, players that slide.

Masses: an object weighs 50 kg/m3, as light wood does, so that a player can lift and push it. Friction: objects stay on
slopes up to 45 degrees. Spheres roll with a resistance of a twentieth of their weight, so that they come to rest.
"""

from typing import NamedTuple

import mujoco
import numpy as np

from procgen_bench.envs.xland.ground_solids import blocks, prism_corners, ramp_box, ramps
from procgen_bench.tasks.xland.entities import CUBE, PLAYER_HEIGHT, PLAYER_RADIUS, PYRAMID, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.bodies import BASE_DEPTH, SLAB_EDGES
from procgen_bench.tasks.xland.worlds.tiles import TileKind, is_diagonal
from procgen_bench.tasks.xland.worlds.world import World

#: Seconds of a step of the agents, and the steps of the physics in it, of about 10 ms.
STEP_SECONDS, SUBSTEPS = 2 / 15, 13
TIMESTEP = STEP_SECONDS / SUBSTEPS
#: Steps of the physics with the same forces of players and beams: these are renewed every 20 ms.
FORCE_SUBSTEPS = 2
#: Mass of objects by volume, kg/m3; of a player, kg.
OBJECT_DENSITY, PLAYER_MASS = 50.0, 60.0
#: Friction (of the contact's force): sliding, and turning on the spot (metres).
FRICTION, SPIN_FRICTION = 1.0, 0.005
#: Speed (metres per second) above which objects that do not roll slide with less friction, in inverse proportion.
#: Contacts as MuJoCo models them lift what slides, at its speed times its friction: this holds them to the floor.
SLIDING_SPEED = 0.25
#: Friction of what slides faster, made up by a force of ours, which lifts nothing. It acts while something carries the
#: object: what slides in fact comes to rest as by friction of 0.3 to 0.5.
SLIDING_FRICTION = 0.7
#: Bodies touch up to this distance (metres); they push each other where they overlap.
TOUCH_DISTANCE = 0.005
#: Force that slows a rolling sphere, as a part of its weight.
ROLLING_RESISTANCE = 0.05
#: Relative improvement below which MuJoCo's solver stops: it is the costliest part of a step.
SOLVER_TOLERANCE = 1e-6
#: Speed (metres and radians per second) below which bodies fall asleep together.
SLEEP_SPEED = 0.01

#: Groups of geoms: what is there, and what a tag has removed.
PRESENT_GROUP, GONE_GROUP = 0, 5
#: Position and rotation of a free body, and its velocities; the same of a player, which only slides.
OBJECT_POSITIONS, OBJECT_VELOCITIES, PLAYER_SLIDES = 7, 6, 3

#: Where two bodies touch, the friction of that of the higher priority counts; the ground's is 0.
_OBJECT_PRIORITY, _PLAYER_PRIORITY = 1, 2
#: Corners of a pyramid of size 1 from its centre of mass.
_PYRAMID = np.array(
    [(x, y, -BASE_DEPTH) for x in (-0.5, 0.5) for y in (-0.5, 0.5)] + [(0.0, 0.0, 1.0 - BASE_DEPTH)], np.float64
)

#: What does not change of an object. Fields:
#:
#: - mass: kg,
#: - inertia: about its own axes, kg m2,
#: - reach: radius of a ball around its centre that encloses it, metres,
#: - shape: place in ``SHAPES``,
#: - half: half its edges along its own axes, metres; half its diameter, or a pyramid's base and height,
#: - slides: whether it slides rather than rolls,
#: - gives_way: whether what runs into it pushes it along: players step on slabs.
OBJECT = np.dtype(
    [
        ("mass", np.float64),
        ("inertia", np.float64, 3),
        ("reach", np.float64),
        ("shape", np.int64),
        ("half", np.float64, 3),
        ("slides", np.bool_),
        ("gives_way", np.bool_),
    ],
    align=True,
)


class WorldModel(NamedTuple):
    """A model and the order of its parts: positions and velocities of the K objects, then of the P players.

    Attributes:
        model: The model.
        num_objects: K.
        num_players: P.
        body_of_geom: int64 (geoms,): object k as k, player p as K + p, the ground and the walls as -1.
        geoms: int64 (K + P,), the geom of every body.
        objects: OBJECT (K,).
    """

    model: mujoco.MjModel
    num_objects: int
    num_players: int
    body_of_geom: np.ndarray
    geoms: np.ndarray
    objects: np.ndarray


def world_model(world: World, sleep: bool = True) -> WorldModel:
    """The model of a valid world; with ``sleep``, what lies still is not simulated until something stirs it."""
    spec = _empty_spec(sleep)
    _add_ground(spec, world)
    num_objects, num_players = len(world.object_shapes), len(world.player_yaws)
    for k in range(num_objects):
        _add_object(spec, k, int(world.object_shapes[k]), float(world.object_sizes[k]))
    for p in range(num_players):
        _add_player(spec, p)
    model = spec.compile()
    for k in np.flatnonzero(world.object_shapes == SPHERE).tolist():
        # Dry friction of its spin: the friction of contacts that roll is too soft to bring a sphere to rest.
        spins = slice(OBJECT_VELOCITIES * k + 3, OBJECT_VELOCITIES * (k + 1))
        weight = model.body_mass[1 + k] * abs(model.opt.gravity[2])
        model.dof_frictionloss[spins] = ROLLING_RESISTANCE * weight * world.object_sizes[k] / 2
    geoms = model.ngeom - num_objects - num_players + np.arange(num_objects + num_players)
    body_of_geom = np.full(model.ngeom, -1, np.int64)
    body_of_geom[geoms] = np.arange(num_objects + num_players)
    objects = np.zeros(num_objects, OBJECT)
    objects["mass"] = model.body_mass[1 : 1 + num_objects]
    objects["inertia"] = model.body_inertia[1 : 1 + num_objects]
    objects["reach"] = model.geom_rbound[geoms[:num_objects]]
    objects["shape"] = world.object_shapes
    edges = np.where(world.object_shapes[:, np.newaxis] == SLAB, SLAB_EDGES, 1.0)
    objects["half"] = edges * world.object_sizes[:, np.newaxis] / 2
    objects["slides"] = world.object_shapes != SPHERE
    objects["gives_way"] = objects["slides"] & (world.object_shapes != SLAB)
    return WorldModel(model, num_objects, num_players, body_of_geom, geoms, objects)


def _empty_spec(sleep: bool) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.modelname = "xland"
    option = spec.option
    option.timestep = TIMESTEP
    # With pyramids for friction cones, a player that stops would hop.
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.tolerance = SOLVER_TOLERANCE
    # As exact as Newton's method here, and cheaper: what is awake at a time are a few bodies.
    option.solver = mujoco.mjtSolver.mjSOL_CG
    option.sleep_tolerance = SLEEP_SPEED
    # A simulation that diverges is ended by us, not set back to its beginning.
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    # A tree of the world's geoms saves fewer tests of pairs than it costs.
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    if sleep:
        option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
        # What is awake is small: sparse matrices, which MuJoCo chooses by the number of all bodies, cost more.
        option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.default.geom.friction = [FRICTION, SPIN_FRICTION, 0.0]
    spec.default.geom.condim = 3
    spec.default.geom.density = OBJECT_DENSITY
    spec.default.geom.gap = TOUCH_DISTANCE / 2  # those of the two bodies add up
    return spec


def _add_ground(spec: mujoco.MjSpec, world: World) -> None:
    """The floor of level 0 and the walls are half-spaces, which nothing crosses however high it climbs."""
    rows, columns = world.shape
    width, depth, height = world.tile_size.tolist()
    middle = np.array([columns * width / 2, rows * depth / 2, 0.0])
    for name, inward in (
        ("floor", (0, 0, 1)),
        ("west", (1, 0, 0)),
        ("east", (-1, 0, 0)),
        ("south", (0, 1, 0)),
        ("north", (0, -1, 0)),
    ):
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[0, 0, 1],
            pos=middle * (1 - np.array(inward)) if name != "floor" else middle,
            zaxis=inward,
        )
    for number, block in enumerate(blocks(world)):
        half = np.array([block.columns * width, block.rows * depth, block.level * height]) / 2
        corner = np.array([block.column * width, block.row * depth, 0.0])
        spec.worldbody.add_geom(name=f"block_{number}", type=mujoco.mjtGeom.mjGEOM_BOX, size=half, pos=corner + half)
    for kind in sorted({kind for kind in world.kinds.ravel().tolist() if is_diagonal(kind)}):
        corners = prism_corners(TileKind(kind), world.tile_size)
        spec.add_mesh(name=TileKind(kind).name, uservert=corners.ravel())
    for row, column in np.argwhere(is_diagonal(world.kinds)).tolist():
        kind = TileKind(int(world.kinds[row, column]))
        corner = world.tile_size * (column, row, int(world.levels[row, column]))
        spec.worldbody.add_geom(
            name=f"tile_{row}_{column}", type=mujoco.mjtGeom.mjGEOM_MESH, meshname=kind.name, pos=corner
        )
    for number, ramp in enumerate(ramps(world)):
        box = ramp_box(ramp, world.tile_size)
        spec.worldbody.add_geom(
            name=f"ramp_{number}", type=mujoco.mjtGeom.mjGEOM_BOX, size=box.half, pos=box.centre, quat=box.rotation
        )


def _add_object(spec: mujoco.MjSpec, k: int, shape: int, size: float) -> None:
    body = spec.worldbody.add_body(name=f"object_{k}")
    body.add_freejoint()
    if shape == SPHERE:
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[size / 2, 0, 0])
    elif shape == PYRAMID:
        spec.add_mesh(name=f"pyramid_{k}", uservert=(_PYRAMID * size).ravel())
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"pyramid_{k}")
    else:
        edges = {CUBE: (1.0, 1.0, 1.0), SLAB: SLAB_EDGES}[shape]
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=np.array(edges) * size / 2)
    geom.priority = _OBJECT_PRIORITY


def _add_player(spec: mujoco.MjSpec, p: int) -> None:
    """An upright capsule that slides."""
    body = spec.worldbody.add_body(name=f"player_{p}")
    for axis in np.eye(PLAYER_SLIDES):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        size=[PLAYER_RADIUS, PLAYER_HEIGHT / 2 - PLAYER_RADIUS, 0],
        mass=PLAYER_MASS,
        priority=_PLAYER_PRIORITY,
    )
