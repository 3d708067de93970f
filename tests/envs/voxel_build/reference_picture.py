"""What the agent sees, in NumPy: every ray of the picture against every block, one block after the other.

It shares with the package the pictures that the world is painted with, and its colours; no ray is walked through cells.
"""

import numpy as np

from procgen_bench.envs.voxel_build.raycaster import FADE_BEGIN, FADE_END, HORIZON_COLOUR, ZENITH_COLOUR

WAYS = np.array([(0, -1, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0)])
UP = np.array([0, 0, 1])
COSINES = (0.0, 0.642788, 0.906308, 1.0, 0.906308, 0.642788, 0.0)
SINES = (-1.0, -0.766044, -0.422618, 0.0, 0.422618, 0.766044, 1.0)


def reference_picture(arena: np.ndarray, pose, textures, height: int = 80, width: int = 120) -> np.ndarray:
    """uint8 (height, width, 3)."""
    x, y, z, heading, pitch = (int(entry) for entry in pose)
    eye, rays = np.array([x, y, z + 1.62]), rays_of(heading, pitch, height, width)
    colours = sky(rays)
    ground = eye[2] / np.where(rays[..., 2] < 0, -rays[..., 2], np.nan)
    on_ground = ground < FADE_END
    colours[on_ground] = ground_colours(eye, rays[on_ground], ground[on_ground], textures)
    nearest = np.full(rays.shape[:2], np.inf)
    for by, bx, bz in np.argwhere(arena):
        low = np.array([bx - 0.5, by - 0.5, bz])
        with np.errstate(divide="ignore"):
            one, other = (low - eye) / rays, (low + 1 - eye) / rays
        enters, leaves = np.minimum(one, other), np.maximum(one, other)
        axis, length = enters.argmax(axis=-1), enters.max(axis=-1)
        hit = (length < leaves.min(axis=-1)) & (length > 0) & (length < nearest)
        nearest[hit] = length[hit]
        places = eye + length[hit][:, np.newaxis] * rays[hit] - low
        faces = textures.blocks[arena[by, bx, bz] - 1]
        colours[hit] = face_colours(places, axis[hit], rays[hit], faces)
    return colours.astype(np.uint8)


def rays_of(heading: int, pitch: int, height: int, width: int) -> np.ndarray:
    """Directions (height, width, 3), whose part along the line of sight is 1."""
    forward = COSINES[pitch] * WAYS[heading] + SINES[pitch] * UP
    upward = -SINES[pitch] * WAYS[heading] + COSINES[pitch] * UP
    slope = 2 * 0.7002075 / height
    above = ((height - 1) / 2 - np.arange(height))[:, np.newaxis, np.newaxis] * slope
    right = (np.arange(width) - (width - 1) / 2)[:, np.newaxis] * slope
    return forward + above * upward + right * WAYS[(heading + 1) % 4]


def sky(rays: np.ndarray) -> np.ndarray:
    """Colours (int64) by how steeply the middle of a line looks up."""
    middle = (rays[:, 0] + rays[:, -1]) / 2
    share = np.maximum(0, 256 * middle[:, 2] / np.linalg.norm(middle, axis=-1)).astype(np.int64)
    horizon, zenith = np.array(HORIZON_COLOUR), np.array(ZENITH_COLOUR)
    return np.repeat((horizon + ((zenith - horizon) * share[:, np.newaxis] >> 8))[:, np.newaxis], rays.shape[1], axis=1)


def ground_colours(eye: np.ndarray, rays: np.ndarray, lengths: np.ndarray, textures) -> np.ndarray:
    """Colours (int64) of points of the ground."""
    places = eye[:2] + lengths[:, np.newaxis] * rays[:, :2] + 0.5
    on_floor = ((places >= -1) & (places < 12)).all(axis=-1)
    floor_x, floor_y = np.where(on_floor[:, np.newaxis], (places + 1) * 16, 0).astype(np.int64).T
    grass_x, grass_y = np.floor(places * 16).astype(np.int64).T % 32
    colours = np.where(on_floor[:, np.newaxis], textures.floor[floor_y, floor_x], textures.grass[grass_y, grass_x])
    fade = np.maximum(0, 256 * (lengths - FADE_BEGIN) / (FADE_END - FADE_BEGIN)).astype(np.int64)
    return colours + ((np.array(HORIZON_COLOUR) - colours) * fade[:, np.newaxis] >> 8)


def face_colours(places: np.ndarray, axes: np.ndarray, rays: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Colours of points on a block, given in the block's own coordinates."""
    x, y, z = (places * 16).astype(np.int64).clip(0, 15).T
    flat = np.where(rays[:, 2] > 0, 3, 0)
    face = np.choose(axes, [np.full_like(flat, 1), np.full_like(flat, 2), flat])
    return faces[face, np.choose(axes, [15 - z, 15 - z, y]), np.choose(axes, [y, x, x])]
