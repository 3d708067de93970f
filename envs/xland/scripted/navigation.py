"""Navigation: where a player can come to, which way it takes, and what it does when it does not get on."""

import math

import numpy as np

from procgen_bench.envs.xland.scripted.places import best_place, nearest_cell
from procgen_bench.envs.xland.scripted.routes import add_tolls, cell_at, explore, next_point, way_to
from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.envs.xland.scripted.terrain import terrain_of
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS, SLAB
from procgen_bench.tasks.xland.predicates.ground import GROUND, ground_obstructs, place_ground
from procgen_bench.tasks.xland.predicates.states import scene_arrays
from procgen_bench.tasks.xland.worlds.world import World

#: Metres that a way is worth longer than one through an object, a player, a slab that lies, or what is frozen.
_OBJECT_TOLL, _PLAYER_TOLL, _SLAB_TOLL, _FROZEN_TOLL = 3.0, 2.0, 0.4, 20.0
#: Metres by which a place that was chosen before is preferred to others: one to stand, one for an object.
_LOYALTY, _OBJECT_LOYALTY = 0.8, 4.0
#: A player's radius, half its height, and the height of its centre above the floor (metres).
_BODY = (PLAYER_RADIUS, PLAYER_HEIGHT / 2, PLAYER_HEIGHT / 2)
#: A player that walks and comes less far (metres) in so many steps is stuck.
_STUCK_DISTANCE, _STUCK_STEPS = 0.35, 10
#: What a cell costs in which a player was stuck (metres), and for how many steps.
_STUCK_TOLL, _STUCK_MEMORY = 8.0, 90


