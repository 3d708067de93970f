"""FetchBlocks drawn from its state by MuJoCo: the table from the front, and spheres where blocks are desired."""

import os
import threading

import mujoco
import numpy as np

from procgen_bench.engine.mujoco_rendering import OffscreenRenderer
from procgen_bench.envs.fetch_blocks.model import FRAME_SIDE, block_colour, fetch_model
from procgen_bench.envs.fetch_blocks.simulation import GRIPPER, FetchBlocksSimulation

#: Geometries of the scene, and those that are drawn beside them.
_MOST_GEOMETRIES = 200
#: The cameras: what they look at (``None``: the gripper), from how far, and from where (degrees).
CAMERAS: dict[str, tuple[tuple[float, float, float] | None, float, float, float]] = {
    "front": ((1.27, 0.74, 0.48), 1.3, 148.0, -35.0),
    "top": ((1.3, 0.75, 0.42), 0.95, 180.0, -90.0),
    "gripper": (None, 0.5, 148.0, -45.0),
}
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
    return _scene(simulation.num_blocks).draw(simulation, goal, "front", FRAME_SIDE, True)


def draw_image(simulation: FetchBlocksSimulation, camera: str, side: int) -> np.ndarray:
    """What one of ``CAMERAS`` sees of arm, table and blocks: uint8 (side, side, 3), side at most 480.

    There are no shadows in it, which would take four times as long as all else.

    Raises:
        NoRendererError: The machine has no OpenGL that MuJoCo could use.
    """
    return _scene(simulation.num_blocks).draw(simulation, np.empty((0, 3)), camera, side, False)


class _Scene:
    """MuJoCo's scene with N blocks, its renderer, and bodies to draw."""

    def __init__(self, num_blocks: int):
        model = fetch_model(num_blocks)
        self._model, self._data = model, mujoco.MjData(model)
        self._camera, self._grip = mujoco.MjvCamera(), model.site(GRIPPER).id
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        self._option, self._perturbation = mujoco.MjvOption(), mujoco.MjvPerturb()
        self._option.geomgroup[:] = self._option.sitegroup[:] = 1
        self._scene = mujoco.MjvScene(model, maxgeom=_MOST_GEOMETRIES)
        self._renderer = OffscreenRenderer(model)

    def draw(
        self, simulation: FetchBlocksSimulation, goal: np.ndarray, camera: str, side: int, shadows: bool
    ) -> np.ndarray:
        model, data = self._model, self._data
        data.qpos[:] = simulation.data.qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        look_at, self._camera.distance, self._camera.azimuth, self._camera.elevation = CAMERAS[camera]
        self._camera.lookat[:] = data.site_xpos[self._grip] if look_at is None else look_at
        mujoco.mjv_updateScene(model, data, self._option, self._perturbation, self._camera, everything, self._scene)
        for block, place in enumerate(goal):
            self._add_sphere(place, (*block_colour(block), _SPHERE_ALPHA))
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        frame = np.empty((side, side, 3), np.uint8)
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
