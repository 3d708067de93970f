"""A world as a MuJoCo model to be looked at: surfaces in their colours, light and sky as the raycaster has them.

It is not the model that is simulated, which knows no colours and whose blocks span several floors: the ground comes
from the tiles, and bodies are put where a state has them.
"""

import math
from functools import lru_cache

import mujoco
import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.colours import WALL_COLOUR
from procgen_bench.envs.xland.model import PRESENT_GROUP
from procgen_bench.envs.xland.rays.faces import faces_of
from procgen_bench.envs.xland.rays.light import DEPTHS_COLOUR, HORIZON_COLOUR, ZENITH_COLOUR, ambient, exposure
from procgen_bench.envs.xland.rays.painting import VISOR_BOTTOM, VISOR_COSINE, VISOR_TOP, paint
from procgen_bench.envs.xland.rays.scenery import Scenery
from procgen_bench.envs.xland.rays.surfaces import HALF_LINE, LINE_DARKNESS
from procgen_bench.envs.xland.solids import SOLIDS
from procgen_bench.tasks.xland.entities import CUBE, PLAYER_RADIUS, PYRAMID, SLAB
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH, SLAB_EDGES
from procgen_bench.tasks.xland.predicates.states import SceneArrays
from tests.envs.xland.ground_faces import LINED_AXES, ground_faces

#: Texels along the sides of a tile's texture, and of the sky's faces.
_TILE_TEXELS, _SKY_TEXELS = 256, 128
#: How far a visor stands out from its player (the player's radii), and its quadrangles upwards and around.
_VISOR_RADIUS, _VISOR_ROWS, _VISOR_COLUMNS = 1.015, 6, 16
_BLACK = np.zeros(3)


def picture_model(scenes: SceneArrays, scenery: Scenery, scene: int, num_players: int) -> mujoco.MjModel:
    """The model of one world.

    Its bodies are mocap bodies, so that they can be put anywhere: the K objects, padded ones too, then the players. An
    object has one geom, a player two: its body and its visor.
    """
    spec = mujoco.MjSpec()
    spec.visual.quality.shadowsize = spec.visual.quality.offsamples = 0
    _add_light(spec, *scenery.suns[scene])
    _add_sky(spec)
    _add_ground(spec, scenes, scenery, scene)
    for k, shape in enumerate(scenes.object_shapes[scene].tolist()):
        _add_object(spec, k, shape, float(scenes.object_sizes[scene, k]))
    for p in range(num_players):
        _add_player(spec, p)
    return spec.compile()


def _add_light(spec: mujoco.MjSpec, towards_sun: np.ndarray, sun: np.ndarray) -> None:
    """Light from everywhere, and along two axes from both sides.

    Of what is turned away from a light OpenGL knows only that it is dark. There the raycaster's surfaces go on to
    become darker, so that each light has one opposite it that takes light away. That is exact for what is turned to the
    sun, and within a tenth of the sun's light elsewhere.
    """
    everywhere, sideways = ambient.py_func(0.0), exposure.py_func(0.0)
    headlight = spec.visual.headlight
    headlight.ambient, headlight.diffuse, headlight.specular = everywhere + sideways * sun, _BLACK, _BLACK
    up, from_above = np.array([0.0, 0.0, 1.0]), np.full(3, ambient.py_func(1.0) - everywhere)
    for towards, diffuse in (
        (towards_sun, (exposure.py_func(1.0) - sideways) * sun),
        (-towards_sun, -1.25 * sideways * sun),
        (up, from_above),
        (-up, -from_above),
    ):
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            dir=-towards,
            diffuse=diffuse,
            ambient=_BLACK,
            specular=_BLACK,
            castshadow=False,
        )


def _add_sky(spec: mujoco.MjSpec) -> None:
    _add_texture(spec, "sky", mujoco.mjtTexture.mjTEXTURE_SKYBOX, _sky_texels().reshape(-1, _SKY_TEXELS, 3))


