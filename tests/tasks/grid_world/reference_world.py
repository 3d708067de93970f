"""GridWorld as its specification says it, in plain Python: slow, and sharing nothing with the package's rules."""

from dataclasses import dataclass, field

import networkx

NAMES = ("goal", "door 1", "door 2", "key 1", "key 2")
TILES = ("empty", "wall", "lava")
RIGHT, DOWN, LEFT, UP = range(4)
INSIDE = range(1, 9)


def closest_tile(coordinate: float) -> int:
    """Index of the tile whose centre is closest; of two equally close ones, the greater."""
    return min(range(10), key=lambda index: (abs(coordinate - (index + 0.5)), -index))


def place(tiles: list[list[str]], coordinates: list[list[float]]) -> tuple[list[list[str]], dict[str, tuple[int, int]]]:
    """The tiles (rows from the top) and the places of the objects that appear."""
    tiles, places = [list(row) for row in tiles], {}
    for name, (x, y) in zip(NAMES, coordinates, strict=True):
        spot = (closest_tile(x), closest_tile(y))
        on_border = spot[0] in (0, 9) or spot[1] in (0, 9)
        if not on_border and spot not in places.values():
            places[name] = spot
            tiles[spot[1] - 1][spot[0] - 1] = "empty"
    return tiles, places


@dataclass
class ReferenceWorld:
    """One episode: ``tiles`` rows from the top, ``places`` of the objects that are on the map."""

    tiles: list[list[str]]
    places: dict[str, tuple[int, int]]
    position: tuple[int, int] = (1, 1)
    started_on_goal: bool = field(init=False)
    #: What the last step met, for tests that count what they have seen.
    event: str = "start"

    def __post_init__(self):
        self.places = dict(self.places)
        self.started_on_goal = self.places.get("goal") == self.position

    @classmethod
    def of(cls, task) -> "ReferenceWorld":
        """The world of a GridWorldTask."""
        tiles = [[TILES[tile] for tile in row] for row in task.tiles.tolist()]
        places = {name: (x, y) for name, (x, y) in zip(NAMES, task.objects.tolist()) if x != -1}
        return cls(tiles, places)

    def tile(self, x: int, y: int) -> str:
        return self.tiles[y - 1][x - 1] if x in INSIDE and y in INSIDE else "wall"

    def step(self, action: int) -> tuple[float, bool, bool]:
        """Reward, terminated, success."""
        time = -0.001
        if self.started_on_goal:
            self.event = "started on the goal"
            return time - 1.0, True, False
        x, y = self.position
        target = {RIGHT: (x + 1, y), DOWN: (x, y + 1), LEFT: (x - 1, y), UP: (x, y - 1)}[action]
        thing = next((name for name, spot in self.places.items() if spot == target), None)
        if self.tile(*target) == "wall":
            self.event = "wall"
            return time - 0.001, False, False
        if self.tile(*target) == "lava":
            self.event = "lava"
            return time - 0.5, True, False
        if thing in ("door 1", "door 2"):
            self.event = "closed door"
            return time - 0.5, True, False
        self.position, self.event = target, "moved"
        if thing == "goal":
            self.event = "goal"
            return time + 1.0, True, True
        if thing in ("key 1", "key 2"):
            del self.places[thing]
            opened = self.places.pop(thing.replace("key", "door"), None)
            self.event = "key without a door" if opened is None else f"{thing} opened its door"
        return time, False, False

    def observation(self) -> dict[str, list]:
        """``position``, ``view`` and ``objects`` as nested lists of numbers."""
        x, y = self.position
        view = [[TILES.index(self.tile(x + dx, y + dy)) for dx in range(-3, 4)] for dy in range(-3, 4)]
        objects = []
        for name in NAMES:
            spot = self.places.get(name)
            objects += [0, 0] if spot is None else [spot[0] - x, spot[1] - y]
        return {"position": [x, y], "view": view, "objects": objects}


def shortest_length(task, horizon: int = 50) -> int | None:
    """Length of the shortest solution, by networkx over the graph of all states that can be reached; or ``None``."""
    start = ReferenceWorld.of(task)
    graph = networkx.DiGraph()
    first = _key(start)
    graph.add_node(first)
    frontier, seen = [start], {first}
    while frontier:
        world = frontier.pop()
        for action in (RIGHT, DOWN, LEFT, UP):
            successor = ReferenceWorld(world.tiles, world.places, world.position)
            _, terminated, success = successor.step(action)
            if terminated and not success:
                continue
            node = "solved" if success else _key(successor)
            graph.add_edge(_key(world), node)
            if node not in seen and not terminated:
                seen.add(node)
                frontier.append(successor)
    if "solved" not in graph or not networkx.has_path(graph, first, "solved"):
        return None
    length = networkx.shortest_path_length(graph, first, "solved")
    return length if length <= horizon else None


def chance_while_exploring(task, epsilon: float, horizon: int = 50) -> float:
    """The best chance to solve a task where every action is a uniformly random one with chance ``epsilon``."""
    worlds, following = {_key(start): start for start in [ReferenceWorld.of(task)]}, {}
    frontier = list(worlds)
    while frontier:
        following[frontier[-1]] = ends = []
        world = worlds[frontier.pop()]
        for action in (RIGHT, DOWN, LEFT, UP):
            successor = ReferenceWorld(world.tiles, world.places, world.position)
            _, terminated, success = successor.step(action)
            ends.append(success if terminated else _key(successor))
            if not terminated and ends[-1] not in worlds:
                worlds[ends[-1]] = successor
                frontier.append(ends[-1])
    chances = dict.fromkeys(worlds, 0.0) | {True: 1.0, False: 0.0}
    for _ in range(horizon):
        before = chances.copy()
        for key, ends in following.items():
            by_action = [before[end] for end in ends]
            chances[key] = (1 - epsilon) * max(by_action) + epsilon * sum(by_action) / 4
    return chances[_key(ReferenceWorld.of(task))]


def _key(world: ReferenceWorld) -> tuple:
    return world.position, tuple(sorted(world.places))
