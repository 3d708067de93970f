"""What VoxelBuild's world is painted with: small pictures, computed from integers alone.

The floor tells where the agent stands and which way it looks, as landscape does in Minecraft: it grows redder to the
east and bluer to the south, and each side of the arena has a border of its own colour.
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.tasks.voxel_build.task import MATERIALS

#: Texels along a cell's side.
TEXELS = 16
#: Cells around the arena that are its border.
MARGIN = 1
#: Cells along the side of the grass's picture, which repeats.
GRASS_CELLS = 2

#: Faces of a block: top, those that look along x, those that look along y, bottom; and how bright each is.
TOP, X_SIDE, Y_SIDE, BOTTOM = range(4)
_BRIGHTNESS = (1.0, 0.8, 0.62, 0.45)

BORDER_COLOURS = {"north": (222, 62, 52), "east": (244, 204, 60), "south": (56, 104, 226), "west": (240, 240, 240)}
_GRASS, _FLOOR_GREEN = (88, 142, 58), 138
_MORTAR = (0.72, 0.72, 0.72)


class Textures(NamedTuple):
    """The pictures.

    Attributes:
        floor: uint8 (16 * (side + 2), 16 * (side + 2), 3), [y, x], the arena and its border.
        grass: uint8 (32, 32, 3), two cells by two of the ground beyond.
        blocks: uint8 (3, 4, 16, 16, 3), by block type less one, and face.
    """

    floor: np.ndarray
    grass: np.ndarray
    blocks: np.ndarray


def paint_textures(side: int) -> Textures:
    """The textures of an arena of ``side`` cells; every call gives the same."""
    return Textures(_floor(side), _grass(), _blocks())


def _noise(height: int, width: int, salt: int) -> np.ndarray:
    """Numbers in [-1, 1) (float64 (height, width, 1)) that look random: a hash of each texel's place."""
    y, x = np.mgrid[:height, :width].astype(np.uint32)
    bits = x * np.uint32(0x9E3779B1) ^ y * np.uint32(0x85EBCA77) ^ np.uint32(salt * 0xC2B2AE3D & 0xFFFFFFFF)
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        bits = (bits ^ bits >> np.uint32(shift)) * np.uint32(factor)
    return ((bits >> np.uint32(16)) / 2**15 - 1.0)[..., np.newaxis]


def _grass() -> np.ndarray:
    side = GRASS_CELLS * TEXELS
    cell = np.arange(side) // TEXELS
    checker = ((cell[:, np.newaxis] + cell) % 2)[..., np.newaxis]
    return _as_bytes(np.array(_GRASS) - 8 * checker + 10 * _noise(side, side, 1))


def _floor(side: int) -> np.ndarray:
    """The border in four colours, and the arena's chequered cells tinted by place."""
    begin, end = MARGIN * TEXELS, (MARGIN + side) * TEXELS
    floor = np.empty((end + begin, end + begin, 3))
    floor[:, :begin], floor[:, end:] = BORDER_COLOURS["west"], BORDER_COLOURS["east"]
    floor[:begin], floor[end:] = BORDER_COLOURS["north"], BORDER_COLOURS["south"]
    texel = np.arange(side * TEXELS)
    y, x = np.meshgrid(texel // TEXELS, texel // TEXELS, indexing="ij")
    arena = np.stack([70 + 13 * x, np.full_like(x, _FLOOR_GREEN), 50 + 13 * y], axis=-1).astype(np.float64)
    arena -= 16 * ((x + y) % 2)[..., np.newaxis]
    arena += 6 * _noise(*x.shape, 2)
    seam = texel % TEXELS == 0
    arena[seam[:, np.newaxis] | seam] *= _MORTAR
    floor[begin:end, begin:end] = arena
    return _as_bytes(floor)


def _blocks() -> np.ndarray:
    patterns = {"stone": _stone(), "planks": _planks(), "diamond": _diamond()}
    faces = np.stack([_outlined(patterns[material]) for material in MATERIALS])
    return _as_bytes(np.stack([brightness * faces for brightness in _BRIGHTNESS], axis=1))


def _stone() -> np.ndarray:
    """Grey, in blotches of two texels."""
    blotches = _noise(TEXELS // 2, TEXELS // 2, 3).repeat(2, axis=0).repeat(2, axis=1)
    return np.array((148, 148, 152)) + 20 * blotches + 8 * _noise(TEXELS, TEXELS, 4)


def _planks() -> np.ndarray:
    """Four brown boards, one above the other."""
    boards = np.array((186, 126, 66)) + 14 * _noise(TEXELS, TEXELS, 5)
    boards[3::4] *= _MORTAR
    return boards


def _diamond() -> np.ndarray:
    """Turquoise, with a light square in the middle."""
    facets = np.array((66, 208, 200)) + 10 * _noise(TEXELS, TEXELS, 6)
    facets[4:12, 4:12] += 40
    return facets


def _outlined(face: np.ndarray) -> np.ndarray:
    edge = np.isin(np.arange(TEXELS), (0, TEXELS - 1))
    face[edge[:, np.newaxis] | edge] *= 0.6
    return face


def _as_bytes(picture: np.ndarray) -> np.ndarray:
    return picture.clip(0, 255).astype(np.uint8)
