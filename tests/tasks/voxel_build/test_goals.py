"""The compiled drawing of tasks against the specification, counted out."""

from collections import Counter

import numpy as np

from procgen_bench.tasks.voxel_build import VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.reference_world import every_rectangle

DRAWS = 6_000


def drawn_tasks(seed: int) -> list:
    space, rng = VoxelBuildTaskSpace(), np.random.default_rng(seed)
    return [space.sample_task(rng) for _ in range(DRAWS)]


def spans() -> Counter:
    """How many of the 121 pairs of ends give each length of at least 4 along a side."""
    return Counter(abs(one - other) + 1 for one in range(11) for other in range(11) if abs(one - other) >= 3)


def expected_sizes() -> dict[int, float]:
    """Probability of each number of blocks: two corners and a height, uniform among outlines of at most 34 blocks."""
    weights: Counter = Counter()
    for length, ways in spans().items():
        for other, other_ways in spans().items():
            for height in (1, 2):
                blocks = 2 * (length + other - 2) * height
                if blocks <= 34:
                    weights[blocks] += ways * other_ways
    return {size: weight / weights.total() for size, weight in weights.items()}


def test_goals_are_distributed_as_the_specification_s():
    tasks = drawn_tasks(seed=1)
    sizes = np.array([np.count_nonzero(task.goal) for task in tasks])
    expected = expected_sizes()
    assert set(sizes.tolist()) == set(expected) and sizes.min() == 12 and sizes.max() == 34
    gap = max(
        abs(np.mean(sizes <= limit) - sum(p for size, p in expected.items() if size <= limit)) for limit in expected
    )
    assert gap < 1.95 / DRAWS**0.5  # Kolmogorov and Smirnov's: one run in a thousand lies above
    for task in tasks[:500]:
        task.validate()


def test_every_edge_height_and_type_is_reached():
    rectangles = [Rectangle.around(task.goal) for task in drawn_tasks(seed=2)]
    assert {rectangle.material for rectangle in rectangles} == {1, 2, 3}
    assert {rectangle.height for rectangle in rectangles} == {1, 2}
    for name, end in (("west", 0), ("north", 0), ("east", 10), ("south", 10)):
        assert {getattr(rectangle, name) for rectangle in rectangles} == {abs(end - place) for place in range(8)}
        assert Counter(getattr(rectangle, name) for rectangle in rectangles)[end] > DRAWS / 10
    counts = Counter(rectangle.material for rectangle in rectangles)
    assert all(abs(count - DRAWS / 3) < 5 * (DRAWS * 2 / 9) ** 0.5 for count in counts.values())


def test_all_4806_goals_and_no_others_are_drawn_equally_often():
    counts = Counter(task.goal.tobytes() for task in drawn_tasks(seed=4))
    goals = {
        Rectangle(*rectangle, material).cuboid().tobytes() for rectangle in every_rectangle() for material in (1, 2, 3)
    }
    assert len(goals) == 4_806 and set(counts) <= goals
    mean = DRAWS / 4_806
    statistic = sum((counts[goal] - mean) ** 2 / mean for goal in goals)
    assert abs(statistic - 4_805) < 4 * (2 * 4_805) ** 0.5  # chi squared: its mean and deviation


def test_starts_are_the_centre_with_any_heading():
    starts = Counter(tuple(task.start.tolist()) for task in drawn_tasks(seed=3))
    assert set(starts) == {(5, 5, heading) for heading in range(4)}
    assert all(abs(count - DRAWS / 4) < 5 * (DRAWS * 3 / 16) ** 0.5 for count in starts.values())


def test_one_seed_draws_one_task():
    space = VoxelBuildTaskSpace()
    assert space.sample_task(np.random.default_rng(5)) == space.sample_task(np.random.default_rng(5))
    assert space.sample_task(np.random.default_rng(5)) != space.sample_task(np.random.default_rng(6))
