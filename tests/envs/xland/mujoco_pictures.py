"""What cameras see of XLand's states, drawn by MuJoCo's renderer instead of the raycaster.

It shows the same, in the same colours and light, by somebody else's geometry: the raycaster is compared with it. It
needs OpenGL.
"""

import math

import mujoco
import numpy as np

from procgen_bench.engine.mujoco_rendering import OffscreenRenderer
from procgen_bench.envs.xland.model import GONE_GROUP, PRESENT_GROUP
from procgen_bench.envs.xland.raycaster import check_camera_pictures, check_player_pictures
from procgen_bench.envs.xland.rays.faces import PLINTH, WALL_HEIGHT
from procgen_bench.envs.xland.rays.painting import VISOR_COLOUR, body_colour, tinted
from procgen_bench.envs.xland.rays.scenery import Scenery
from procgen_bench.tasks.xland.predicates.bodies import BODY, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA, VERTICAL_FIELD_OF_VIEW
from procgen_bench.tasks.xland.predicates.states import States
from tests.envs.xland.picture_model import picture_model

#: Nothing nearer to a camera than this (metres) is drawn.
_NEAREST = 0.02
#: How far away (the distances within which the world lies) the sky is drawn: as a box before the end of what is drawn.
_SKY_DISTANCE = 2.0
#: Room for a scene's geoms: the ground's meshes, and what there is of 12 objects and 3 players.
_MOST_GEOMS = 100


class MujocoPictures:
    """MuJoCo's renderer in the raycaster's place: :meth:`draw_players` and :meth:`draw_cameras` take what
    :func:`~procgen_bench.envs.xland.raycaster.draw_players` and its like do, return the same pictures but for edges,
    and raise the same errors.

    It keeps the world that it drew last. It belongs to the thread that made it; close it, or use it in a ``with``.
    """

    def __init__(self):
        self._world: _PictureWorld | None = None

    def __enter__(self) -> "MujocoPictures":
        return self

    def __exit__(self, *error) -> None:
        self.close()

    def draw_players(
        self, states: States, scenery: Scenery, out: np.ndarray | None = None, tints: np.ndarray | None = None
    ) -> np.ndarray:
        """See :func:`~procgen_bench.envs.xland.raycaster.draw_players`.

        Raises:
            NoRendererError: The machine has no OpenGL that MuJoCo could use.
        """
        out, tints = check_player_pictures(states, scenery, out, tints)
        num_objects, num_players = states.scenes.object_shapes.shape[1], states.num_players
        bodies, cameras = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
        for s in range(len(states)):
            place_bodies(bodies, cameras, states.scenes, states.arrays, s)
            world = self._show(states, scenery, s, tints[s])
            for p in range(out.shape[1]):
                if states.players_present[s, p]:
                    world.draw(cameras[p], VERTICAL_FIELD_OF_VIEW, out[s, p], hidden=num_objects + p)
                else:
                    out[s, p] = 0
        return out

    def draw_cameras(
        self,
        states: States,
        scenery: Scenery,
        cameras: np.ndarray,
        out: np.ndarray,
        field_of_view: float = VERTICAL_FIELD_OF_VIEW,
        tints: np.ndarray | None = None,
    ) -> np.ndarray:
        """See :func:`~procgen_bench.envs.xland.raycaster.draw_cameras`.

        Raises:
            NoRendererError: The machine has no OpenGL that MuJoCo could use.
        """
        tints = check_camera_pictures(states, scenery, cameras, out, field_of_view, tints)
        for s in range(len(states)):
            world = self._show(states, scenery, s, tints[s])
            for camera, picture in zip(cameras[s], out[s]):
                world.draw(camera, field_of_view, picture)
        return out

    def close(self) -> None:
        """Free what is open; pictures drawn later open it again."""
        if self._world is not None:
            self._world.close()
            self._world = None

    def _show(self, states: States, scenery: Scenery, s: int, tints: np.ndarray) -> "_PictureWorld":
        """The world of state ``s``, with its bodies where they are in it."""
        scene = int(states.scene[s])
        if self._world is None or not self._world.is_of(states, scenery, scene):
            self.close()
            self._world = _PictureWorld(states, scenery, scene)
        self._world.arrange(states, s, tints)
        return self._world


