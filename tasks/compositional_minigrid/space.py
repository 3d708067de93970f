"""CompositionalMiniGridTaskSpace: a design, and where its things and the agent are put."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.symmetries import images_of_square, mark_of_least
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.compositional_minigrid.layout import drawn_task
from procgen_bench.tasks.compositional_minigrid.solver import STEPS, solve
from procgen_bench.tasks.compositional_minigrid.subtasks import GOAL, NUM_SUBTASKS, NUM_THINGS, things_in_room
from procgen_bench.tasks.compositional_minigrid.suites import SUITES
from procgen_bench.tasks.compositional_minigrid.task import (
    ABSENT,
    COLOURED,
    COLOURS,
    DIRECTIONS,
    MAP_SIDE,
    ROOM_SIDE,
    CompositionalMiniGridTask,
)

_NUM_TILES = ROOM_SIDE * ROOM_SIDE
#: Rows of ``coordinates``, in the order in which they are placed.
_AGENT_ROW, _GOAL_ROW, _FIRST_THING_ROW = 0, 1, 2


class CompositionalMiniGridTaskSpace(TaskSpace[CompositionalMiniGridTask]):
    """CompositionalMiniGrid's task space (CoDE, section A.9).

    Raw parameters:

    - ``subtasks``: int8 (5,), 1 for those that the design asks: pick up key, open door, pick up ball, open box, drop
      ball in box. Their order has no effect.
    - ``coordinates``: float32 (6, 2) in [0, 6], x and y in the room of the agent, goal, key, door, ball and box. They
      are placed in this order, on the tile that holds the point or, where that is taken, on the next free one in
      reading order. Those that the design does not need have no effect.
    - ``direction``: int8 (1,), which way the agent faces: 0 right, 1 down, 2 left, 3 up.
    - ``colours``: int8 (3,), of key and door, ball and box: places in ``COLOURS``.
    """

    task_type = CompositionalMiniGridTask
    task_count = more_than(11)  # rooms of the five subtasks; without any there are 5,040
    #: Rooms of few things are few, 5,040 without subtasks: a budget would meet those of fresh tasks.
    fresh_share: ClassVar[float] = 0.25
    draws_solvable_quickly = True
    suites = SUITES
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "colours": spaces.Box(0, len(COLOURS) - 1, (len(COLOURED),), np.int8),
            "coordinates": spaces.Box(0.0, ROOM_SIDE, (1 + NUM_THINGS, 2), np.float32),
            "direction": spaces.Box(0, len(DIRECTIONS) - 1, (1,), np.int8),
            "subtasks": spaces.Box(0, 1, (NUM_SUBTASKS,), np.int8),
        }
    )

    def _decode(self, params: Parameters) -> CompositionalMiniGridTask:
        present = things_in_room(params["subtasks"])
        wanted = np.minimum(params["coordinates"].astype(np.int64), ROOM_SIDE - 1)
        taken: set[int] = set()
        places = np.full((NUM_THINGS, 2), ABSENT, np.int8)
        x, y = _placed(wanted[_AGENT_ROW], taken)
        places[GOAL] = _placed(wanted[_GOAL_ROW], taken)
        for thing, cell in enumerate(wanted[_FIRST_THING_ROW:]):
            if present[thing]:
                places[thing] = _placed(cell, taken)
        return CompositionalMiniGridTask(
            subtasks=params["subtasks"],
            agent=np.array([x, y, params["direction"][0]], np.int8),
            places=places,
            colours=np.where(present[list(COLOURED)], params["colours"], ABSENT).astype(np.int8),
        )

    def encode(self, task: CompositionalMiniGridTask) -> Parameters:
        """The centres of the tiles, and of the first one for what is not in the room; such colours are the
        first. Shapes and dtypes are those of the class."""
        cells = np.stack([task.agent[:2], task.places[GOAL], *task.places[:GOAL]]).astype(np.float32)
        return {
            "colours": np.maximum(task.colours, 0),
            "coordinates": np.where(cells == ABSENT, 0.5, cells - 0.5).astype(np.float32),
            "direction": task.agent[2:].copy(),
            "subtasks": task.subtasks.copy(),
        }

    def draw_solvable(self, rng: np.random.Generator, count: int) -> list[CompositionalMiniGridTask]:
        """``count`` solvable tasks: a uniform design, placed so that everything is within reach."""
        return [self.sample_placement(rng.integers(2, size=NUM_SUBTASKS, dtype=np.int8), rng) for _ in range(count)]

    def sample_placement(self, subtasks: np.ndarray, rng: np.random.Generator) -> CompositionalMiniGridTask:
        """A solvable task of the design ``subtasks`` (int8 (5,)), its colours, direction and tiles drawn uniformly."""
        return drawn_task(subtasks, int(rng.integers(2**63)))

    def mutate(self, task: CompositionalMiniGridTask, rng: np.random.Generator) -> CompositionalMiniGridTask:
        """One subtask added or dropped, or the agent, its direction, a thing or a colour redrawn, equally likely.

        Things that a new subtask brings are placed at random.
        """
        params, drawn = self.encode(task), self.sample(rng)
        present = things_in_room(task.subtasks)
        rows = np.concatenate([[True, True], present[:GOAL]])
        coloured = present[list(COLOURED)]
        params["coordinates"][~rows] = drawn["coordinates"][~rows]
        params["colours"][~coloured] = drawn["colours"][~coloured]
        changes = [("subtasks", k) for k in range(NUM_SUBTASKS)] + [("direction", 0)]
        changes += [("coordinates", int(k)) for k in np.flatnonzero(rows)]
        changes += [("colours", int(k)) for k in np.flatnonzero(coloured)]
        name, place = changes[rng.integers(len(changes))]
        params[name][place] = 1 - params[name][place] if name == "subtasks" else drawn[name][place]
        return self._decode(params)

    def symmetry_marks(self, task: CompositionalMiniGridTask) -> frozenset[str]:
        """One of the room, rotated or reflected, in any colours that are as alike."""
        x, y, direction = task.agent.tolist()
        room = np.zeros((MAP_SIDE, MAP_SIDE, 2), np.int8)
        for thing, place in enumerate(task.places.tolist(), start=1):
            if place[0] != ABSENT:
                room[place[1], place[0], 0] = thing
        room[y, x, 0] = NUM_THINGS + 1
        room[y + STEPS[direction, 1], x + STEPS[direction, 0], 1] = 1  # the tile that it faces
        colours = task.colours.tolist()
        others = np.array([*task.subtasks, *map(colours.index, colours)], np.int8)
        return mark_of_least(np.concatenate([image.ravel(), others]) for image in images_of_square(room))

    def solve(self, task: CompositionalMiniGridTask) -> np.ndarray | None:
        """A shortest solution, int64 (steps,), by breadth-first search; ``None`` when there is none within 256
        steps."""
        return solve(task)


def _placed(cell: np.ndarray, taken: set[int]) -> tuple[int, int]:
    """x and y on the map of the first free tile from ``cell`` on, which is then ``taken``."""
    tile = int(ROOM_SIDE * cell[1] + cell[0])
    while tile in taken:
        tile = (tile + 1) % _NUM_TILES
    taken.add(tile)
    return 1 + tile % ROOM_SIDE, 1 + tile // ROOM_SIDE
