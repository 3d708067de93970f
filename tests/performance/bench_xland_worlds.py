"""XLand's worlds beside Minigrid's Wave Function Collapse, in one run and on one thread: ``make bench``.

A step is a world or a grid of 9 x 9 tiles. No time is asserted.
"""

import imageio.v2 as imageio
import numpy as np
import pytest

from procgen_bench.tasks.xland.worlds.generation import generate_world, mutate
from procgen_bench.tasks.xland.worlds.states import STATE_KINDS, TileWeights, cell_weights
from procgen_bench.tasks.xland.worlds.wave_function_collapse import collapse
from tests.performance.stepping import in_processor_seconds, time_start_up, time_steps

SIDE, WORLDS, PEER_GRIDS = 9, 200, 3

FIRST_WORLD = """
import numpy as np, time
begun = time.perf_counter()
from procgen_bench.tasks.xland.worlds.generation import generate_world
generate_world(np.random.default_rng(0))
print(time.perf_counter() - begun)
"""


@in_processor_seconds
def test_whole_worlds(benchmark):
    """Tiles, playable area, floors, 12 objects, players and light."""
    rng = np.random.default_rng(0)
    worlds = []

    def generate() -> None:
        worlds[:] = [generate_world(rng, SIDE, SIDE) for _ in range(WORLDS)]

    time_steps(benchmark, f"whole worlds of {SIDE} x {SIDE}", "ours", WORLDS, generate)
    assert len({world.fingerprint() for world in worlds}) == WORLDS


@in_processor_seconds
def test_mutated_worlds(benchmark):
    rng = np.random.default_rng(0)
    world = generate_world(rng, SIDE, SIDE)

    def change() -> None:
        for _ in range(WORLDS):
            mutate(world, rng, 0.2)

    time_steps(benchmark, "mutated worlds", "ours", WORLDS, change)


@in_processor_seconds
def test_tiles_alone(benchmark):
    """What the peer does: collapse, and nothing placed."""
    weights = cell_weights(TileWeights().of_states(), SIDE, SIDE)
    results = []

    def draw() -> None:
        results[:] = [collapse(np.uint64(stream), weights, TileWeights().coherence) for stream in range(WORLDS)]

    time_steps(benchmark, "tiles alone", "ours", WORLDS, draw)
    assert len({STATE_KINDS[states].tobytes() for states in results}) > WORLDS // 2


@in_processor_seconds
def test_minigrid(benchmark, tmp_path):
    """Its simplest preset's settings; a border of one tile comes around the 9 x 9, an agent and a goal are placed.

    Minigrid's wheel lacks the presets' sample pictures, so it learns its patterns from a maze of ours.
    """
    from minigrid.envs.wfc import WFCEnv
    from minigrid.envs.wfc.config import WFCConfig

    imageio.imwrite(tmp_path / "maze.png", np.repeat(_sample_maze()[:, :, np.newaxis], 3, axis=2))
    env = WFCEnv(wfc_config=WFCConfig(tmp_path / "maze.png", tile_size=1, pattern_width=2), size=SIDE + 2)
    seeds = iter(range(10**6))

    def generate() -> None:
        for _ in range(PEER_GRIDS):
            env.reset(seed=next(seeds))

    time_steps(benchmark, f"Minigrid WFCEnv, {SIDE} x {SIDE}", "peer", PEER_GRIDS, generate)
    assert env.unwrapped.grid.width == SIDE + 2


def _sample_maze() -> np.ndarray:
    """uint8 (8, 8): corridors (255) between walls (0), as in a simple maze."""
    rows = ["#.#.#.#.", "#.###.#.", "#.....#.", "#.#####.", "#.#...#.", "###.#.#.", "#...#...", "#.#####."]
    return np.array([[255 * (cell == ".") for cell in row] for row in rows], np.uint8)


@pytest.mark.parametrize(("label", "program"), [("first world, import included, kernels cached", FIRST_WORLD)])
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)