class _PictureWorld:
    """One world, ready to be drawn: its model, where its bodies are, and its renderer."""

    def __init__(self, states: States, scenery: Scenery, scene: int):
        self._source = states.scenes, scenery, scene, states.num_players
        self._model = picture_model(*self._source)
        self._data = mujoco.MjData(self._model)
        self._camera, self._option, self._perturbation = mujoco.MjvCamera(), mujoco.MjvOption(), mujoco.MjvPerturb()
        self._option.geomgroup[:] = np.arange(mujoco.mjNGROUP) == PRESENT_GROUP
        self._renderer = OffscreenRenderer(self._model)
        self._scene = mujoco.MjvScene(self._model, maxgeom=_MOST_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = False
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._body_of_geom = self._model.geom_bodyid - 1
        corner = scenery.extents[scene] + (0.0, 0.0, WALL_HEIGHT + PLINTH)
        self._middle, self._radius = corner / 2 - (0.0, 0.0, PLINTH), float(np.linalg.norm(corner)) / 2

    def is_of(self, states: States, scenery: Scenery, scene: int) -> bool:
        """Whether it shows this world."""
        scenes, own_scenery, own_scene, num_players = self._source
        return (
            scenes is states.scenes
            and own_scenery is scenery
            and (own_scene, num_players) == (scene, states.num_players)
        )

    def arrange(self, states: States, s: int, tints: np.ndarray) -> None:
        """Put the bodies where they are in state ``s``, in their colours under the tints."""
        scenes, scenery, scene, _ = self._source
        num_objects = scenes.object_shapes.shape[1]
        places, turns = self._data.mocap_pos, self._data.mocap_quat
        places[:num_objects], turns[:num_objects] = states.object_positions[s], states.object_rotations[s]
        half_yaws = states.player_yaws[s] / 2
        places[num_objects:], turns[num_objects:] = states.player_positions[s], 0.0
        turns[num_objects:, 0], turns[num_objects:, 3] = np.cos(half_yaws), np.sin(half_yaws)
        objects_present = states.objects_present[s] & (scenes.object_shapes[scene] >= 0)
        self._present = np.concatenate([objects_present, states.players_present[s]])
        for body, tint in enumerate(tints.astype(np.float64)):
            first = self._model.body_geomadr[1 + body]
            colour = body_colour.py_func(body, scenes, scene, scenery.player_colours[scene])
            self._model.geom_rgba[first, :3] = np.array(tinted.py_func(colour, tint)) / 255
            if body >= num_objects:
                self._model.geom_rgba[first + 1, :3] = np.array(tinted.py_func(VISOR_COLOUR, tint)) / 255
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)

    def draw(self, camera: np.ndarray, field_of_view: float, picture: np.ndarray, hidden: int = -1) -> None:
        """Draw what a camera sees, all bodies but ``hidden``."""
        present = self._present & (np.arange(len(self._present)) != hidden)
        of_bodies = self._body_of_geom >= 0
        shown = present[self._body_of_geom[of_bodies]]
        self._model.geom_group[of_bodies] = np.where(shown, PRESENT_GROUP, GONE_GROUP)
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            self._perturbation,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        distance = float(np.linalg.norm(self._middle - camera["eye"]))
        near, far = max(_NEAREST, distance - self._radius), _SKY_DISTANCE * (distance + self._radius)
        look(self._scene, camera, field_of_view, near, far)
        self._renderer.draw(self._scene, picture)

    def close(self) -> None:
        self._renderer.close()


def look(scene: mujoco.MjvScene, camera: np.ndarray, field_of_view: float, near: float, far: float) -> None:
    """Have a scene be drawn as a camera sees it.

    Args:
        scene: Its cameras are written.
        camera: CAMERA.
        field_of_view: Angle between the upper and the lower border of the picture (radians).
        near, far: Depths (metres) between which things are drawn.
    """
    for eye in scene.camera:  # the left one and the right one, which are one for us
        eye.pos[:], eye.forward[:], eye.up[:] = camera["eye"], camera["forward"], camera["up"]
        eye.frustum_near, eye.frustum_far = near, far
        eye.frustum_top = near * math.tan(field_of_view / 2)
        eye.frustum_bottom, eye.frustum_center, eye.frustum_width = -eye.frustum_top, 0.0, 0.0
