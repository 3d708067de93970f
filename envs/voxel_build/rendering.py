"""VoxelBuild drawn from its state: the agent's view beside the arena and the goal from above, and text."""

import numpy as np

from procgen_bench.envs.voxel_build.kernel import draw_first_person
from procgen_bench.envs.voxel_build.raycaster import HALF_VIEW, draw_view
from procgen_bench.envs.voxel_build.simulation import VoxelBuildSimulation
from procgen_bench.tasks.voxel_build.rules import COSINES, HEADING, PITCH, PITCHES, SINES, STEPS, X, Y, Z
from procgen_bench.tasks.voxel_build.task import HEADINGS, LAYERS

VIEW_SHAPE, OVERVIEW_SHAPE = (320, 480, 3), (160, 240, 3)
AGENT_COLOUR, NOSE_COLOUR, CROSSHAIR_COLOUR, FRAME_COLOUR = (222, 38, 48), (92, 8, 16), (255, 255, 255), (38, 40, 46)

#: The overviews' eye looks north and 50 degrees down; how far south of cell 0 and how high it is, in arenas' sides.
_OVERVIEW_HEADING, _OVERVIEW_PITCH, _OVERVIEW_SOUTH, _OVERVIEW_HEIGHT = 0, PITCHES.index(-50), 11.5 / 11, 7.8 / 11
#: Heights above the feet between which the agent is drawn, and how far its nose reaches.
_BODY, _NOSE = (0.2, 1.6), 0.5
_CROSSHAIR = 5

#: Text of a cell by its block type, and of the agent by its heading.
_BLOCK_SYMBOLS, _AGENT_SYMBOLS = ".spd", "^>v<"


def draw_frame(simulation: VoxelBuildSimulation, row: int) -> np.ndarray:
    """The state of ``row``: uint8 (320, 720, 3).

    On the left what the agent sees, with a cross in the middle, where it places and breaks. On the right the arena with
    the agent (red, its nose dark), and below it the goal, both seen from the south.
    """
    pose = simulation.poses[row]
    view = np.empty(VIEW_SHAPE, np.uint8)
    draw_first_person(simulation.arenas[row], pose, simulation.textures, view)
    _draw_crosshair(view)
    arena = _overview(simulation, simulation.arenas[row])
    _draw_agent(arena, pose, simulation.side)
    goal = _overview(simulation, simulation.observations["desired_goal"][row])
    for overview in (arena, goal):
        overview[:, :2] = overview[:2] = FRAME_COLOUR
    return np.concatenate([view, np.concatenate([arena, goal])], axis=1)


def draw_text(simulation: VoxelBuildSimulation, row: int) -> str:
    """The state of ``row`` as text: where the agent is and looks, what it has left, and the layers from above.

    North is up. ``.`` is an empty cell, ``s``, ``p`` and ``d`` are blocks of stone, planks and diamond; the agent's
    feet are ``^``, ``>``, ``v`` or ``<`` by its heading, in the layer in which they are, if that is one of the arena's.
    """
    x, y, z, heading, pitch = simulation.poses[row].tolist()
    stone, planks, diamond = simulation.inventories[row].tolist()
    arena = np.array(list(_BLOCK_SYMBOLS))[simulation.arenas[row]]
    goal = np.array(list(_BLOCK_SYMBOLS))[simulation.observations["desired_goal"][row]]
    if 0 <= y < arena.shape[0] and 0 <= x < arena.shape[1] and z < LAYERS:
        arena[y, x, z] = _AGENT_SYMBOLS[heading]
    width = arena.shape[1]
    titles = [f"{name} z={layer}".ljust(width) for name in ("arena", "goal") for layer in range(LAYERS)]
    layers = [cuboid[:, :, layer] for cuboid in (arena, goal) for layer in range(LAYERS)]
    return "\n".join(
        [
            f"at x={x} y={y} z={z}, facing {HEADINGS[heading]}, pitch {PITCHES[pitch]}",
            f"left: stone {stone}, planks {planks}, diamond {diamond}",
            "  ".join(titles).rstrip(),
            *("  ".join("".join(layer[line]) for layer in layers) for line in range(arena.shape[0])),
        ]
    )


def _overview(simulation: VoxelBuildSimulation, blocks: np.ndarray) -> np.ndarray:
    picture = np.empty(OVERVIEW_SHAPE, np.uint8)
    rise, run = SINES[_OVERVIEW_PITCH], COSINES[_OVERVIEW_PITCH]
    eye = _overview_eye(simulation.side)
    draw_view(blocks, *eye, _OVERVIEW_HEADING, rise, run, simulation.textures, picture)
    return picture


def _overview_eye(side: int) -> tuple[float, float, float]:
    """x, y and z."""
    return (side - 1) / 2, _OVERVIEW_SOUTH * side, _OVERVIEW_HEIGHT * side


def _draw_agent(picture: np.ndarray, pose: np.ndarray, side: int) -> None:
    """Draw the agent into an overview, over whatever stands before it."""
    feet, head = ((pose[X], pose[Y], pose[Z] + height) for height in _BODY)
    step_x, step_y = STEPS[pose[HEADING]]
    rise, run = SINES[pose[PITCH]] * _NOSE, COSINES[pose[PITCH]] * _NOSE
    nose = (head[0] + run * step_x, head[1] + run * step_y, head[2] + rise)
    seen_feet, seen_head, seen_nose = (_projected(point, side) for point in (feet, head, nose))
    _draw_line(picture, seen_feet, seen_head, 4.0, AGENT_COLOUR)
    _draw_line(picture, seen_head, seen_nose, 2.0, NOSE_COLOUR)


def _draw_line(picture: np.ndarray, begin: tuple, end: tuple, radius: float, colour: tuple) -> None:
    """Draw what lies within ``radius`` pixels of the line between two points (line, column)."""
    (begin_line, begin_column), (end_line, end_column) = begin, end
    way_line, way_column = end_line - begin_line, end_column - begin_column
    line, column = np.ogrid[: picture.shape[0], : picture.shape[1]]
    line, column = line - begin_line, column - begin_column
    share = (line * way_line + column * way_column) / max(way_line**2 + way_column**2, 1e-9)
    share = share.clip(0, 1)
    picture[np.hypot(line - share * way_line, column - share * way_column) <= radius] = colour


def _projected(point: tuple[float, float, float], side: int) -> tuple[float, float]:
    """Line and column of an overview at which a point of the world is seen.

    A point behind the eye or too close to it is put far below the picture; an agent can walk there.
    """
    x, y, z = np.subtract(point, _overview_eye(side))
    rise, run = SINES[_OVERVIEW_PITCH], COSINES[_OVERVIEW_PITCH]
    depth, above = run * -y + rise * z, -rise * -y + run * z
    scale = OVERVIEW_SHAPE[0] / (2 * HALF_VIEW) / max(depth, 0.1)
    return (OVERVIEW_SHAPE[0] - 1) / 2 - above * scale, (OVERVIEW_SHAPE[1] - 1) / 2 + x * scale


def _draw_crosshair(view: np.ndarray) -> None:
    line, column = view.shape[0] // 2, view.shape[1] // 2
    view[line - 1 : line + 1, column - _CROSSHAIR : column + _CROSSHAIR] = CROSSHAIR_COLOUR
    view[line - _CROSSHAIR : line + _CROSSHAIR, column - 1 : column + 1] = CROSSHAIR_COLOUR
