from itertools import product

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.states import (
    ALLOWED,
    MEETING,
    NUM_STATES,
    STATE_KINDS,
    STATE_LEVELS,
    STATES,
    TileWeights,
    cell_weights,
)
from procgen_bench.tasks.xland.worlds.tiles import OPPOSITE, TileKind, surface
from procgen_bench.tasks.xland.worlds.validity import check_tiles
from procgen_bench.tasks.xland.worlds.wave_function_collapse import NoWorldError, collapse

RAMPS = TileWeights(flat=1.0, ramp=30.0, diagonal=5.0, levels=(1.0,) * 6, coherence=1.0)
PLAIN = TileWeights(flat=3.0, ramp=0.0, diagonal=1.0, levels=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0), coherence=1.0)


def edge(state: int, side: int) -> list[float]:
    """Heights of a state's surface along a side, close to it, from the west or south on."""
    kind, level = int(STATE_KINDS[state]), int(STATE_LEVELS[state])
    along = np.linspace(0.01, 0.99, 5)
    points = {0: [(t, 0.999) for t in along], 1: [(0.999, t) for t in along]}
    points |= {2: [(t, 0.001) for t in along], 3: [(0.001, t) for t in along]}
    return [surface(kind, level, u, v) for u, v in points[side]]


def test_states_are_every_tile_once():
    tiles = set(zip(STATE_KINDS.tolist(), STATE_LEVELS.tolist()))
    assert len(tiles) == NUM_STATES == 46
    assert tiles == {(0, level) for level in range(6)} | set(product(range(1, 9), range(5)))
    assert (STATES[STATE_KINDS, STATE_LEVELS] == np.arange(46)).all() and (STATES[1:, 5] == -1).all()


def test_masks_say_what_the_surfaces_do():
    """A ramp's two ends meet their neighbour in height all along the side; everything else may be a wall."""
    edges = np.array([[edge(state, side) for side in range(4)] for state in range(NUM_STATES)])
    for one, other, side in product(range(NUM_STATES), range(NUM_STATES), range(4)):
        meets = np.abs(edges[one, side] - edges[other, OPPOSITE[side]]).max() < 0.01
        ends = [
            STATE_KINDS[state] in (1 + at, 1 + OPPOSITE[at]) for state, at in ((one, side), (other, OPPOSITE[side]))
        ]
        assert bool(int(MEETING[side, one]) >> other & 1) == meets
        assert bool(int(ALLOWED[side, one]) >> other & 1) == (meets or not any(ends))


@pytest.mark.parametrize("weights", [TileWeights(), RAMPS, PLAIN])
@pytest.mark.parametrize("shape", [(5, 5), (9, 9), (15, 7)])
def test_all_results_are_legal(weights, shape):
    rng, kinds_seen = np.random.default_rng(0), set()
    for _ in range(40):
        states = collapse(
            rng.integers(2**64, dtype=np.uint64), cell_weights(weights.of_states(), *shape), weights.coherence
        )
        assert states.shape == shape
        check_tiles(STATE_KINDS[states], STATE_LEVELS[states])
        kinds_seen.update(STATE_KINDS[states].ravel().tolist())
    assert kinds_seen == ({0, 5, 6, 7, 8} if weights is PLAIN else set(range(9)))


def test_without_rules_states_follow_their_weights():
    rng, counts, runs = np.random.default_rng(1), np.zeros(NUM_STATES), 120
    weights = PLAIN.of_states()
    for _ in range(runs):
        states = collapse(rng.integers(2**64, dtype=np.uint64), cell_weights(weights, 9, 9), 1.0)
        counts += np.bincount(states.ravel(), minlength=NUM_STATES)
    chances = weights / weights.sum()
    deviations = np.sqrt(runs * 81 * chances * (1 - chances))
    assert (np.abs(counts - runs * 81 * chances) <= 5 * deviations).all()


def test_coherence_joins_floors():
    """The fraction of neighbours of one level grows with the coherence."""
    fractions = []
    for coherence in (1.0, 5.0, 50.0):
        rng, weights = np.random.default_rng(2), TileWeights(coherence=coherence)
        levels = [
            STATE_LEVELS[
                collapse(rng.integers(2**64, dtype=np.uint64), cell_weights(weights.of_states(), 9, 9), coherence)
            ]
            for _ in range(30)
        ]
        fractions.append(np.mean([(level[1:] == level[:-1]).mean() for level in levels]))
    assert fractions[0] + 0.1 < fractions[1] < fractions[2] - 0.05


def test_one_stream_one_result():
    weights = cell_weights(TileWeights().of_states(), 9, 9)
    one, other, third = (collapse(np.uint64(stream), weights, 18.0) for stream in (5, 5, 6))
    assert (one == other).all() and (one != third).any()


def test_weights_are_left_as_they_are():
    weights = cell_weights(TileWeights().of_states(), 5, 5)
    before = weights.copy()
    collapse(np.uint64(0), weights, 18.0)
    assert (weights == before).all()


def test_a_contradiction_ends_with_an_error():
    only_ramps = np.where(STATE_KINDS == TileKind.RAMP_EAST, 1.0, 0.0)
    with pytest.raises(NoWorldError, match="no 5 x 6 tiles after 200 attempts of Wave Function Collapse"):
        collapse(np.uint64(0), cell_weights(only_ramps, 6, 5), 1.0)


def test_a_given_cell_is_kept_and_its_neighbours_follow():
    weights = cell_weights(TileWeights().of_states(), 5, 5)
    ramp = STATES[TileKind.RAMP_NORTH, 2]
    weights[2, 2] = np.arange(NUM_STATES) == ramp
    for stream in range(20):
        states = collapse(np.uint64(stream), weights, 1.0)
        assert states[2, 2] == ramp
        check_tiles(STATE_KINDS[states], STATE_LEVELS[states])


@pytest.mark.parametrize("max_level", [0, 2, 5])
def test_no_floor_is_above_the_top_level(max_level):
    allowed = TileWeights().of_states(max_level) > 0
    assert set(zip(STATE_KINDS[allowed].tolist(), STATE_LEVELS[allowed].tolist())) == {
        (kind, level) for kind in range(9) for level in range(max_level + (kind == 0))
    }


@pytest.mark.parametrize(
    ("weights", "max_level", "part"),
    [
        (TileWeights(ramp=-1.0), 5, "weights.ramp is -1.0, expected a number in [0, 1e6)"),
        (TileWeights(flat=0.0), 5, "weights.flat is 0.0, expected above 0"),
        (TileWeights(diagonal=float("nan")), 5, "weights.diagonal is nan"),
        (TileWeights(coherence=0.5), 5, "weights.coherence is 0.5, expected a number in [1, 1e6)"),
        (TileWeights(levels=(1.0,)), 5, "weights.levels is (1.0,), expected 6 numbers"),
        (TileWeights(levels=(0, 0, 0, 1, 1, 1)), 2, "expected a positive one among levels 0 to 2"),
        (TileWeights(), 6, "max_level is 6, expected an integer in [0, 5]"),
    ],
)
def test_bad_weights_are_refused(weights, max_level, part):
    with pytest.raises(InvalidTaskError) as caught:
        weights.of_states(max_level)
    assert part in str(caught.value)
