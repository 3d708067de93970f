"""The compiled uniform draw gives what decoding uniform parameters gives, in distribution."""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.grid_world.layout import draw_layout

COUNT = 20_000
#: One of a few hundred comparisons falls below this by chance in one of some thirty seeds; the seeds are fixed.
LEAST_P = 1e-4


@njit
def draw_many(stream, tiles, objects):
    cells = np.empty((5, 2), np.int64)
    for i in range(tiles.shape[0]):
        stream = draw_layout(stream, tiles[i], objects[i], cells)


@pytest.fixture(scope="module")
def drawn():
    tiles, objects = np.empty((COUNT, 8, 8), np.int8), np.empty((COUNT, 5, 2), np.int8)
    draw_many(stream_from_seed(11), tiles, objects)
    return tiles, objects


@pytest.fixture(scope="module")
def decoded():
    space, rng = GridWorldTaskSpace(), np.random.default_rng(12)
    tasks = [space.decode(space.sample(rng)) for _ in range(COUNT)]
    return np.stack([task.tiles for task in tasks]), np.stack([task.objects for task in tasks])


def same_distribution(one: np.ndarray, other: np.ndarray) -> float:
    """p-value that two samples of category numbers are of one distribution."""
    categories, numbers = np.unique(np.concatenate([one, other]), return_inverse=True)
    counts = [np.bincount(part, minlength=len(categories)) for part in np.split(numbers, [len(one)])]
    return stats.chi2_contingency(counts).pvalue


def cells_of(objects: np.ndarray) -> np.ndarray:
    return objects[..., 1].astype(np.int64) * 10 + objects[..., 0]


def test_every_draw_is_a_valid_task(drawn):
    for tiles, objects in zip(*(part[:2_000] for part in drawn)):
        GridWorldTask(tiles, objects).validate()


def test_tiles_are_alike(drawn, decoded):
    for y in range(8):
        for x in range(8):
            assert same_distribution(drawn[0][:, y, x], decoded[0][:, y, x]) > LEAST_P, (x, y)


def test_neighbouring_tiles_are_alike_together(drawn, decoded):
    # Two tiles come of one draw of 64 bits: their pairs, too, must be independent.
    pairs = [3 * tiles[:, :, 0::2] + tiles[:, :, 1::2] for tiles in (drawn[0], decoded[0])]
    for y in range(8):
        for x in range(4):
            assert same_distribution(pairs[0][:, y, x], pairs[1][:, y, x]) > LEAST_P, (x, y)


def test_objects_stand_alike(drawn, decoded):
    for k in range(5):
        assert same_distribution(cells_of(drawn[1][:, k]), cells_of(decoded[1][:, k])) > LEAST_P, k


def test_objects_appear_together_alike(drawn, decoded):
    present = [(objects[..., 0] != -1) @ (1 << np.arange(5)) for objects in (drawn[1], decoded[1])]
    assert same_distribution(*present) > LEAST_P


def test_comparison_notices_a_small_bias(drawn):
    biased = drawn[0][:, 0, 0].copy()
    biased[: COUNT // 25] = 2
    assert same_distribution(biased, drawn[0][:, 3, 5]) < LEAST_P


def test_draw_continues_its_stream():
    together, apart = np.empty((2, 8, 8), np.int8), np.empty((8, 8), np.int8)
    objects = np.empty((2, 5, 2), np.int8)
    draw_many(stream_from_seed(3), together, objects)
    stream = draw_layout(stream_from_seed(3), apart, objects[0], np.empty((5, 2), np.int64))
    assert np.array_equal(apart, together[0])
    draw_layout(stream, apart, objects[0], np.empty((5, 2), np.int64))
    assert np.array_equal(apart, together[1])
