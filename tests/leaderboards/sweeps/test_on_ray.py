"""A sweep on a Ray cluster of two nodes."""

import pytest

from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.training import train_cells
from tests.leaderboards.sweeps.test_training import SMALL
from tests.ray_nodes import two_nodes


@pytest.mark.slow
def test_a_sweep_comes_out_as_on_this_machine(tmp_path):
    here, there = (
        [Cell("ppo", "grid-world/graded", SMALL, seed, 64, tmp_path / name) for seed in (0, 1)] for name in ("a", "b")
    )
    assert train_cells(here, workers=None) == []
    with two_nodes() as cluster:
        assert train_cells(there, cluster) == []
    for one, other in zip(here, there, strict=True):
        weights = [(cell.folder / "policy" / "weights.safetensors").read_bytes() for cell in (one, other)]
        assert weights[0] == weights[1]