class Navigator:
    """One player's ways through one world.

    Attributes:
        terrain: The world's.
        distances: float64 (R, C), metres of way to every cell as of the last survey.
        goal: The cell to which it walks, ``None``: it stays.
    """

    def __init__(self, world: World):
        self.terrain = terrain_of(world)
        self._ground = np.zeros(1, GROUND)
        place_ground(self._ground[0], scene_arrays([world]), 0)
        shape = self.terrain.heights.shape
        self.distances, self._parents = np.full(shape, np.inf), np.full(shape, -1, np.int64)
        self._tolls = self.terrain.tolls.copy()
        self.goal: tuple[int, int] | None = None
        self._way = np.zeros((0, 2), np.int64)
        self._trail: list[tuple[float, float]] = []
        self._troubles: list[tuple[int, int, int]] = []
        self._seen: tuple | None = None

    def survey(self, senses: Senses, frozen: list[int]) -> None:
        """Find the ways to all cells, round what stands about now."""
        self._troubles = [trouble for trouble in self._troubles if senses.step - trouble[2] < _STUCK_MEMORY]
        here = self.cell(senses.x, senses.y)
        bodies = [
            body for body, present in enumerate(senses.present) if present and body not in (senses.body, senses.held)
        ]
        obstacles = [
            (*senses.places[body], senses.radii[body], senses.halves[body], self._toll(senses, body, frozen))
            for body in bodies
        ]
        seen = here, len(self._troubles), [[round(number, 1) for number in obstacle] for obstacle in obstacles]
        if seen != self._seen:
            self._seen = seen
            self._explore(here, np.array(obstacles, np.float64).reshape(-1, 6))
        if self.goal is not None:
            self._take_way()

    def _explore(self, here: tuple[int, int], obstacles: np.ndarray) -> None:
        terrain, tolls = self.terrain, self._tolls
        tolls[:] = terrain.tolls
        add_tolls(tolls, terrain.heights, terrain.cell, obstacles)
        for row, column, _ in self._troubles:
            tolls[row, column] += _STUCK_TOLL
        explore(terrain.passable, tolls, terrain.cell, *here, self.distances, self._parents)

    def place(
        self, wishes: np.ndarray, radius: float, half: float, rest: float, loyal_to: tuple[int, int] | None
    ) -> tuple[int, int, float, float]:
        """The cell that suits wishes best for an object that is put there; the rest is as for
        :func:`~procgen_bench.envs.xland.scripted.places.best_place`.

        Args:
            wishes: (n,) of dtype ``WISH``.
            radius, half, rest: See there; metres.
            loyal_to: The cell that was chosen before.
        """
        return self._place(self.distances, wishes, radius, half, rest, True, loyal_to, _OBJECT_LOYALTY)

    def stand(self, wishes: np.ndarray) -> tuple[int, int, float, float]:
        """The cell that suits ``wishes`` ((n,) of dtype ``WISH``) best for the player itself; see :meth:`place`."""
        return self._place(self.distances, wishes, *_BODY, False, self.goal, _LOYALTY)

    def unmet_from(self, cell: tuple[int, int], wishes: np.ndarray) -> float:
        """Weight of a player's ``wishes`` ((n,) of dtype ``WISH``) that are not met at the best place to which a way
        leads from a cell."""
        distances, parents = np.empty_like(self.distances), np.empty_like(self._parents)
        explore(self.terrain.passable, self._tolls, self.terrain.cell, *cell, distances, parents)
        return self._place(distances, wishes, *_BODY, False, None, 0.0)[3]

    def _place(
        self,
        distances: np.ndarray,
        wishes: np.ndarray,
        radius: float,
        half: float,
        rest: float,
        is_object: bool,
        loyal_to: tuple[int, int] | None,
        loyalty: float,
    ) -> tuple[int, int, float, float]:
        if loyal_to is not None:
            before = distances[loyal_to]
            distances[loyal_to] = before - loyalty
        found = best_place(self.terrain, self._ground[0], self._tolls, distances, wishes, radius, half, rest, is_object)
        if loyal_to is not None:
            distances[loyal_to] = before
        return found

    def set_goal(self, goal: tuple[int, int] | None) -> None:
        """Walk to a cell, or stay."""
        if goal is not None and not np.isfinite(self.distances[goal]):
            goal = None
        if goal != self.goal:
            self.goal = goal
            self._take_way()

    def heading(self, senses: Senses) -> tuple[float, float, bool] | None:
        """The point (metres) to which to walk straight on, and whether it is the last; ``None``: stay."""
        if self.goal is None:
            return None
        x, y, place = next_point(self.terrain.passable, self._tolls, self.terrain.cell, self._way, senses.x, senses.y)
        if place < 0:
            self.goal = None
            return None
        last = place == len(self._way) - 1
        return x, y, last

    def notice(self, senses: Senses, walks: bool) -> bool:
        """Note where the player is, and whether it is stuck: it wants to walk and does not get on."""
        if not walks:
            self._trail.clear()
            return False
        self._trail.append((senses.x, senses.y))
        if len(self._trail) <= _STUCK_STEPS:
            return False
        x, y = self._trail.pop(0)
        if senses.away(x, y) >= _STUCK_DISTANCE:
            return False
        self._trail.clear()
        heading = self.heading(senses)
        if heading is not None:
            length = max(senses.away(heading[0], heading[1]), 1e-6)
            ahead = 0.6 * self.terrain.cell.max() + 0.3
            cell = self.cell(
                senses.x + (heading[0] - senses.x) / length * ahead, senses.y + (heading[1] - senses.y) / length * ahead
            )
            self._troubles.append((*cell, senses.step))
        return True

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """The cell at a point (metres)."""
        return cell_at(self.terrain.cell, self.terrain.heights.shape, x, y)

    def middle(self, row: int, column: int) -> tuple[float, float, float]:
        """Middle of a cell's floor (metres)."""
        width, depth = self.terrain.cell.tolist()
        return (column + 0.5) * width, (row + 0.5) * depth, float(self.terrain.heights[row, column])

    def way_length(self, x: float, y: float) -> float:
        """Metres of way to a point; infinite where none leads."""
        return float(nearest_cell(self.distances, self.terrain.cell, x, y))

    def sees(self, a: tuple[float, float, float], b: tuple[float, float, float]) -> bool:
        """Whether no ground stands between two points (metres)."""
        return not ground_obstructs(self._ground[0], *a, *b)

    def floor(self, x: float, y: float) -> float:
        """Height of the floor (metres) in the middle of the cell at a point."""
        return float(self.terrain.heights[self.cell(x, y)])

    def _take_way(self) -> None:
        if self.goal is None or not math.isfinite(self.distances[self.goal]):
            self.goal = None
        else:
            self._way = way_to(self._parents, *self.goal)

    def _toll(self, senses: Senses, body: int, frozen: list[int]) -> float:
        if frozen[body]:
            return _FROZEN_TOLL
        if body >= senses.num_objects:
            return _PLAYER_TOLL
        return _SLAB_TOLL if senses.shapes[body] == SLAB else _OBJECT_TOLL
