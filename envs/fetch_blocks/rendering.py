"""FetchBlocks drawn from its state by MuJoCo: the table from the front, and spheres where blocks are desired."""

import os
import threading

import mujoco
import numpy as np

from procgen_bench.engine.mujoco_rendering import OffscreenRenderer
from procgen_bench.envs.fetch_blocks.model import FRAME_SIDE, block_colour, fetch_model
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

#: Geometries of the scene, and those that are drawn beside them.
_MOST_GEOMETRIES = 200
#: The camera: what it looks at, from how far, and from where (degrees).
_LOOK_AT, _DISTANCE, _AZIMUTH, _ELEVATION = (1.27, 0.74, 0.48), 1.3, 148.0, -35.0
#: Radius of the sphere at a desired place, and how solid it is: a block that is there hides it.
_SPHERE_RADIUS, _SPHERE_ALPHA = 0.022, 0.55


def draw_frame(simulation: FetchBlocksSimulation, goal: np.ndarray) -> np.ndarray:
    """Arm, table and blocks, and a sphere in a block's colour where it is desired: uint8 (480, 480, 3).

    Args:
        simulation: It stays as it is.
        goal: float64 (N, 3), the desired places.

    Raises:
        NoRendererError: The machine has no OpenGL that MuJoCo could use.
    """
    return _scene(simulation.num_blocks).draw(simulation, goal)


class _Scene:
    """MuJoCo's scene with N blocks, its renderer, and bodies to draw."""

    def __init__(self, num_blocks: int):
        model = fetch_model(num_blocks)
        self._model, self._data = model, mujoco.MjData(model)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        self._camera.lookat[:] = _LOOK_AT
        self._camera.distance, self._camera.azimuth, self._camera.elevation = _DISTANCE, _AZIMUTH, _ELEVATION
        self._option, self._perturbation = mujoco.MjvOption(), mujoco.MjvPerturb()
        self._option.geomgroup[:] = self._option.sitegroup[:] = 1
        self._scene = mujoco.MjvScene(model, maxgeom=_MOST_GEOMETRIES)
        self._renderer = OffscreenRenderer(model)

    def draw(self, simulation: FetchBlocksSimulation, goal: np.ndarray) -> np.ndarray:
        model, data = self._model, self._data
        data.qpos[:] = simulation.data.qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(model, data, self._option, self._perturbation, self._camera, everything, self._scene)
        for block, place in enumerate(goal):
            self._add_sphere(place, (*block_colour(block), _SPHERE_ALPHA))
        frame = np.empty((FRAME_SIDE, FRAME_SIDE, 3), np.uint8)
        self._renderer.draw(self._scene, frame)
        return frame

    def _add_sphere(self, place: np.ndarray, colour: tuple[float, ...]) -> None:
        geom, kind, size = (
            self._scene.geoms[self._scene.ngeom],
            mujoco.mjtGeom.mjGEOM_SPHERE,
            np.full(3, _SPHERE_RADIUS),
        )
        mujoco.mjv_initGeom(geom, kind, size, place, np.eye(3).ravel(), np.array(colour, np.float32))
        self._scene.ngeom += 1


# A renderer belongs to the thread that made it, and does not survive a fork.
_scenes = threading.local()


def _scene(num_blocks: int) -> _Scene:
    if getattr(_scenes, "process", None) != os.getpid():
        _scenes.by_blocks, _scenes.process = {}, os.getpid()
    if num_blocks not in _scenes.by_blocks:
        _scenes.by_blocks[num_blocks] = _Scene(num_blocks)
    return _scenes.by_blocks[num_blocks]
