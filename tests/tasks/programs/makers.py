"""States of four blocks to try programs on: scattered, stacked and nearly stacked ones, and those of done programs."""

from itertools import pairwise

import numpy as np

from procgen_bench.tasks.programs.library import blocks_of_colour
from procgen_bench.tasks.programs.states import STATE_SIZE, block_positions
from procgen_bench.tasks.programs.zones import COLOURS, RESTING_HEIGHT, ZONE_PLACES, ZONES

TABLE_LOW, TABLE_HIGH = (1.1, 0.45), (1.5, 1.05)
#: How far a block is from its ideal place on another one, metres along every axis: right on, nearly, hardly, not.
_SLACK = (0.001, 0.01, 0.03, 0.05)


def random_states(rng: np.random.Generator, count: int) -> np.ndarray:
    """States (count, 70): every block is on the table, more or less on an earlier one, or in the air."""
    states = rng.normal(size=(count, STATE_SIZE))
    for positions in block_positions(states):
        order = rng.permutation(4)
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


def done_states(name: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """States (count, 70) in which a non-atomic program has done its work, other blocks being anywhere on the table."""
    states = rng.normal(size=(count, STATE_SIZE))
    for positions in block_positions(states):
        positions[:] = np.column_stack([rng.uniform(TABLE_LOW, TABLE_HIGH, (4, 2)), np.full(4, RESTING_HEIGHT)])
        zones = [place for place, colour in enumerate(COLOURS) if colour in name] or range(len(COLOURS))
        if name == "Stack_All_Blocks":
            _pile(positions, rng.permutation(4))
            continue
        for zone in zones:
            places = rng.choice(len(ZONE_PLACES[zone]), 2, replace=False)
            blocks = rng.permutation(blocks_of_colour(zone))
            positions[blocks, :2] = ZONE_PLACES[zone, places]
            if "Stack" in name:
                _pile(positions, blocks)
    return states


def _pile(positions: np.ndarray, order: np.ndarray) -> None:
    for lower, upper in pairwise(order):
        positions[upper] = positions[lower] + [0.0, 0.0, 0.05]
