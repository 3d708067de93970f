"""FetchPickAndPlace's scene with N coloured blocks in the place of its one: gymnasium-robotics' own model, extended."""

import importlib.util
from functools import cache
from pathlib import Path

import mujoco
import numpy as np

from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, BLOCK_RADIUS, COLOURS, RESTING_HEIGHT, ZONES, Zone

#: Pixels of the sides of the picture that MuJoCo keeps room for.
FRAME_SIDE = 480
#: Speed (metres and radians per second) below which blocks that lie still fall asleep together.
SLEEP_SPEED = 1e-4
#: Red, green and blue of the blocks and of what belongs to them.
RGB = {"ORANGE": (0.93, 0.49, 0.13), "BLUE": (0.16, 0.42, 0.80)}
#: Bytes that MuJoCo keeps for contacts and constraints; six blocks in a heap take a tenth of them.
_ARENA = 4 * 2**20
#: Where the sun shines from: from behind the camera's left, so that shadows show how high a block is held.
_SUN_DIRECTION, _OVER_THE_TABLE = (-0.25, 0.35, -0.9), np.array([1.3, 0.75, 0.4])
#: How far round what is looked at shadows are drawn, in sizes of the scene (less is sharper), and in how many pixels.
_SHADOWED, _SHADOW_PIXELS = 0.4, 2048
#: Colours above and below the horizon, and of the floor.
_BACKDROP, _FLOOR = ((0.86, 0.89, 0.93), (0.70, 0.74, 0.79)), (0.42, 0.43, 0.46, 1.0)
#: Half the thickness of a zone's patch on the table, and how much of its colour is in its white. (What is transparent
#: gets no light where lamps cast shadows.)
_ZONE_THICKNESS, _ZONE_COLOUR, _WHITE = 5e-4, 0.4, 0.93
#: How deep in a block its hard core begins (metres): below what fingers that close on it and blocks that are put down
#: press, so that these are FetchPickAndPlace's to the last bit.
CORE_DEPTH = 0.006
#: The core's contacts: MuJoCo's ``solref`` (seconds, damping) and ``solimp``.
_CORE_SOLREF, _CORE_SOLIMP = (0.004, 1.0), (0.999, 0.9999, 0.001, 0.5, 2.0)
#: Bit of what a core touches: the table, the fingers and the other blocks.
CORE_BIT = 2
_SCENE = "envs/assets/fetch/pick_and_place.xml"


def block_name(block: int) -> str:
    """Name of a block's body, geometry and site; its joint's has ``:joint`` behind it."""
    return f"object{block}"


def block_colour(block: int) -> tuple[float, float, float]:
    """Red, green and blue of a block, 0 to 1."""
    return RGB[COLOURS[BLOCK_COLOURS[block]]]


@cache
def fetch_model(num_blocks: int, sleep: bool = True) -> mujoco.MjModel:
    """The model; one for every simulation of a process.

    Time step, solver, arm, gripper, table and the first block are those of FetchPickAndPlace; the further blocks are
    equal to the first. Each has a hard core, which changes nothing until something presses deep into the block. With
    ``sleep``, blocks that lie still are not simulated until something stirs them.
    """
    return fetch_spec(num_blocks, sleep).compile()


def fetch_spec(num_blocks: int, sleep: bool) -> mujoco.MjSpec:
    """What :func:`fetch_model` is compiled from; a new one."""
    spec = mujoco.MjSpec.from_file(str(scene_path()))
    spec.delete(spec.site("target0"))
    first = spec.body(block_name(0))
    for block in range(num_blocks):
        body = first if block == 0 else _add_block(spec, first, block)
        body.geoms[0].material, body.geoms[0].rgba = "", (*block_colour(block), 1.0)
        _add_core(body)
    for geom in (*_fingers(spec), spec.body("table0").geoms[0]):
        geom.conaffinity |= CORE_BIT
    for zone in ZONES:
        _add_zone(spec, zone)
    _light(spec)
    spec.memory = _ARENA
    spec.visual.global_.bvactive = 0  # steps would note which boxes of the meshes' trees are near, 69 kB, to be drawn
    spec.visual.global_.offwidth = spec.visual.global_.offheight = FRAME_SIDE
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # it would go on as if nothing had been
    if sleep:
        spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
        spec.option.sleep_tolerance = SLEEP_SPEED
    return spec


