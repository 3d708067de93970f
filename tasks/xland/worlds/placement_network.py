"""The network that says where a thing is likely to lie (A.1.1).

It is a compositional pattern-producing network (Stanley, 2007) and fixed: its weights are uniform numbers from the
splitmix64 stream of :data:`SEED`. For every tile it takes the place (x and y from -1 at the west and south to 1), the
height of the tile's middle (-1 at level 0 to 1 at level 5), the kind (one input for each), a constant, and the thing's
latent. Two hidden layers follow, of 16 and 8 units that are in turn steps x / (1 + |x|), bumps 1 / (1 + x^2) and
triangle waves, and the output z, which weighs the tile by (1 + z)^4, or (1 - z)^-4 for z below 0. All of that is plain
arithmetic and no library's function, so it is the same, bit for bit, on every processor.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import advance, output
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE
from procgen_bench.tasks.xland.worlds.tiles import NUM_KINDS, NUM_LEVELS, surface

#: Seed of the weights.
SEED = 2021
#: Units of the hidden layers.
FIRST, SECOND = 16, 8
#: Half the ranges of the weights: of places, heights and the constant; of kinds; of latents; of the layers behind.
PLACE_RANGE, KIND_RANGE, LATENT_RANGE, SECOND_RANGE, OUTPUT_RANGE = 2.0, 1.0, 1.0, 1.5, 2.5

_SHIFT, _UNIT = np.uint64(11), 2.0**-53


def _fixed_weights() -> list[np.ndarray]:
    """Weights of places, kinds, latents and the second layer, and of the output."""
    shapes = (
        ((4, FIRST), PLACE_RANGE),
        ((NUM_KINDS, FIRST), KIND_RANGE),
        ((LATENT_SIZE, FIRST), LATENT_RANGE),
        ((FIRST + 1, SECOND), SECOND_RANGE),
        ((SECOND + 1,), OUTPUT_RANGE),
    )
    stream, weights = np.uint64(SEED), []
    with np.errstate(over="ignore"):  # splitmix64 counts modulo 2**64
        for shape, half_range in shapes:
            numbers = np.empty(shape)
            for index in range(numbers.size):
                stream = advance.py_func(stream)
                uniform = float(output.py_func(stream) >> _SHIFT) * _UNIT
                numbers.flat[index] = half_range * (2.0 * uniform - 1.0)
            weights.append(numbers)
    return weights


_PLACES, _KINDS, _LATENTS, _SECOND, _OUTPUT = _fixed_weights()


@njit
def tile_sums(kinds, levels):
    """What place, height and kind of every tile add up to in the first layer: float64 (H, W, 16)."""
    rows, columns = kinds.shape
    sums = np.empty((rows, columns, FIRST))
    for row in range(rows):
        y = (2.0 * row + 1.0) / rows - 1.0
        for column in range(columns):
            x = (2.0 * column + 1.0) / columns - 1.0
            kind = kinds[row, column]
            middle = 0.5 * (surface(kind, levels[row, column], 0.25, 0.25))
            middle += 0.5 * surface(kind, levels[row, column], 0.75, 0.75)
            height = 2.0 * middle / (NUM_LEVELS - 1) - 1.0
            for unit in range(FIRST):
                sums[row, column, unit] = (
                    x * _PLACES[0, unit]
                    + y * _PLACES[1, unit]
                    + height * _PLACES[2, unit]
                    + _PLACES[3, unit]
                    + _KINDS[kind, unit]
                )
    return sums


@njit
def weigh_tiles(sums, latent, stands, weights):
    """Fill ``weights`` (float64 (H, W)) with the network's output where ``stands`` (bool (H, W)), else 0."""
    first, second = np.empty(FIRST), np.empty(SECOND)
    from_latent = np.zeros(FIRST)
    for index in range(LATENT_SIZE):
        for unit in range(FIRST):
            from_latent[unit] += latent[index] * _LATENTS[index, unit]
    for row in range(weights.shape[0]):
        for column in range(weights.shape[1]):
            weights[row, column] = 0.0
            if not stands[row, column]:
                continue
            for unit in range(FIRST):
                first[unit] = _activate(unit, sums[row, column, unit] + from_latent[unit])
            for unit in range(SECOND):
                second[unit] = _SECOND[FIRST, unit]
            for source in range(FIRST):
                for unit in range(SECOND):
                    second[unit] += first[source] * _SECOND[source, unit]
            total = _OUTPUT[SECOND]
            for unit in range(SECOND):
                total += _activate(unit, second[unit]) * _OUTPUT[unit]
            base = 1.0 + total if total >= 0.0 else 1.0 / (1.0 - total)
            weights[row, column] = base * base * base * base


@njit
def _activate(unit, x):
    """Steps, bumps and triangle waves (of period 4 and height 1) in turn."""
    if unit % 3 == 0:
        return x / (1.0 + abs(x))
    if unit % 3 == 1:
        return 1.0 / (1.0 + x * x)
    phase = x - 4.0 * np.floor(0.25 * x + 0.25)
    return phase if phase <= 1.0 else 2.0 - phase
