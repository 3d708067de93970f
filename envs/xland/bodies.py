"""The bodies of one world in MuJoCo: where they are, what takes them away or holds them fast, and what stirs them."""

import mujoco
import numpy as np

from procgen_bench.envs.xland.model import (
    GONE_GROUP,
    OBJECT_POSITIONS,
    OBJECT_VELOCITIES,
    PLAYER_SLIDES,
    PRESENT_GROUP,
    world_model,
)
from procgen_bench.envs.xland.starts import object_starts, player_starts
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.worlds.bodies import object_radii, player_radii
from procgen_bench.tasks.xland.worlds.world import World

#: Inertia added to what is frozen or gone (kg and kg m2): no force here moves it visibly.
FAST_INERTIA = 1e9
#: A force too small to matter (newtons), which wakes what sleeps.
STIR_FORCE = 1e-9
#: Distance (metres) above another body at which one returns whose place is taken.
_RETURN_GAP = 0.05


class Bodies:
    """K objects and P players of a world; body k < K is object k, body K + p is player p.

    Attributes:
        model, data: MuJoCo's.
        object_poses: float64 (K, 7), a view: centres of mass (metres) and rotations (w, x, y, z).
        object_motions: float64 (K, 6), a view: velocities, and spins about the objects' own axes (per second).
        player_places: float64 (P, 3), a view: centres (metres).
        player_velocities: float64 (P, 3), a view (metres per second).
        positions, velocities: float64 (7 K + 3 P,) and (6 K + 3 P,), views: the two of objects, then of players.
        applied: float64 (6 K + 3 P,), a view: our forces, in the order of the velocities.
        support: float64 (6 K + 3 P,), a view: forces of what the bodies touched in the last 10 ms, in the same order.
        friction: float64 (K + P,), a view: of all bodies, which changes as they move.
        objects: OBJECT (K,), what does not change of the objects.
        awake: int32 (1 + K + P,), a view: whether bodies are awake, after the world, which is -1.
        body_of_geom: int64 (geoms,), the body of every geom; -1: the ground or a wall.

    Args:
        world: A valid world.
        sleep: Whether what lies still sleeps.
    """

    def __init__(self, world: World, sleep: bool = True):
        self._parts = world_model(world, sleep)
        self.model = model = self._parts.model
        self.data = data = mujoco.MjData(model)
        self.num_objects, self.num_players = num_objects, num_players = self._parts.num_objects, self._parts.num_players
        positions, velocities = OBJECT_POSITIONS * num_objects, OBJECT_VELOCITIES * num_objects
        self.object_poses = data.qpos[:positions].reshape(num_objects, OBJECT_POSITIONS)
        self.object_motions = data.qvel[:velocities].reshape(num_objects, OBJECT_VELOCITIES)
        self.player_places = data.qpos[positions:].reshape(num_players, PLAYER_SLIDES)
        self.player_velocities = data.qvel[velocities:].reshape(num_players, PLAYER_SLIDES)
        self.applied, self.awake = data.qfrc_applied, data.body_awake
        self._warnings = data.warning.number
        self.support = data.qfrc_constraint
        self.body_of_geom, self._geoms = self._parts.body_of_geom, self._parts.geoms
        self.friction = model.geom_friction[model.ngeom - num_objects - num_players :, 0]
        self.objects = self._parts.objects
        self.positions, self.velocities = data.qpos, data.qvel
        self._inertias_at_first = model.dof_M0.copy()
        self._object_starts, self._player_starts = object_starts(world), player_starts(world)
        radii = object_radii(world.object_shapes, world.object_sizes)
        self._radii = np.concatenate([radii, player_radii(num_players)])
        self._rises = np.concatenate([self.objects["reach"], np.full(num_players, PLAYER_HEIGHT / 2)])
        self._present_groups = (np.arange(mujoco.mjNGROUP) == PRESENT_GROUP).astype(np.uint8)
        self._stirred = False
        self._hit, self._normal = np.zeros(1, np.int32), np.zeros(3)

    def begin(self) -> None:
        """Put all bodies at their starts, at rest and free."""
        mujoco.mj_resetData(self.model, self.data)
        for body in range(len(self._geoms)):
            self.set_present(body, True)
            self.set_fast(body, False)
            self._place(body)
        mujoco.mj_forward(self.model, self.data)

    def set_present(self, body: int, present: bool) -> None:
        """Whether a body meets others and is in their sight."""
        geom = self._geoms[body]
        self.model.geom_contype[geom] = self.model.geom_conaffinity[geom] = present
        self.model.geom_group[geom] = PRESENT_GROUP if present else GONE_GROUP

    def set_fast(self, body: int, fast: bool) -> None:
        """Whether nothing moves a body; from then on it is at rest."""
        first = self.model.body_dofadr[1 + body]
        velocities = slice(first, first + self.model.body_dofnum[1 + body])
        # MuJoCo reads the inertia of bodies that turn about their own axes from dof_M0, and adds up that of others.
        self.model.dof_armature[velocities] = added = FAST_INERTIA if fast else 0.0
        self.model.dof_M0[velocities] = self._inertias_at_first[velocities] + added
        if fast:
            self.data.qvel[velocities] = self.data.qacc_warmstart[velocities] = 0.0

    def stir(self) -> None:
        """Wake all objects: what some rest on has changed."""
        self.data.xfrc_applied[1 : 1 + self.num_objects, 2] = STIR_FORCE
        self._stirred = True

    def has_warned(self) -> bool:
        """Whether MuJoCo has warned of numbers that are none, or of too many contacts."""
        return any(self._warnings.tolist())

    def calm(self) -> None:
        """Undo :meth:`stir`; what is awake stays so for a while."""
        if self._stirred:
            self.data.xfrc_applied[:] = 0.0
            self._stirred = False

    def put_back(self, body: int, present: np.ndarray) -> None:
        """Put a body at its start, at rest; where others (``present``: bool (K + P,)) are, above them."""
        self._place(body)
        centres = np.concatenate([self.object_poses[:, :3], self.player_places])
        others = np.flatnonzero(present & (np.arange(len(present)) != body))
        apart = np.hypot(*(centres[others] - centres[body])[:, :2].T) >= self._radii[others] + self._radii[body]
        for other in others[~apart][np.argsort(centres[others[~apart], 2], kind="stable")]:
            height = self._rises[other] + self._rises[body]
            if abs(centres[body, 2] - centres[other, 2]) < height:
                centres[body, 2] = centres[other, 2] + height + _RETURN_GAP
        place = self.object_poses[body] if body < self.num_objects else self.player_places[body - self.num_objects]
        place[2] = centres[body, 2]

    def ray(self, start: np.ndarray, direction: np.ndarray, player: int) -> tuple[float, int, float]:
        """The first surface along a ray (float64 (3,) each), other than of ``player``, whose ray it is.

        Returns:
            Distance in metres (infinite if there is none), the body (-1: the ground, a wall, nothing), and how far
            the surface's normal points upwards (-1 to 1).
        """
        distance = mujoco.mj_ray(
            self.model,
            self.data,
            start,
            direction,
            self._present_groups,
            True,
            1 + self.num_objects + player,
            self._hit,
            self._normal,
        )
        if distance < 0:
            return np.inf, -1, 0.0
        return distance, int(self.body_of_geom[self._hit[0]]), float(self._normal[2])

    def _place(self, body: int) -> None:
        if body < self.num_objects:
            self.object_poses[body], self.object_motions[body] = self._object_starts[body], 0.0
        else:
            player = body - self.num_objects
            self.player_places[player], self.player_velocities[player] = self._player_starts[player], 0.0