def change_blocks(model: mujoco.MjModel, mass: float, friction: float) -> None:
    """Give the blocks of a model with the usual ones this mass (kg) and coefficient of sliding friction.

    The greater friction of two that touch counts, so the table is left with the blocks'; the fingers keep theirs.
    """
    first = model.body(block_name(0)).id
    shares = mass / model.body_mass[first]
    turning = model.body_dofadr[first]
    for array in (model.body_mass, model.body_subtreemass, model.body_inertia):
        array[first:] *= shares
    for array in (model.body_invweight0[first:], model.dof_invweight0[turning:]):
        array /= shares
    model.dof_M0[turning:] *= shares
    model.body_subtreemass[0] = model.body_mass.sum()
    blocks = np.isin(model.geom_bodyid, (model.body("table0").id, *range(first, model.nbody)))
    model.geom_friction[blocks, 0] = friction


def scene_path() -> Path:
    """FetchPickAndPlace's scene in the installed gymnasium-robotics."""
    package = importlib.util.find_spec("gymnasium_robotics")
    assert package is not None and package.submodule_search_locations is not None  # the extra is there
    (folder,) = package.submodule_search_locations
    return Path(folder) / _SCENE


def _add_block(spec: mujoco.MjSpec, first: mujoco.MjsBody, block: int) -> mujoco.MjsBody:
    """A block with the physics of the first."""
    name, joint, geom = block_name(block), first.joints[0], first.geoms[0]
    body = spec.worldbody.add_body(name=name, pos=first.pos)
    body.add_joint(name=f"{name}:joint", type=joint.type, damping=joint.damping)
    body.add_geom(name=name, type=geom.type, size=geom.size, condim=geom.condim, mass=geom.mass)
    return body


def _add_core(body: mujoco.MjsBody) -> None:
    """A hard box without mass within a block: alone, it is so soft that the arm presses it 5 cm into the table."""
    shell = body.geoms[0]
    body.add_geom(
        name=f"{body.name} core",
        type=shell.type,
        size=shell.size - CORE_DEPTH,
        mass=0.0,
        rgba=(0.0, 0.0, 0.0, 0.0),
        condim=shell.condim,
        contype=CORE_BIT,
        conaffinity=0,
        priority=1,
        solref=_CORE_SOLREF,
        solimp=_CORE_SOLIMP,
    )
    shell.conaffinity |= CORE_BIT


def _fingers(spec: mujoco.MjSpec) -> list[mujoco.MjsGeom]:
    return [spec.geom(f"robot0:{side}_gripper_finger_link") for side in "rl"]


def _light(spec: mujoco.MjSpec) -> None:
    """One lamp that casts shadows, and a grey backdrop: in FetchPickAndPlace's light whites are burnt out."""
    sun = spec.light("light0")
    sun.castshadow, sun.dir = True, _SUN_DIRECTION
    sun.pos = _OVER_THE_TABLE - 3.0 * np.array(_SUN_DIRECTION)
    sun.ambient, sun.diffuse, sun.specular = [0.0] * 3, [0.52] * 3, [0.1] * 3
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.3] * 3, [0.2] * 3
    spec.visual.headlight.specular = [0.0] * 3
    spec.visual.map.shadowclip, spec.visual.quality.shadowsize = _SHADOWED, _SHADOW_PIXELS
    sky = next(texture for texture in spec.textures if texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    sky.rgb1, sky.rgb2 = _BACKDROP
    spec.material("floor_mat").rgba = _FLOOR


def _add_zone(spec: mujoco.MjSpec, zone: Zone) -> None:
    """A patch on the table to look at."""
    spec.worldbody.add_site(
        name=f"zone {zone.colour}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=(*zone.centre, RESTING_HEIGHT - BLOCK_RADIUS),
        size=(zone.half_side, zone.half_side, _ZONE_THICKNESS),
        rgba=(*(_ZONE_COLOUR * part + (1 - _ZONE_COLOUR) * _WHITE for part in RGB[zone.colour]), 1.0),
    )
