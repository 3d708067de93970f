"""States of blocks to try programs on: scattered, stacked and nearly stacked ones, and those of done programs."""

from itertools import pairwise

import numpy as np

from procgen_bench.tasks.programs.paper import blocks_of_colour
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import COLOURS, RESTING_HEIGHT, ZONE_PLACES, ZONES

TABLE_LOW, TABLE_HIGH = (1.1, 0.45), (1.5, 1.05)
#: How far a block is from its ideal place on another one, metres along every axis: right on, nearly, hardly, not.
_SLACK = (0.001, 0.01, 0.03, 0.05)


def random_states(rng: np.random.Generator, count: int, num_blocks: int = 4) -> np.ndarray:
    """States (count, 15 N + 10): every block is on the table, more or less on an earlier one, or in the air."""
    states = rng.normal(size=(count, 15 * num_blocks + 10))
    for positions in block_positions(states):
        order = rng.permutation(num_blocks)
        for place, block in enumerate(order):
            positions[block] = *rng.uniform(TABLE_LOW, TABLE_HIGH), RESTING_HEIGHT
            kind = rng.random()
            if kind < 0.1:
                positions[block, 2] += rng.uniform(0, 0.3)
            elif kind < 0.6 and place:
                slack = rng.choice(_SLACK)
                positions[block] = positions[rng.choice(order[:place])] + rng.uniform(-slack, slack, 3)
                positions[block, 2] += 0.05
            elif kind < 0.8:
                zone = ZONES[rng.integers(2)]
                positions[block, :2] = np.array(zone.centre) + rng.uniform(-0.15, 0.15, 2)
    return states


def done_states(name: str, rng: np.random.Generator, count: int, num_blocks: int = 4) -> np.ndarray:
    """States (count, 15 N + 10) in which a non-atomic program has done its work, other blocks lying anywhere."""
    states = rng.normal(size=(count, 15 * num_blocks + 10))
    for positions in block_positions(states):
        places = rng.uniform(TABLE_LOW, TABLE_HIGH, (num_blocks, 2))
        positions[:] = np.column_stack([places, np.full(num_blocks, RESTING_HEIGHT)])
        zones = [place for place, colour in enumerate(COLOURS) if colour in name] or range(len(COLOURS))
        if name == "Stack_All_Blocks":
            _pile(positions, rng.permutation(num_blocks))
            continue
        for zone in zones:
            blocks = rng.permutation(np.array(blocks_of_colour(zone, num_blocks), np.int64))
            places = rng.choice(len(ZONE_PLACES[zone]), len(blocks), replace=False)
            positions[blocks, :2] = ZONE_PLACES[zone, places]
            if "Stack" in name:
                _pile(positions, blocks)
    return states


def _pile(positions: np.ndarray, order: np.ndarray) -> None:
    for lower, upper in pairwise(order):
        positions[upper] = positions[lower] + [0.0, 0.0, 0.05]
