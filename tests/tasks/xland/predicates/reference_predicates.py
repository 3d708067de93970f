"""The predicates in plain Python and NumPy, written from section A.2 alone: slow, and by other means than the kernels.

Polytopes are triangles and half-spaces made from their corners; the ground is one or two half-infinite solids a tile,
all of which every segment is held against; players are searched for the segment's closest point; a picture's rays all
are followed to what they meet first. Of the package it knows the names of things and the states' arrays.
"""

import math
from functools import cached_property, lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, OBJECTS, Atom
from procgen_bench.tasks.xland.games.resolution import PLAYER_ATOMS, PLAYER_NAMES
from procgen_bench.tasks.xland.predicates.states import States

RADIUS, HALF_HEIGHT, EYE_ABOVE_CENTRE = 0.3, 0.825, 0.675
UP = np.array([0.0, 0.0, 1.0])
#: Through the middles of a picture's pixels: ahead, to the left, up; of depth 1.
PICTURE_RAYS = np.array([(1.0, 47.5 - column, 35.5 - row) for row in range(72) for column in range(96)]) * np.array(
    [1.0, *[math.tan(math.radians(30)) / 36] * 2]
)
#: A segment passes through a solid if it does so for more than this part of its length.
ROUNDING = 1e-12
#: Heights (levels) of the corners (0, 0), (1, 0), (0, 1), (1, 1) of the ramps, by kind.
RAMP_CORNERS = {1: (0, 0, 1, 1), 2: (0, 1, 0, 1), 3: (1, 1, 0, 0), 4: (1, 0, 1, 0)}
#: The corners of the higher halves of the diagonals, by kind; the middle one is that which the kind is named after.
HIGH_CORNERS = {
    5: [(1, 0), (1, 1), (0, 1)],
    6: [(0, 0), (1, 0), (1, 1)],
    7: [(1, 0), (0, 0), (0, 1)],
    8: [(0, 0), (0, 1), (1, 1)],
}


