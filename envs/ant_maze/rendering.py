"""SparseAntMaze drawn from its state by MuJoCo: the whole maze from above."""

import os
import threading

import mujoco
import numpy as np

from procgen_bench.engine.mujoco_rendering import OffscreenRenderer
from procgen_bench.envs.ant_maze.model import FRAME_SIDE, maze_model
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.tasks.ant_maze.maze import HIGH, LOW
from procgen_bench.tasks.ant_maze.task import GOAL_RADIUS

_GOAL_COLOUR, _START_COLOUR = (0.17, 0.63, 0.27, 1.0), (0.45, 0.62, 0.90, 1.0)
#: Half the heights of the discs on the floor, so that the goal's lies over the start's; the radius of the start's.
_GOAL_THICKNESS, _START_THICKNESS, _START_RADIUS = 0.02, 0.01, 0.4

#: From how far above the floor the camera looks down on the middle of the maze.
_CAMERA_DISTANCE, _CAMERA_ELEVATION, _CAMERA_AZIMUTH = 37.0, -90.0, 90.0


def draw_frame(simulation: AntMazeSimulation, row: int) -> np.ndarray:
    """The maze of ``row`` from above: uint8 (480, 480, 3).

    The goal's disc is the region in which it counts as reached; the pale disc is the start.

    Raises:
        NoRendererError: The machine has no OpenGL that MuJoCo could use.
    """
    return _maze().draw(simulation.bodies.positions[row], simulation.starts[row], simulation.goals[row])


class _Maze:
    """MuJoCo's scene, its renderer, and a body to draw."""

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
        self._renderer = OffscreenRenderer(model)

    def draw(self, position: np.ndarray, start: np.ndarray, goal: np.ndarray) -> np.ndarray:
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
        frame = np.empty((FRAME_SIDE, FRAME_SIDE, 3), np.uint8)
        self._renderer.draw(self._scene, frame)
        return frame

    def _add_disc(self, place: np.ndarray, radius: float, thickness: float, colour: tuple[float, ...]) -> None:
        size, position = np.array([radius, thickness, 0.0]), np.array([*place, thickness])
        geom = self._scene.geoms[self._scene.ngeom]
        kind, upright = mujoco.mjtGeom.mjGEOM_CYLINDER, np.eye(3).ravel()
        mujoco.mjv_initGeom(geom, kind, size, position, upright, np.array(colour, np.float32))
        self._scene.ngeom += 1


# A renderer belongs to the thread that made it, and does not survive a fork.
_mazes = threading.local()


def _maze() -> _Maze:
    if getattr(_mazes, "process", None) != os.getpid():
        _mazes.maze, _mazes.process = _Maze(), os.getpid()
    return _mazes.maze
