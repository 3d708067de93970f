"""The four relations as MuJoCo measures them: distances of geoms, contacts, rays, and the beams of the hands."""

import copy

import mujoco
import numpy as np

from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import ATOMS
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, PLAYER_HEIGHT, SHAPES
from tests.envs.xland.stages import directions

#: The eye above a player's centre, metres: 1.5 m above its feet.
_EYE = np.array([0.0, 0.0, 1.5 - PLAYER_HEIGHT / 2])
#: Radius of the sphere that stands for a point where distances are measured (metres).
_POINT = 1e-6


class Geometry:
    """A copy of a simulation's model and data, in which nothing sleeps.

    Bodies are numbered as in the simulation: objects, then players.
    """

    def __init__(self, simulation: XLandSimulation):
        self.simulation, self.world = simulation, simulation.task.world
        self.model = copy.copy(simulation.bodies.model)
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:], self.data.qvel[:] = simulation.bodies.data.qpos, simulation.bodies.data.qvel
        mujoco.mj_forward(self.model, self.data)
        self.num_objects = simulation.bodies.num_objects
        self._visible = np.array([1, 0, 0, 0, 0, 0], np.uint8)
        self._pictures: dict[int, np.ndarray] = {}

    def truth(self, atom, me: int) -> bool:
        """Whether an atom holds for a player (0 or 1)."""
        relation = {"near": self.near, "see": self.see, "on": self.on, "hold": self.hold}[atom.relation]
        return any(
            relation(a, b)
            for a in self.bodies_of(atom.first, me)
            for b in (
                [FLOORS.index(atom.second.split()[0])] if atom.relation == "on" else self.bodies_of(atom.second, me)
            )
        )

    def truths(self, relation: str, out: np.ndarray) -> np.ndarray:
        """``out``, bool (2, 212), with the atoms of a relation overwritten."""
        out = out.copy()
        for a, atom in enumerate(ATOMS):
            if atom.relation == relation:
                out[:, a] = [self.truth(atom, me) for me in range(2)]
        return out

    def near(self, a: int, b: int) -> bool:
        """The construction of A.2.1 with MuJoCo's closest points; never true where the surfaces are further apart."""
        near = self.constructed_distance(a, b) <= 1.0
        assert not near or self.distance(a, b) <= 1.0 + 1e-4
        return near

    def distance(self, a: int, b: int) -> float:
        """Between two surfaces (metres)."""
        return mujoco.mj_geomDistance(self.model, self.data, self._geom(a), self._geom(b), 100.0, None)

    def constructed_distance(self, a: int, b: int) -> float:
        """Between the points of two bodies that are closest to the middle of those closest to the other's centre."""
        probes = _Probe(self, a), _Probe(self, b)
        centres = [self.data.xipos[1 + body] for body in (a, b)]
        middle = (probes[0].closest(centres[1]) + probes[1].closest(centres[0])) / 2
        return float(np.linalg.norm(probes[0].closest(middle) - probes[1].closest(middle)))

    def on(self, body: int, floor: int) -> bool:
        """A contact with a geom of the ground whose normal points upwards, over or beside a tile of this colour."""
        for contact in self.data.contact:
            bodies = self.model.geom_bodyid[contact.geom].tolist()
            if sorted(bodies) == [0, 1 + body]:
                ground = int(contact.geom[bodies.index(0)])
                up = contact.frame[2] * (1.0 if bodies[0] == 0 else -1.0)
                if up >= 0.5 and self._floor_of(ground, contact.pos) == floor:
                    return True
        return False

    def hold(self, player: int, k: int) -> bool:
        """The beam holds the object, and pulls at it; what no beam holds, no force of ours moves."""
        players = self.simulation.players
        holders = [p for p in range(len(players)) if players["held"][p] == k]
        pull = np.linalg.norm(self.simulation.bodies.applied[6 * k : 6 * k + 3])
        assert (pull > 0.0) == bool(holders)
        return player - self.num_objects in holders

    def see(self, a: int, b: int) -> bool:
        """A ray from an object's centre to the other's; of a player, some ray through its picture's pixels."""
        if a < self.num_objects:
            return self._first_met(a, self.data.xipos[1 + a], self.data.xipos[1 + b], b)
        return self.pixels(a, b) > 0

    def pixels(self, player: int, body: int) -> int:
        """How many of the 72 x 96 rays through the pixels of a player's picture meet a body first."""
        if player not in self._pictures:
            self._pictures[player] = self._picture(player)
        return int((self._pictures[player] == self._geom(body)).sum())

    def _picture(self, player: int) -> np.ndarray:
        """The geom that each of these rays meets first: int64 (6912,)."""
        p = player - self.num_objects
        rays = directions(self.simulation.players["yaw"][p], self.simulation.players["pitch"][p]).reshape(-1, 3)
        eye, geom, met = self.data.xipos[1 + player] + _EYE, np.zeros(1, np.int32), np.empty(len(rays), np.int64)
        for number, ray in enumerate(rays):
            mujoco.mj_ray(self.model, self.data, eye, ray, self._visible, True, 1 + player, geom)
            met[number] = geom[0]
        return met

    def bodies_of(self, entity: str, me: int) -> list[int]:
        """The bodies that are there of an entity's name."""
        if entity in ("me", "opponent"):
            found = [self.num_objects + (me if entity == "me" else 1 - me)]
        else:
            colour, shape = entity.split()
            is_it = (self.world.object_colours == COLOURS.index(colour)) & (
                self.world.object_shapes == SHAPES.index(shape)
            )
            found = np.flatnonzero(is_it).tolist()
        return [body for body in found if self.model.geom_contype[self._geom(body)]]

    def _geom(self, body: int) -> int:
        return int(self.model.body_geomadr[1 + body])

    def _floor_of(self, ground: int, place: np.ndarray) -> int:
        """Colour of the tile of a ground's geom at a place; at a box's border that of the tile within."""
        rows, columns = self.world.shape
        least, most = np.zeros(2), np.array([columns, rows]) * self.world.tile_size[:2]
        if self.model.geom_type[ground] == mujoco.mjtGeom.mjGEOM_BOX:
            half = abs(self.data.geom_xmat[ground].reshape(3, 3)) @ self.model.geom_size[ground]
            centre = self.data.geom_xpos[ground]
            least, most = np.maximum(least, (centre - half)[:2]), np.minimum(most, (centre + half)[:2])
        column, row = (np.clip(place[:2], least + 1e-6, most - 1e-6) / self.world.tile_size[:2]).astype(int)
        return int(self.world.floors[row, column])

    def _first_met(self, viewer: int, start: np.ndarray, end: np.ndarray, target: int) -> bool:
        """Whether a ray meets the target, or nothing before its end. (Bodies are convex: what stands within the target
        cannot be met before it.)"""
        met = np.zeros(1, np.int32)
        way = end - start
        part = mujoco.mj_ray(self.model, self.data, start, way, self._visible, True, 1 + viewer, met)
        return part < 0 or met[0] == self._geom(target) or part >= 1.0 - 1e-9

    def _corners(self, body: int) -> np.ndarray:
        """Corners of a body in the world (metres); of round ones, their outermost points along its axes."""
        geom = self._geom(body)
        kind, size = self.model.geom_type[geom], self.model.geom_size[geom]
        place, turn = self.data.geom_xpos[geom], self.data.geom_xmat[geom].reshape(3, 3)
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            mesh = self.model.geom_dataid[geom]
            first = self.model.mesh_vertadr[mesh]
            own = self.model.mesh_vert[first : first + self.model.mesh_vertnum[mesh]].astype(float)
        elif kind == mujoco.mjtGeom.mjGEOM_BOX:
            own = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
        else:
            radius, height = size[0], size[0] + (size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0)
            own = np.concatenate([np.diag([radius, radius, height]), -np.diag([radius, radius, height])])
            if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
                turn = self._upright(body)
        return place + own @ turn.T

    def _upright(self, body: int) -> np.ndarray:
        """Axes of a player, which turns about the vertical (in MuJoCo it does not turn)."""
        yaw = self.simulation.players["yaw"][body - self.num_objects]
        return np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])


