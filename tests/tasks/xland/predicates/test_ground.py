import numpy as np
from numba import njit

from procgen_bench.tasks.xland.predicates.ground import GROUND, ground_obstructs, place_ground
from procgen_bench.tasks.xland.predicates.states import scene_arrays
from tests.tasks.xland.predicates.makers import world_of


@njit
def obstructs(ground, a, b):
    """Whether the ground of :func:`flat_ground` stands between two points."""
    return ground_obstructs(ground, a[0], a[1], a[2], b[0], b[1], b[2])


def flat_ground(level: int, tile_size: np.ndarray) -> np.void:
    """9 x 9 flat tiles."""
    world = world_of(np.zeros((9, 9)), np.full((9, 9), level), [], [], tile_size)
    ground = np.empty(1, GROUND)[0]
    place_ground(ground, scene_arrays([world]), 0)
    return ground


def test_what_lies_on_the_ground_is_not_behind_it():
    # The height of a level is no round number, so that rounding may lower either point a little.
    rng = np.random.default_rng(0)
    for _ in range(300):
        level, tile_size = int(rng.integers(1, 6)), rng.uniform(0.8, 3.5, 3)
        ground, floor = flat_ground(level, tile_size), level * tile_size[2]
        eye, point, other = (np.append(rng.uniform(0, 9, 2) * tile_size[:2], floor) for _ in range(3))
        eye[2] += rng.uniform(0.2, 2.0)
        for begin, end in ((eye, point), (point, eye), (point, other)):
            assert not obstructs(ground, begin, end)
        point[2] -= 1e-6
        assert obstructs(ground, eye, point) and obstructs(ground, point, eye) and obstructs(ground, point, other)
