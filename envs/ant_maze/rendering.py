"""SparseAntMaze drawn from its state by MuJoCo: the whole maze from above."""

import os
import threading
from typing import Any

import mujoco
import numpy as np

from procgen_bench.envs.ant_maze.model import FRAME_SIDE, maze_model
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.errors import ProcgenBenchError
from procgen_bench.tasks.ant_maze.maze import HIGH, LOW
from procgen_bench.tasks.ant_maze.task import GOAL_RADIUS

_GOAL_COLOUR, _START_COLOUR = (0.17, 0.63, 0.27, 1.0), (0.45, 0.62, 0.90, 1.0)
#: Half the heights of the discs on the floor, so that the goal's lies over the start's; the radius of the start's.
_GOAL_THICKNESS, _START_THICKNESS, _START_RADIUS = 0.02, 0.01, 0.4

#: From how far above the floor the camera looks down on the middle of the maze.
_CAMERA_DISTANCE, _CAMERA_ELEVATION, _CAMERA_AZIMUTH = 37.0, -90.0, 90.0


class NoRendererError(ProcgenBenchError):
    """MuJoCo can draw nothing on this machine."""

    def __init__(self, reason: object):
        super().__init__(
            f"MuJoCo cannot render here ({' '.join(str(reason).split())}); without a screen it needs EGL: "
            "apt-get install libegl1 libopengl0 libgl1-mesa-dri (Debian's names)"
        )


def draw_frame(simulation: AntMazeSimulation, row: int) -> np.ndarray:
    """The maze of ``row`` from above: uint8 (480, 480, 3).

    The goal's disc is the region in which it counts as reached; the pale disc is the start.

    Raises:
        NoRendererError: The machine has no OpenGL that MuJoCo could use.
    """
    return _renderer().draw(simulation.bodies.positions[row], simulation.starts[row], simulation.goals[row])


class _Renderer:
    """MuJoCo's scene, its OpenGL context, and a body to draw."""

    def __init__(self):
        model = maze_model()
        self._model, self._data = model, mujoco.MjData(model)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        self._camera.lookat[:] = (LOW + HIGH) / 2, (LOW + HIGH) / 2, 0.0
        self._camera.distance = _CAMERA_DISTANCE
        self._camera.elevation, self._camera.azimuth = _CAMERA_ELEVATION, _CAMERA_AZIMUTH
        self._option, self._perturbation = mujoco.MjvOption(), mujoco.MjvPerturb()
        self._scene = mujoco.MjvScene(model, maxgeom=100)
        self._view = mujoco.MjrRect(0, 0, FRAME_SIDE, FRAME_SIDE)
        try:
            self._window = _context_type()(FRAME_SIDE, FRAME_SIDE)
            self._window.make_current()
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        # PyOpenGL answers a missing library with errors of many kinds (AttributeError, ImportError, GLError, ...).
        except Exception as error:
            raise NoRendererError(error) from error
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)

    def draw(self, position: np.ndarray, start: np.ndarray, goal: np.ndarray) -> np.ndarray:
        self._window.make_current()
        self._data.qpos[:] = position
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            self._perturbation,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        self._add_disc(start, _START_RADIUS, _START_THICKNESS, _START_COLOUR)
        self._add_disc(goal, GOAL_RADIUS, _GOAL_THICKNESS, _GOAL_COLOUR)
        mujoco.mjr_render(self._view, self._scene, self._context)
        frame = np.empty((FRAME_SIDE, FRAME_SIDE, 3), np.uint8)
        mujoco.mjr_readPixels(frame, None, self._view, self._context)
        return frame[::-1].copy()

    def _add_disc(self, place: np.ndarray, radius: float, thickness: float, colour: tuple[float, ...]) -> None:
        size, position = np.array([radius, thickness, 0.0]), np.array([*place, thickness])
        geom = self._scene.geoms[self._scene.ngeom]
        kind, upright = mujoco.mjtGeom.mjGEOM_CYLINDER, np.eye(3).ravel()
        mujoco.mjv_initGeom(geom, kind, size, position, upright, np.array(colour, np.float32))
        self._scene.ngeom += 1


# An OpenGL context belongs to the thread that made it, and does not survive a fork.
_renderers = threading.local()


def _renderer() -> _Renderer:
    if getattr(_renderers, "process", None) != os.getpid():
        _renderers.process, _renderers.renderer = None, None
        _renderers.renderer = _Renderer()
        _renderers.process = os.getpid()
    return _renderers.renderer


def _context_type() -> Any:
    """The OpenGL context that ``MUJOCO_GL`` asks for; without it a screen's where there is one, and EGL's elsewhere."""
    if (
        not os.environ.get("MUJOCO_GL")
        and not os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}
        and os.name == "posix"
    ):
        from mujoco.egl import GLContext

        return GLContext
    return mujoco.GLContext