class _Probe:
    """A body and a point beside it, in a model of their own."""

    def __init__(self, geometry: Geometry, body: int):
        geom, model, data = geometry._geom(body), geometry.model, geometry.data
        spec = mujoco.MjSpec()
        copied = spec.worldbody.add_geom(type=model.geom_type[geom], size=model.geom_size[geom])
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH:
            spec.add_mesh(name="mesh", uservert=geometry._corners(body).ravel())
            copied.meshname, copied.size = "mesh", [0.0, 0.0, 0.0]
        else:
            copied.pos, copied.quat = data.geom_xpos[geom], _quaternion(data.geom_xmat[geom])
        point = spec.worldbody.add_body(name="point", mocap=True)
        point.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[_POINT, 0, 0])
        self._model = spec.compile()
        self._model.opt.ccd_tolerance = 1e-9
        self._data = mujoco.MjData(self._model)

    def closest(self, point: np.ndarray) -> np.ndarray:
        """The point of the body's surface that is closest to another, outside of it (metres)."""
        self._data.mocap_pos[0] = point
        mujoco.mj_kinematics(self._model, self._data)
        between = np.zeros(6)
        mujoco.mj_geomDistance(self._model, self._data, 0, 1, 100.0, between)
        return between[:3]


def _quaternion(matrix: np.ndarray) -> np.ndarray:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, matrix.ravel())
    return quaternion
