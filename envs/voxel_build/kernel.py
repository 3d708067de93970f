"""VoxelBuild's rows: episodes begun, advanced by the compiled rules, rewarded and drawn."""

import numpy as np
from numba import njit

from procgen_bench.envs.voxel_build.raycaster import draw_view
from procgen_bench.streams import advance, below, output
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

SUCCESS_REWARD = 1.0

_LOW_32_BITS = np.uint64(0xFFFFFFFF)


@njit(cache=True)
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
    rewards,
    terminations,
    truncations,
    successes,
    elapsed,
):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if fresh[i] and bank_starts.shape[0] > 0:
            streams[i] = advance(streams[i])
            drawn = below(output(streams[i]) & _LOW_32_BITS, bank_starts.shape[0])
            starts[i] = bank_starts[drawn]
            goals[i] = bank_goals[drawn]
        elif fresh[i]:
            streams[i] = draw_start(streams[i], starts[i])
            streams[i] = draw_goal(streams[i], goals[i])
        arenas[i] = EMPTY
        poses[i, X], poses[i, Y], poses[i, HEADING] = starts[i, 0], starts[i, 1], starts[i, 2]
        poses[i, Z], poses[i, PITCH] = 0, LEVEL
        inventories[i] = INVENTORY
        draw_first_person(arenas[i], poses[i], textures, pictures[i])
        distances[i] = count_differences(arenas[i], goals[i])
        rewards[i] = 0.0
        terminations[i] = False
        truncations[i] = False
        successes[i] = False
        elapsed[i] = 0


@njit(cache=True)
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
    rewards,
    terminations,
    truncations,
    successes,
    elapsed,
):
    """Advance every active row by its action; step ``distance_step`` pays minus the distance if it fails."""
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        elapsed[i] += 1
        truncations[i] = elapsed[i] >= max_episode_steps
        if act(arenas[i], poses[i], inventories[i], actions[i]):
            draw_first_person(arenas[i], poses[i], textures, pictures[i])
            distances[i] = count_differences(arenas[i], goals[i])
        solved = distances[i] == 0
        terminations[i] = solved
        successes[i] = solved
        if solved:
            rewards[i] = SUCCESS_REWARD
        elif elapsed[i] == distance_step:
            rewards[i] = -distances[i]
        else:
            rewards[i] = 0.0


@njit(cache=True)
def draw_first_person(arena, pose, textures, picture):
    """Write what the agent sees into ``picture`` (uint8 (height, width, 3))."""
    rise, run = SINES[pose[PITCH]], COSINES[pose[PITCH]]
    draw_view(arena, pose[X], pose[Y], pose[Z] + EYE_HEIGHT, pose[HEADING], rise, run, textures, picture)


@njit(cache=True)
def count_differences(arena, goal):
    """How many cells differ."""
    differences = 0
    for y in range(arena.shape[0]):
        for x in range(arena.shape[1]):
            for z in range(arena.shape[2]):
                differences += arena[y, x, z] != goal[y, x, z]
    return differences
