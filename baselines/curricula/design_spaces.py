"""The families whose tasks are designs, and what tasks these are."""

from dataclasses import replace

import numpy as np

from procgen_bench.baselines.curricula.designs import Design, DesignSpace, one_of
from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from procgen_bench.core.registrations import family_id
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS
from procgen_bench.tasks.grid_world.space import GridWorldTaskSpace
from procgen_bench.tasks.grid_world.task import ABSENT, EMPTY, GOAL, NUM_OBJECTS, SIDE, GridWorldTask
from procgen_bench.tasks.sites.design import MAX_PAGES
from procgen_bench.tasks.sites.space import NUM_SLOTS, SKIP, SiteTaskSpace
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.ued_maze.space import MOST_WALLS, UEDMazeTaskSpace
from procgen_bench.tasks.ued_maze.task import DIRECTIONS, NUM_TILES, UEDMazeTask


class SiteDesigns(DesignSpace):
    """Primitives of the library on up to ten pages."""

    most_places, chooses_number, most_slots = MAX_PAGES, True, NUM_SLOTS

    def __init__(self, space: SiteTaskSpace):
        self._space = space
        self.primitives = tuple(space.library.catalogue)
        self._active = np.array([False, *(one.active for one in space.library.catalogue.values())])

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """With values drawn uniformly, and one variation where the space has them."""
        params, parts = self._params(design), self._space.space.spaces
        drawn = [np.asarray(rng.integers(parts["profile"].nvec)) for _ in range(count)]  # type: ignore[attr-defined]
        if "variation" in parts:
            params["variation"] = np.asarray(rng.integers(parts["variation"].nvec))  # type: ignore[attr-defined]
        first = self._space.decode(params | {"profile": drawn[0]})
        fields, library = first.design.fields, self._space.library
        places = [dict(zip(library.fields, own.tolist())) for own in drawn[1:]]
        return [first, *(replace(first, profile=library.profile(fields, own)) for own in places)]

    def design_of(self, task: Task) -> Design:
        """Without what is lost, and without buttons that the pages get by themselves."""
        assert isinstance(task, SiteTask)
        params = self._space.encode(task)
        return Design(int(params["num_pages"]), params["primitives"][: self.slots], params["pages"][: self.slots])

    def num_active(self, design: Design) -> int:
        """Those that ask for a field."""
        return sum(bool(self._active[primitive]) for primitive, _ in design.placed)

    def num_lost(self, design: Design) -> int:
        """See :meth:`SiteTaskSpace.num_lost`."""
        return self._space.num_lost(self._params(design))

    def _params(self, design: Design) -> dict[str, np.ndarray]:
        primitives, pages = np.full((2, NUM_SLOTS), SKIP, np.int64)
        primitives[: len(design.primitives)] = design.primitives
        pages[: len(design.places)] = design.places
        return {"num_pages": np.array(self.num_places(design)), "primitives": primitives, "pages": pages}


class RoomDesigns(DesignSpace):
    """Subtasks of a room, in any order: without one it is to be walked to the goal."""

    def __init__(self, space: CompositionalMiniGridTaskSpace):
        self._space = space
        self.most_slots = NUM_SUBTASKS
        self.primitives = tuple(f"subtask {number}" for number in range(self.most_slots))

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """With the agent and the things on drawn tiles."""
        subtasks = np.zeros(self.most_slots, np.int8)
        subtasks[[primitive - 1 for primitive, _ in design.placed]] = 1
        return [self._space.sample_placement(subtasks, rng) for _ in range(count)]

    def design_of(self, task: Task) -> Design:
        """Its subtasks."""
        assert isinstance(task, CompositionalMiniGridTask)
        pairs = [(1 + number, 0) for number in np.flatnonzero(task.subtasks).tolist()]
        return Design.of_pairs(self.most_places, pairs, self.slots)

    def is_task(self, design: Design) -> bool:
        """The goal is always there."""
        return True


class GridDesigns(DesignSpace):
    """Walls, lava, goal, doors and keys on the 64 tiles; what is not placed is absent, the goal anywhere."""

    primitives = ("wall", "lava", "goal", "door 1", "door 2", "key 1", "key 2")
    most_places, most_slots = SIDE * SIDE, SIDE * SIDE

    def __init__(self, space: GridWorldTaskSpace):
        self._space = space

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """Of walls and lava on a tile the last one stands there; an object takes their place."""
        return [self._task(design, rng) for _ in range(count)]

    def design_of(self, task: Task) -> Design:
        """With its goal, unless the choices are all used without it: then it was put anywhere."""
        assert isinstance(task, GridWorldTask)
        rows, columns = np.nonzero(task.tiles != EMPTY)
        pairs = [(int(task.tiles[y, x]), SIDE * y + x) for y, x in zip(rows.tolist(), columns.tolist())]
        for number in [*range(GOAL + 1, NUM_OBJECTS), GOAL]:
            x, y = task.objects[number].tolist()
            if x != ABSENT:
                pairs.append((3 + number, SIDE * (y - 1) + x - 1))
        return Design.of_pairs(self.most_places, pairs[: self.slots], self.slots)

    def _task(self, design: Design, rng: np.random.Generator) -> Task:
        tiles = np.zeros((SIDE, SIDE, 3), np.float32)
        tiles[..., 0] = 1
        cells = np.full((NUM_OBJECTS, 2), 0.5, np.float32)  # on the border wall: absent
        cells[0] = 1.5 + rng.integers(SIDE, size=2)
        for primitive, place in design.placed:
            x, y = place % SIDE, place // SIDE
            if primitive <= 2:
                tiles[y, x] = np.eye(3, dtype=np.float32)[primitive]
            else:
                cells[primitive - 3] = 1.5 + x, 1.5 + y
        return self._space.decode({"tiles": tiles, "coordinates": cells})

    def is_task(self, design: Design) -> bool:
        """There is a goal."""
        return True


