"""GridWorld as its specification says it, in plain Python: slow, and sharing nothing with the package's rules."""

from dataclasses import dataclass, field

import networkx

NAMES = ("goal", "door 1", "door 2", "key 1", "key 2")
LARGE_NAMES = ("goal", *(f"door {number}" for number in range(1, 7)), *(f"key {number}" for number in range(1, 7)))
TILES = ("empty", "wall", "lava")
RIGHT, DOWN, LEFT, UP = range(4)


def closest_tile(coordinate: float, map_side: int) -> int:
    """Index of the tile whose centre is closest; of two equally close ones, the greater."""
    return min(range(map_side), key=lambda index: (abs(coordinate - (index + 0.5)), -index))


def names_of(count: int) -> tuple[str, ...]:
    """Names of so many objects."""
    return {5: NAMES, 13: LARGE_NAMES}[count]


def place(tiles: list[list[str]], coordinates: list[list[float]]) -> tuple[list[list[str]], dict[str, tuple[int, int]]]:
    """The tiles (rows from the top) and the places of the objects that appear."""
    tiles, places, border = [list(row) for row in tiles], {}, (0, len(tiles) + 1)
    for name, (x, y) in zip(names_of(len(coordinates)), coordinates, strict=True):
        spot = (closest_tile(x, len(tiles) + 2), closest_tile(y, len(tiles) + 2))
        on_border = spot[0] in border or spot[1] in border
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
    names: tuple[str, ...] = NAMES
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
        names = names_of(len(task.objects))
        places = {name: (x, y) for name, (x, y) in zip(names, task.objects.tolist()) if x != -1}
        return cls(tiles, places, names=names)

    def tile(self, x: int, y: int) -> str:
        inside = range(1, len(self.tiles) + 1)
        return self.tiles[y - 1][x - 1] if x in inside and y in inside else "wall"

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
        if thing is not None and thing.startswith("door"):
            self.event = "closed door"
            return time - 0.5, True, False
        self.position, self.event = target, "moved"
        if thing == "goal":
            self.event = "goal"
            return time + 1.0, True, True
        if thing is not None and thing.startswith("key"):
            del self.places[thing]
            opened = self.places.pop(thing.replace("key", "door"), None)
            self.event = "key without a door" if opened is None else f"{thing} opened its door"
        return time, False, False

    def observation(self) -> dict[str, list]:
        """``position``, ``view`` and ``objects`` as nested lists of numbers."""
        x, y = self.position
        view = [[TILES.index(self.tile(x + dx, y + dy)) for dx in range(-3, 4)] for dy in range(-3, 4)]
        objects = []
        for name in self.names:
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
            successor = ReferenceWorld(world.tiles, world.places, world.position, world.names)
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
            successor = ReferenceWorld(world.tiles, world.places, world.position, world.names)
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