class Body:
    """An object or a player."""

    def __init__(self, name: str, shape: str, size: float, centre: np.ndarray, rotation: Rotation):
        self.name, self.shape, self.size, self.centre = name, shape, size, centre
        self.axes = rotation.as_matrix().T

    @cached_property
    def corners(self) -> np.ndarray:
        """(C, 3), metres, in the world."""
        if self.shape == "pyramid":
            base = [(x, y, -0.25) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
            corners = np.array([*base, (0, 0, 0.75)])
        else:
            edges = (1, 0.5, 0.125) if self.shape == "slab" else (1, 1, 1)
            corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * edges
        return self.centre + self.size * corners @ self.axes

    @cached_property
    def faces(self) -> tuple[np.ndarray, np.ndarray]:
        """Triangles (T, 3, 3) of the hull, and half-spaces (T, 4): inside, normal . point + offset < 0."""
        corners, middle = self.corners, self.corners.mean(axis=0)
        triangles, planes = [], []
        for i in range(len(corners)):
            for j in range(i):
                for k in range(j):
                    normal = np.cross(corners[j] - corners[i], corners[k] - corners[i])
                    normal /= np.linalg.norm(normal)
                    normal *= -np.sign(normal @ (middle - corners[i])) or 1.0
                    if ((corners - corners[i]) @ normal < 1e-9).all():
                        triangles.append(corners[[i, j, k]])
                        planes.append([*normal, -normal @ corners[i]])
        return np.array(triangles), np.array(planes)

    def closest(self, point: np.ndarray) -> np.ndarray:
        """The closest point of the surface."""
        if self.shape in ("sphere", "player"):
            heart, radius = self.centre, self.size / 2
            if self.shape == "player":
                rise = np.clip(point[2] - self.centre[2], RADIUS - HALF_HEIGHT, HALF_HEIGHT - RADIUS)
                heart, radius = self.centre + rise * UP, RADIUS
            return heart + radius * (point - heart) / np.linalg.norm(point - heart)
        candidates = closest_on_triangles(self.faces[0], point)
        return candidates[np.argmin(np.linalg.norm(candidates - point, axis=1))]

    def entries(self, eye: np.ndarray, rays: np.ndarray) -> np.ndarray:
        """When rays (R, 3) from the eye enter: (R,), infinite where they miss, not above 0 where they begin inside."""
        if self.shape == "sphere":
            return ball_entries(eye - self.centre, rays, self.size / 2)
        if self.shape == "player":
            half = HALF_HEIGHT - RADIUS
            x, y, z = eye - self.centre
            if math.hypot(x, y, z - np.clip(z, -half, half)) < RADIUS:
                return np.full(len(rays), -1.0)
            ends = [ball_entries(eye - self.centre + rise * UP, rays, RADIUS) for rise in (-half, half)]
            start, flat = eye - self.centre, rays * (1, 1, 0)
            side = ball_entries(start * (1, 1, 0), flat, RADIUS)
            with np.errstate(invalid="ignore"):
                side[~(np.abs(start[2] + side * rays[:, 2]) <= half)] = np.inf
            return np.minimum.reduce([*ends, side])
        planes = self.faces[1]
        above, change = planes[:, :3] @ eye + planes[:, 3], rays @ planes[:, :3].T
        with np.errstate(divide="ignore", invalid="ignore"):
            times = -above / change
        enters = np.where(change < 0, times, np.where((change == 0) & (above >= 0), np.inf, -np.inf)).max(axis=1)
        leaves = np.where(change > 0, times, np.inf).min(axis=1)
        return np.where((enters < leaves) & (leaves > 0), enters, np.inf)

    def blocks(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether the segment passes through the inside."""
        along = b - a
        time = np.clip((self.centre - a) @ along / (along @ along), 0, 1)
        distance = np.linalg.norm(a + time * along - self.centre)
        if self.shape == "sphere":
            return distance < self.size / 2
        if self.shape == "player":
            return distance < HALF_HEIGHT and least_axis_distance(a - self.centre, along) < RADIUS
        return passes_through(self.faces[1][None], a, b)


def closest_on_triangles(triangles: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Candidates (4 T, 3): feet on the planes where they lie within the triangles, and closest points of the edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    feet = point - ((point - a) * normals).sum(axis=1, keepdims=True) * normals
    within = np.ones(len(a), bool)
    edges = []
    for begin, end in ((a, b), (b, c), (c, a)):
        along = end - begin
        within &= (np.cross(along, feet - begin) * normals).sum(axis=1) >= 0
        times = np.clip(((point - begin) * along).sum(axis=1) / (along**2).sum(axis=1), 0, 1)
        edges.append(begin + times[:, None] * along)
    return np.concatenate([feet[within], *edges])


def ball_entries(start: np.ndarray, rays: np.ndarray, radius: float) -> np.ndarray:
    """When rays that start so far from its centre enter a ball: (R,)."""
    along, squares = rays @ start, (rays**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = np.sqrt(along**2 - squares * (start @ start - radius**2))
        leaves = (-along + reach) / squares
        return np.where(leaves > 0, (-along - reach) / squares, np.inf)


def least_axis_distance(start: np.ndarray, along: np.ndarray) -> float:
    """Least distance of a segment from a player's axis, found by thirds: the distance is convex along the segment."""
    half = HALF_HEIGHT - RADIUS
    (x, y, z), (dx, dy, dz) = start.tolist(), along.tolist()

    def distance(time: float) -> float:
        height = z + time * dz
        return math.hypot(x + time * dx, y + time * dy, height - min(max(height, -half), half))

    low, high = 0.0, 1.0
    for _ in range(120):
        third = (high - low) / 3
        if distance(low + third) <= distance(high - third):
            high -= third
        else:
            low += third
    return distance((low + high) / 2)


def passes_through(solids: np.ndarray, a: np.ndarray, b: np.ndarray) -> bool:
    """Whether a segment passes through the inside of any of the solids (N, F, 4), intersections of half-spaces."""
    at_a, at_b = solids[..., :3] @ a + solids[..., 3], solids[..., :3] @ b + solids[..., 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = at_a / (at_a - at_b)
    enters = np.where(at_b < at_a, times, np.where((at_a == at_b) & (at_a >= 0), np.inf, -np.inf)).max(axis=1)
    leaves = np.where(at_b > at_a, times, np.inf).min(axis=1)
    return bool((np.minimum(leaves, 1) - np.maximum(enters, 0) > ROUNDING).any())


def ground_solids(kinds: np.ndarray, levels: np.ndarray, tile_size: np.ndarray) -> np.ndarray:
    """The ground as solids without a bottom: (N, 6, 4)."""
    nothing = (0.0, 0.0, 0.0, -1.0)
    solids = []
    for (row, column), kind in np.ndenumerate(kinds):
        level = float(levels[row, column])
        sides = [(-1, 0, 0, column), (1, 0, 0, -column - 1), (0, -1, 0, row), (0, 1, 0, -row - 1)]
        if kind in RAMP_CORNERS:
            low, east, north, _ = RAMP_CORNERS[kind]
            slope_x, slope_y = east - low, north - low
            top = (-slope_x, -slope_y, 1, slope_x * column + slope_y * row - low - level)
            solids.append([*sides, top, nothing])
            continue
        solids.append([*sides, (0, 0, 1, -level), nothing])
        if kind in HIGH_CORNERS:
            # The cut joins the first and the last corner; the second one lies on the high side.
            (x0, y0), (x1, y1), (x2, y2) = HIGH_CORNERS[kind]
            normal = np.array([y2 - y0, x0 - x2], float)
            if normal @ (x1 - x0, y1 - y0) > 0:
                normal = -normal
            cut = (*normal, 0, -normal @ (x0 + column, y0 + row))
            solids.append([*sides, (0, 0, 1, -level - 1), cut])
    return np.array(solids, float) / [*tile_size, 1]


class Scene:
    """One state."""

    def __init__(self, states: States, s: int):
        scenes, scene = states.scenes, states.scene[s]
        rows, columns = scenes.extents[scene]
        tiles = (scenes.kinds[scene, :rows, :columns], scenes.levels[scene, :rows, :columns])
        self.solids = ground_solids(*tiles, scenes.tile_size[scene])
        self.states, self.s, self.objects, self.slabs = states, s, {}, []
        for k, shape in enumerate(scenes.object_shapes[scene]):
            if shape >= 0 and states.objects_present[s, k]:
                name = f"{COLOURS[scenes.object_colours[scene, k]]} {SHAPES[shape]}"
                w, x, y, z = states.object_rotations[s, k]
                position, size = states.object_positions[s, k], scenes.object_sizes[scene, k]
                body = Body(name, SHAPES[shape], size, position, Rotation.from_quat([x, y, z, w]))
                (self.slabs.append(body) if shape == 3 else self.objects.__setitem__(k, body))
        self.players = {}
        for p in np.flatnonzero(states.players_present[s]).tolist():
            turn = Rotation.from_euler("z", states.player_yaws[s, p])
            self.players[p] = Body("player", "player", 0.0, states.player_positions[s, p], turn)
        self.bodies = [*self.objects.values(), *self.slabs, *self.players.values()]

    @lru_cache  # noqa: B019 - scenes live as long as one comparison
    def near(self, one: Body, other: Body) -> bool:
        middle = (one.closest(other.centre) + other.closest(one.centre)) / 2
        return bool(np.linalg.norm(one.closest(middle) - other.closest(middle)) <= 1)

    def clear(self, a: np.ndarray, b: np.ndarray, but: tuple[Body, Body]) -> bool:
        """Whether nothing but the two bodies stands between the points."""
        if any(body.blocks(a, b) for body in self.bodies if body not in but):
            return False
        return not passes_through(self.solids, a, b)

    @lru_cache  # noqa: B019
    def sees(self, one: Body, other: Body) -> bool:
        if one.shape != "player":
            return self.clear(one.centre, other.centre, (one, other))
        p = next(p for p, player in self.players.items() if player is one)
        yaw, pitch = self.states.player_yaws[self.s, p], self.states.player_pitches[self.s, p]
        eye = one.centre + EYE_ABOVE_CENTRE * UP
        rays = PICTURE_RAYS @ Rotation.from_euler("ZY", [yaw, -pitch]).as_matrix().T
        times = other.entries(eye, rays)
        drawn = np.isfinite(times) & (times > 0)
        rays, times = rays[drawn], times[drawn]
        for body in self.bodies:
            if body not in (one, other) and len(rays):
                open_ = body.entries(eye, rays) >= times
                rays, times = rays[open_], times[open_]
        return any(not passes_through(self.solids, eye, eye + time * ray) for time, ray in zip(times, rays))

    def truths(self, me: int) -> list[bool]:
        """All atoms from the point of view of player ``me``."""
        named = self.named_objects() | {"me": [], "opponent": []}
        for p, player in self.players.items():
            named["me" if p == me else "opponent"].append((p, player))
        return [self.holds(atom, named) for atom in ATOMS]

    def facts(self) -> list[bool]:
        """All atoms over players by number."""
        named = self.named_objects() | {name: [] for name in PLAYER_NAMES}
        for p, player in self.players.items():
            named[PLAYER_NAMES[p]].append((p, player))
        return [self.holds(atom, named) for atom in PLAYER_ATOMS]

    def named_objects(self) -> dict[str, list[tuple[int, Body]]]:
        """Numbers and bodies by name."""
        named = {name: [] for name in OBJECTS}
        for k, body in self.objects.items():
            named[body.name].append((k, body))
        return named

    def holds(self, atom: Atom, named: dict[str, list[tuple[int, Body]]]) -> bool:
        """Whether an atom holds for some of the things that go by its names."""
        held, contacts = self.states.held[self.s], self.states.contacts[self.s]
        if atom.relation == "on":
            floor = FLOORS.index(atom.second.removesuffix(" floor"))
            first = held.shape[1] if atom.first not in OBJECTS else 0
            return any(bool(contacts[first + i, floor]) for i, _ in named[atom.first])
        pairs = [(a, b) for a in named[atom.first] for b in named[atom.second]]
        if atom.relation == "hold":
            return any(bool(held[p, k]) for (p, _), (k, _) in pairs)
        relation = self.near if atom.relation == "near" else self.sees
        return any(relation(a, b) for (_, a), (_, b) in pairs)


def reference_atoms(states: States) -> np.ndarray:
    """Bool (S, P, 212), in the order of ``ATOMS``."""
    scenes = [Scene(states, s) for s in range(len(states))]
    return np.array([[scene.truths(p) for p in range(states.num_players)] for scene in scenes])


def reference_facts(states: States) -> np.ndarray:
    """Bool (S, 258), in the order of ``PLAYER_ATOMS``."""
    return np.array([Scene(states, s).facts() for s in range(len(states))])


def reference_reward(truths: np.ndarray, goal: np.ndarray) -> bool:
    """Whether some option of a goal (options, 212) has all of its literals true."""
    return any(all(bool(truths[a]) == (sign > 0) for a, sign in enumerate(option) if sign) for option in goal)