@lru_cache(maxsize=1)
def _sky_texels() -> np.ndarray:
    """The sky's faces below each other, as OpenGL's cubes have them (right, left, up, down, front, back)."""
    texels = np.empty((6, _SKY_TEXELS, _SKY_TEXELS, 3), np.uint8)
    _paint_skies(texels)
    return texels


@njit
def _paint_skies(texels):
    side = texels.shape[1]
    for face in range(6):
        for row in range(side):
            down = (2 * row + 1) / side - 1.0
            for column in range(side):
                across = (2 * column + 1) / side - 1.0
                if face == 2 or face == 3:
                    _paint_sky(texels[face, row, column], across, down, 1.0 if face == 2 else -1.0)
                else:
                    _paint_sky(texels[face, row, column], across, 1.0, -down)


@njit
def _paint_sky(texel, dx, dy, dz):
    """The sky in a direction: lighter towards the horizon, pale below it."""
    share = math.sqrt(abs(dz) / math.sqrt(dx * dx + dy * dy + dz * dz))
    end = ZENITH_COLOUR if dz > 0.0 else DEPTHS_COLOUR
    red, green, blue = HORIZON_COLOUR
    paint(texel, red + share * (end[0] - red), green + share * (end[1] - green), blue + share * (end[2] - blue))


def _add_ground(spec: mujoco.MjSpec, scenes: SceneArrays, scenery: Scenery, scene: int) -> None:
    """A mesh for every colour of the ground and every way in which its surfaces are lined."""
    (rows, columns), tile_size = scenes.extents[scene], scenes.tile_size[scene]
    tiles = scene, slice(rows), slice(columns)
    _, facings, owners = faces_of(scenes.kinds[tiles], scenes.levels[tiles], tile_size, scenery.normals[scene])
    colours, of_tiles = np.empty((rows, columns, 3)), np.flatnonzero(owners >= 0)
    shades = scenery.shades[scene, facings[of_tiles]]
    colours.reshape(-1, 3)[owners[of_tiles]] = scenery.paints[scene, of_tiles] / shades
    for lines in range(len(LINED_AXES)):
        _add_lined_material(spec, lines, tile_size)
    meshes: dict[tuple, list] = {}
    for face in ground_faces(scenes.kinds[tiles], scenes.levels[tiles], tile_size[2]):
        colour = WALL_COLOUR if face.tile is None else colours[face.tile]
        meshes.setdefault((*colour, face.lines), []).append(face.corners)
    for number, ((*colour, lines), faces) in enumerate(meshes.items()):
        name = f"ground_{number}"
        places = [corners[:, LINED_AXES[lines]] for corners in faces]
        _add_mesh(spec, name, [corners * tile_size for corners in faces], places)
        spec.worldbody.add_geom(
            **_SEEN, meshname=name, type=mujoco.mjtGeom.mjGEOM_MESH, material=f"lines_{lines}", rgba=_rgba(colour)
        )


