"""Why a grid world cannot be solved, in words."""

from collections.abc import Iterable

from procgen_bench.tasks.grid_world.solver import shortest_length
from procgen_bench.tasks.grid_world.task import ABSENT, DOOR_1, GOAL, START, GridWorldTask


def why_unsolvable(task: GridWorldTask) -> str:
    """The reason why :func:`.solver.solve` finds nothing, as a sentence's end.

    Args:
        task: A valid task of which ``solve`` gives ``None``.
    """
    if task.objects[GOAL, 0] == ABSENT:
        return "there is no goal"
    if tuple(task.objects[GOAL].tolist()) == START:
        return "the agent starts on the goal"
    length = shortest_length(task.tiles, task.objects)
    if length:
        return f"the shortest way to the goal takes {length} steps, and an episode ends after {task.horizon}"
    pairs = range(task.num_pairs)
    if not _has_way(task, open_pairs=pairs):
        return "walls and lava cut the goal off from the start"
    # One door may be enough to blame; otherwise those are named without which there is no way, or else all.
    closed = (
        [pair for pair in pairs if _has_way(task, open_pairs=(pair,))]
        or [pair for pair in pairs if not _has_way(task, open_pairs=[other for other in pairs if other != pair])]
        or list(pairs)
    )
    reasons = [_why_closed(task, pair) for pair in closed if _stays_closed(task, pair)]
    # Where the start is a wall or lava, a key may lie on one side of it and the door on the other.
    return " and ".join(reasons) or "a key is on the other side of the start, which cannot be entered again"


def _key_of(task: GridWorldTask, pair: int) -> int:
    return DOOR_1 + task.num_pairs + pair


def _stays_closed(task: GridWorldTask, pair: int) -> bool:
    return task.objects[DOOR_1 + pair, 0] != ABSENT and not _has_key(task, pair)


def _has_key(task: GridWorldTask, pair: int) -> bool:
    """Whether the key can be taken."""
    x, y = task.objects[_key_of(task, pair)].tolist()
    if (x, y) == START:  # taken when the agent comes back
        return any(_steps_to(task, near) == 1 for near in ((x + 1, y), (x, y + 1)))
    return x != ABSENT and _steps_to(task, (x, y)) > 0


def _why_closed(task: GridWorldTask, pair: int) -> str:
    number, place = pair + 1, task.objects[_key_of(task, pair)]
    missing = "there is no" if place[0] == ABSENT else "the agent cannot get to"
    return f"door {number} is in the way and {missing} key {number}"


def _has_way(task: GridWorldTask, open_pairs: Iterable[int]) -> bool:
    """Whether there would be a way to the goal if these doors were open."""
    objects = task.objects.copy()
    for pair in open_pairs:
        objects[DOOR_1 + pair] = ABSENT
    return shortest_length(task.tiles, objects) > 0


def _steps_to(task: GridWorldTask, place: tuple[int, int]) -> int:
    """Steps of the shortest way to a place (x, y) other than the start; 0: there is none."""
    objects = task.objects.copy()
    objects[GOAL] = place
    return shortest_length(task.tiles, objects)