class MazeDesigns(DesignSpace):
    """Walls, the goal and the agent on the 169 tiles, one after the other, as PAIRED's adversary places them.

    Of several goals the last counts, of several agents the last. The one that is not placed is anywhere on a free tile,
    and the agent faces anywhere.
    """

    primitives = ("wall", "goal", "agent")
    most_places = most_slots = NUM_TILES

    def __init__(self, space: UEDMazeTaskSpace):
        self._space = space

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """The goal and the agent take the place of walls; an agent that is placed on the goal is on the next tile."""
        return [self._task(design, rng) for _ in range(count)]

    def design_of(self, task: Task) -> Design:
        """With its goal and its agent, unless the choices are all used without them: then they were put anywhere."""
        assert isinstance(task, UEDMazeTask)
        params = self._space.encode(task)
        walls = params["walls"][: params["num_walls"].item()].tolist()
        pairs = [(1, place) for place in walls] + [(2, params["goal"].item()), (3, params["agent"].item())]
        return Design.of_pairs(self.most_places, pairs[: self.slots], self.slots)

    def is_task(self, design: Design) -> bool:
        """There is a goal."""
        return True

    def _task(self, design: Design, rng: np.random.Generator) -> Task:
        placed = design.placed
        last = {primitive: place for primitive, place in placed if primitive != 1}
        walls = {place for primitive, place in placed if primitive == 1} - set(last.values())
        for primitive in (2, 3):
            if primitive not in last:
                taken = walls.union(last.values())
                free = [place for place in range(NUM_TILES) if place not in taken]
                last[primitive] = one_of(free or sorted(walls), rng)
                walls.discard(last[primitive])
        goal, agent = last[2], last[3]
        if agent == goal:
            agent = (goal + 1) % NUM_TILES
            walls.discard(agent)
        tiles = np.zeros(MOST_WALLS, np.int16)
        tiles[: len(walls)] = sorted(walls)
        return self._space.decode(
            {
                "agent": np.array([agent], np.int16),
                "direction": rng.integers(len(DIRECTIONS), size=1).astype(np.int8),
                "goal": np.array([goal], np.int16),
                "num_walls": np.array([len(walls)], np.int16),
                "walls": tiles,
            }
        )


_KINDS = {
    "GMiniWoB-v0": (SiteDesigns, SiteTaskSpace),
    "GMiniWoBLiteral-v0": (SiteDesigns, SiteTaskSpace),
    "CompositionalMiniGrid-v0": (RoomDesigns, CompositionalMiniGridTaskSpace),
    "CompositionalMiniGridSparse-v0": (RoomDesigns, CompositionalMiniGridTaskSpace),
    "GridWorld-v0": (GridDesigns, GridWorldTaskSpace),
    "UEDMaze-v0": (MazeDesigns, UEDMazeTaskSpace),
}


def design_space(
    environment_id: str, space: TaskSpace, slots: int, most_places: int, drops_pages: bool = False
) -> DesignSpace:
    """The designs of an environment, of so many choices and at most so many places.

    With ``drops_pages`` sites are without the empty pages at their end, as published.

    Raises:
        UnsupportedEnvironmentError: Its tasks are not made of primitives.
        InvalidOptionError: A design does not take so many, or it has no pages and a number of them is given.
    """
    known = family_id(environment_id)
    if known not in _KINDS:
        raise UnsupportedEnvironmentError("a generator of designs", environment_id, _KINDS)
    kind, expected = _KINDS[known]
    assert isinstance(space, expected)  # as its environment's is
    designs: DesignSpace = kind(space)  # type: ignore[arg-type]
    designs.slots = slots
    if slots > designs.most_slots:
        raise InvalidOptionError(f"slots is {slots}, expected at most {designs.most_slots} in {environment_id}")
    designs.drops_pages = drops_pages
    if designs.chooses_number:
        if most_places > designs.most_places:
            raise InvalidOptionError(f"pages is {most_places}, expected at most {designs.most_places}")
        designs.most_places = most_places
    elif drops_pages:
        raise InvalidOptionError(f"pages is 'used', expected 'all': designs of {environment_id} have no pages")
    elif most_places != MAX_PAGES:
        raise InvalidOptionError(
            f"pages is {most_places}, expected {MAX_PAGES}, the default: designs of {environment_id} have no pages"
        )
    return designs
