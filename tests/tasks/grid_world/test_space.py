import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from tests.tasks.grid_world.reference_world import NAMES, TILES, place
from tests.tasks.grid_world.strategies import parameters, tasks

SPACE = GridWorldTaskSpace()


def expected_task(params) -> GridWorldTask:
    """The specification's placement rule, in plain Python."""
    logits = params["tiles"].tolist()
    kinds = [[TILES[max(range(3), key=lambda kind: cell[kind])] for cell in row] for row in logits]
    tiles, places = place(kinds, params["coordinates"].tolist())
    objects = [places.get(name, (-1, -1)) for name in NAMES]
    return GridWorldTask(
        np.array([[TILES.index(kind) for kind in row] for row in tiles], np.int8), np.array(objects, np.int8)
    )


@given(parameters)
def test_decode_follows_the_placement_rule(params):
    assert SPACE.decode(params) == expected_task(params)


def test_uniform_parameters_follow_the_placement_rule():
    rng = np.random.default_rng(0)
    for _ in range(500):
        params = SPACE.sample(rng)
        assert SPACE.decode(params) == expected_task(params)


#: With the last object alone on the map.
ONE_OBJECT = GridWorldTask(np.zeros((8, 8), np.int8), np.array([[-1, -1]] * 4 + [[3, 4]], np.int8))


@given(tasks(), st.integers(0, 2**32))
@example(ONE_OBJECT, 371)  # the first takes its place
def test_mutation_stays_valid_and_changes_one_parameter(task, seed):
    neighbour = SPACE.mutate(task, np.random.default_rng(seed))
    neighbour.validate()
    changed = (neighbour.objects != task.objects).any(axis=1)
    placed = changed & (neighbour.objects >= 0).all(axis=1)
    changed_tiles = (neighbour.tiles != task.tiles).sum()
    # One tile changes, or one object moves, appears or vanishes; it clears its new tile, and replaces who stood there.
    assert placed.sum() <= 1 and changed.sum() <= 2 and changed_tiles <= 1
    if changed.sum() == 2:
        (gone,), (new,) = task.objects[changed & ~placed], neighbour.objects[placed]
        assert (gone == new).all()
    assert SPACE.mutate(task, np.random.default_rng(seed)) == neighbour


def test_mutation_draws_what_numpy_draws():
    """The compiled rule takes the same numbers from a generator as Python would: what a seed gives stays."""
    ours, numpys = np.random.default_rng(2), np.random.default_rng(2)
    task = SPACE.suite("targets")["B"]
    for _ in range(300):
        kinds = [[TILES[kind] for kind in row] for row in task.tiles.tolist()]
        # Absent objects choose a tile of the border.
        chosen = [[x + 0.5, y + 0.5] if x >= 0 else [0.5, 0.5] for x, y in task.objects.tolist()]
        changed = int(numpys.integers(69))
        if changed < 64:
            kinds[changed // 8][changed % 8] = TILES[int(numpys.integers(3))]
        else:
            chosen[changed - 64] = (numpys.integers(10, size=2) + 0.5).tolist()
        tiles, places = place(kinds, chosen)
        task = SPACE.mutate(task, ours)
        assert task.tiles.tolist() == [[TILES.index(kind) for kind in row] for row in tiles]
        assert task.objects.tolist() == [list(places.get(name, (-1, -1))) for name in NAMES]


def test_mutation_reaches_every_parameter():
    task, rng = SPACE.suite("targets")["B"], np.random.default_rng(1)
    tiles, objects = np.zeros((8, 8), bool), np.zeros(5, bool)
    for _ in range(4_000):
        neighbour = SPACE.mutate(task, rng)
        moved = (neighbour.objects != task.objects).any(axis=1)
        objects |= moved
        if not moved.any():
            tiles |= neighbour.tiles != task.tiles
    under_objects = np.zeros((8, 8), bool)
    for x, y in task.objects:
        under_objects[y - 1, x - 1] = True
    assert objects.all()
    assert (tiles | under_objects).all() and not (tiles & under_objects).any()


def test_there_are_74_independent_parameters():
    shapes = {name: leaf.shape for name, leaf in SPACE.space.items()}
    assert shapes == {"coordinates": (5, 2), "tiles": (8, 8, 3)}
    assert 8 * 8 + 5 * 2 == 74


@pytest.mark.parametrize(
    ("coordinates", "expected"),
    [
        ([[0, 0]] * 5, [[-1, -1]] * 5),
        ([[10, 10]] * 5, [[-1, -1]] * 5),
        ([[0.99, 5], [9.0, 5], [5, 0.99], [5, 9.0], [1.0, 1.0]], [[-1, -1]] * 4 + [[1, 1]]),
        ([[4.2, 5.9]] * 5, [[4, 5]] + [[-1, -1]] * 4),
        ([[8.99, 8.99], [8, 8], [1, 8.99], [1, 8], [1.5, 1.5]], [[8, 8], [-1, -1], [1, 8], [-1, -1], [1, 1]]),
    ],
    ids=["corner", "far corner", "borders", "one tile", "order"],
)
@pytest.mark.parametrize("kind", range(3))
def test_objects_appear_in_order_and_clear_their_tiles(coordinates, expected, kind):
    logits = np.full((8, 8, 3), -1, np.float32)
    logits[..., kind] = 1
    task = SPACE.decode({"tiles": logits, "coordinates": np.array(coordinates, np.float32)})
    assert task.objects.tolist() == expected
    cleared = {(x, y) for x, y in expected if x != -1}
    for y in range(1, 9):
        for x in range(1, 9):
            assert task.tiles[y - 1, x - 1] == (0 if (x, y) in cleared else kind)