def _add_lined_material(spec: mujoco.MjSpec, lines: int, tile_size: np.ndarray) -> None:
    """Lines along the borders of a texture that spans a tile, or a tile's side of one level."""
    name, metres = f"lines_{lines}", tile_size[list(LINED_AXES[lines])]
    edges = np.linspace(0.0, 1.0, _TILE_TEXELS + 1)
    across, along = (
        np.diff(np.minimum(edges, width) + np.maximum(edges - (1 - width), 0)) * _TILE_TEXELS
        for width in HALF_LINE / metres
    )
    covered = np.maximum(across[np.newaxis, :], along[:, np.newaxis])
    grey = np.rint(255 * (1 - LINE_DARKNESS * covered)).astype(np.uint8)
    _add_texture(spec, name, mujoco.mjtTexture.mjTEXTURE_2D, np.repeat(grey[..., np.newaxis], 3, axis=-1))
    material = spec.add_material(name=name, specular=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def _add_texture(spec: mujoco.MjSpec, name: str, kind: mujoco.mjtTexture, texels: np.ndarray) -> None:
    height, width, channels = texels.shape
    texture = spec.add_texture(name=name, type=kind, width=width, height=height, nchannel=channels)
    texture.data = texels.tobytes()


def _add_object(spec: mujoco.MjSpec, k: int, shape: int, size: float) -> None:
    body = spec.worldbody.add_body(name=f"object_{k}", mocap=True)
    if shape == PYRAMID:
        solid = SOLIDS[PYRAMID]
        corners = size * (solid.corners - (0.0, 0.0, BASE_DEPTH))
        _add_mesh(spec, f"pyramid_{k}", [corners[list(face)] for face in solid.faces])
        body.add_geom(**_SEEN, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"pyramid_{k}")
    elif shape in (CUBE, SLAB):
        edges = SLAB_EDGES if shape == SLAB else (1.0, 1.0, 1.0)
        body.add_geom(**_SEEN, type=mujoco.mjtGeom.mjGEOM_BOX, size=np.array(edges) * size / 2)
    else:
        body.add_geom(**_SEEN, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[size / 2, 0, 0])


def _add_player(spec: mujoco.MjSpec, p: int) -> None:
    body = spec.worldbody.add_body(name=f"player_{p}", mocap=True)
    body.add_geom(**_SEEN, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[PLAYER_RADIUS, AXIS_HALF, 0])
    _add_mesh(spec, f"visor_{p}", _visor_faces())
    body.add_geom(**_SEEN, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"visor_{p}")


def _visor_faces() -> list[np.ndarray]:
    """The part of a player's surface that is its visor, a little enlarged: quadrangles, from the player's centre."""
    heights = np.linspace(VISOR_BOTTOM, VISOR_TOP, _VISOR_ROWS + 1)
    angles = np.linspace(-math.acos(VISOR_COSINE), math.acos(VISOR_COSINE), _VISOR_COLUMNS + 1)
    beyond = np.maximum(heights - AXIS_HALF, 0.0)
    radii = np.sqrt((_VISOR_RADIUS * PLAYER_RADIUS) ** 2 - beyond**2)
    points = np.stack(
        [
            radii[:, np.newaxis] * np.cos(angles),
            radii[:, np.newaxis] * np.sin(angles),
            np.broadcast_to(heights[:, np.newaxis], (_VISOR_ROWS + 1, _VISOR_COLUMNS + 1)),
        ],
        axis=-1,
    )
    return [
        np.array([points[i, j], points[i, j + 1], points[i + 1, j + 1], points[i + 1, j]])
        for i, j in np.ndindex(_VISOR_ROWS, _VISOR_COLUMNS)
    ]


#: Arguments of geoms that are there to be seen alone.
_SEEN = {"contype": 0, "conaffinity": 0, "group": PRESENT_GROUP}


def _add_mesh(spec: mujoco.MjSpec, name: str, faces: list[np.ndarray], places: list[np.ndarray] | None = None) -> None:
    """A mesh of flat faces.

    Args:
        faces: float64 (n, 3) each, corners in metres, anticlockwise seen from outside.
        places: float64 (n, 2) each, where the corners are on the texture.
    """
    vertices, normals, triangles = [], [], []
    for corners in faces:
        normal = _normal(corners)
        first = len(vertices)
        vertices += corners.tolist()
        normals += [normal.tolist()] * len(corners)
        triangles += [(first, first + k, first + k + 1) for k in range(1, len(corners) - 1)]
    mesh = spec.add_mesh(
        name=name,
        uservert=np.ravel(vertices),
        usernormal=np.ravel(normals),
        userface=np.ravel(triangles),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    if places is not None:
        mesh.usertexcoord = np.concatenate(places).ravel()


def _normal(corners: np.ndarray) -> np.ndarray:
    """The unit normal of a flat face, of which one edge may have no length."""
    around = np.roll(corners, -1, axis=0)
    normal = np.cross(corners, around).sum(axis=0)
    return normal / np.linalg.norm(normal)


def _rgba(colour) -> np.ndarray:
    return np.array([*colour, 255.0]) / 255
