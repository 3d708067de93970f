"""VoxelBuild's rows: episodes begun, advanced by the compiled rules, rewarded and drawn."""

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps, score_goal_step
from procgen_bench.envs.voxel_build.raycaster import draw_view
from procgen_bench.tasks.voxel_build.goals import draw_goal, draw_start
from procgen_bench.tasks.voxel_build.rules import (
    COSINES,
    EYE_HEIGHT,
    HEADING,
    INVENTORY,
    LEVEL,
    PITCH,
    SINES,
    X,
    Y,
    Z,
    act,
)
from procgen_bench.tasks.voxel_build.task import EMPTY

#: Differing cells at which the goal counts as reached.
DISTANCE_THRESHOLD = 0.0


@njit
def start_rows(
    rows,
    fresh,
    streams,
    bank_starts,
    bank_goals,
    starts,
    goals,
    arenas,
    poses,
    inventories,
    textures,
    pictures,
    distances,
    outcomes,
):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    begin(outcomes, rows)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_starts.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank_starts.shape[0])
            copy(bank_starts[drawn], starts[i])
            copy(bank_goals[drawn], goals[i])
        elif fresh[i]:
            streams[i] = draw_start(streams[i], goals.shape[1], starts[i])
            streams[i] = draw_goal(streams[i], goals[i])
        arenas[i] = EMPTY
        poses[i, X], poses[i, Y], poses[i, HEADING] = starts[i, 0], starts[i, 1], starts[i, 2]
        poses[i, Z], poses[i, PITCH] = 0, LEVEL
        inventories[i] = INVENTORY
        draw_first_person(arenas[i], poses[i], textures, pictures[i])
        distances[i] = count_differences(arenas[i], goals[i])


@njit
def step_rows(
    actions,
    active,
    max_episode_steps,
    distance_step,
    goals,
    arenas,
    poses,
    inventories,
    textures,
    pictures,
    distances,
    outcomes,
):
    """Advance every active row by its action; step ``distance_step`` pays minus the distance if it fails."""
    count_steps(outcomes, active, max_episode_steps)
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        if act(arenas[i], poses[i], inventories[i], actions[i]):
            draw_first_person(arenas[i], poses[i], textures, pictures[i])
            distances[i] = count_differences(arenas[i], goals[i])
    score_goal_step(outcomes, active, distances, DISTANCE_THRESHOLD, distance_step)


@njit
def draw_first_person(arena, pose, textures, picture):
    """Write what the agent sees into ``picture`` (uint8 (height, width, 3)), unless that has no pixels."""
    if picture.size == 0:
        return
    rise, run = SINES[pose[PITCH]], COSINES[pose[PITCH]]
    draw_view(arena, pose[X], pose[Y], pose[Z] + EYE_HEIGHT, pose[HEADING], rise, run, textures, picture)


@njit
def count_differences(arena, goal):
    """How many cells differ."""
    differences = 0
    for y in range(arena.shape[0]):
        for x in range(arena.shape[1]):
            for z in range(arena.shape[2]):
                differences += arena[y, x, z] != goal[y, x, z]
    return differences
