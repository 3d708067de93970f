"""The bodies of one world in MuJoCo: where they are, what takes them away or holds them fast, and what stirs them."""

import mujoco
import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.pointers import write_places
from procgen_bench.engine.mujoco_calls import physics_addresses, warnings_of
from procgen_bench.envs.xland.body_arrays import (
    BODY_PLACES,
    STIR_FORCE,
    BodyArrays,
    bodies_at,
    cast_ray,
    place,
    set_fast,
    set_present,
)
from procgen_bench.envs.xland.model import (
    OBJECT_POSITIONS,
    OBJECT_VELOCITIES,
    PLAYER_SLIDES,
    PRESENT_GROUP,
    world_model,
)
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.starts import object_starts, player_starts
from procgen_bench.tasks.xland.worlds.bodies import object_radii, player_radii
from procgen_bench.tasks.xland.worlds.world import World


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
        arrays: All of this as compiled functions take it.
        places: BODY_PLACES (1,), where these arrays lie.

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
        self.support = data.qfrc_constraint
        self.body_of_geom, self.objects = self._parts.body_of_geom, self._parts.objects
        self.positions, self.velocities = data.qpos, data.qvel
        radii = object_radii(world.object_shapes, world.object_sizes)
        self.arrays = BodyArrays(
            addresses=physics_addresses(model, data),
            positions=data.qpos,
            velocities=data.qvel,
            applied=data.qfrc_applied,
            support=data.qfrc_constraint,
            warm_starts=data.qacc_warmstart,
            stirring=data.xfrc_applied,
            awake=data.body_awake,
            warnings=warnings_of(data),
            collides_with=model.geom_contype,
            collides_as=model.geom_conaffinity,
            groups=model.geom_group,
            frictions=model.geom_friction[model.ngeom - num_objects - num_players :],
            added_inertias=model.dof_armature,
            inertias=model.dof_M0,
            inertias_at_first=model.dof_M0.copy(),
            geoms=self._parts.geoms,
            body_of_geom=self.body_of_geom,
            objects=self.objects,
            object_starts=object_starts(world),
            player_starts=player_starts(world),
            radii=np.concatenate([radii, player_radii(num_players)]),
            rises=np.concatenate([self.objects["reach"], np.full(num_players, PLAYER_HEIGHT / 2)]),
            seen_groups=(np.arange(mujoco.mjNGROUP) == PRESENT_GROUP).astype(np.uint8),
        )
        self.friction = self.arrays.frictions[:, 0]
        self.places = np.zeros(1, BODY_PLACES)
        write_places(self.places[0], self.arrays._asdict())

    def begin(self) -> None:
        """Put all bodies at their starts, at rest and free."""
        mujoco.mj_resetData(self.model, self.data)
        _begin(self.places)
        mujoco.mj_forward(self.model, self.data)

    def stir(self) -> None:
        """Wake all objects in the next step: what some rest on has changed."""
        self.arrays.stirring[1 : 1 + self.num_objects, 2] = STIR_FORCE

    def ray(self, start: np.ndarray, direction: np.ndarray, player: int) -> tuple[float, int, float]:
        """See :func:`~procgen_bench.envs.xland.body_arrays.cast_ray`; ``start`` and ``direction`` are float64 (3,)."""
        return _ray(self.places, start, direction, player)


@njit
def _begin(places):
    bodies = bodies_at(places[0])
    for body in range(bodies.geoms.shape[0]):
        set_present(bodies, body, True)
        set_fast(bodies, body, False)
        place(bodies, body)


@njit
def _ray(places, start, direction, player):
    return cast_ray(bodies_at(places[0]), start, direction, player)
