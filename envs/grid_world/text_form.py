"""How language models play grid worlds: what is around the agent as characters, and where things are in words."""

from collections.abc import Iterator, Mapping

import numpy as np

from procgen_bench.engine.text_form import NamedActions

#: A character for each type of tile.
_TILES = ".#~"


def _describe(observation: Mapping[str, np.ndarray]) -> str:
    """All that is observed: the agent's place, the tiles around it, and where the goal, doors and keys are."""
    column, row = observation["position"].astype(int)
    lines = ["".join(_TILES[int(tile)] for tile in tiles) for tiles in observation["view"]]
    middle = len(lines) // 2
    lines[middle] = f"{lines[middle][:middle]}@{lines[middle][middle + 1 :]}"
    things = "\n".join(_things(observation["objects"].astype(int).reshape(-1, 2)))
    return f"You are in column {column}, row {row}.\n\n" + "\n".join(lines) + f"\n\n{things}"


def _things(places: np.ndarray) -> Iterator[str]:
    """A line for each thing; ``places``: int (1 + 2 * pairs, 2), x and y relative to the agent."""
    pairs = range(1, 1 + len(places) // 2)
    names = ["goal", *(f"door {number}" for number in pairs), *(f"key {number}" for number in pairs)]
    for name, (right, down) in zip(names, places):
        yield f"{name}: {_direction(right, down)}" if right or down else f"{name}: not there"


def _direction(right: int, down: int) -> str:
    across = f"{abs(right)} {'right' if right > 0 else 'left'}" if right else ""
    along = f"{abs(down)} {'down' if down > 0 else 'up'}" if down else ""
    return ", ".join(filter(None, (across, along)))


def make_text_form() -> NamedActions:
    """The form of both grid worlds."""
    return NamedActions(
        about=(
            "You walk on a grid of tiles. On the map you are @; . is free, # is a wall, and ~ is lava, which ends the "
            "episode. So does a door, unless you have taken the key of its number, by walking onto it. Rows are "
            "counted downwards."
        ),
        instruction="Reach the goal.",
        names=("right", "down", "left", "up"),
        describe=_describe,
    )
