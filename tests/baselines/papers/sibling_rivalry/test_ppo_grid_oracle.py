import dataclasses

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import GridOracle, plane_of
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry_settings import GridOracleConfiguration
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import made_episodes

PLANE = spaces.Box(np.array([-4, 0], np.float32), np.array([4, 2], np.float32))


def test_the_end_is_rewarded_by_success_and_regions():
    """Regions of 4 x 1; the start and the end count, what lies behind an episode's end does not."""
    line = made_episodes([3, 1], [[0.0], [5.0]], [[0.0], [0.0]])
    places = np.array([[[-1, 0.5], [-1, 0.5]], [[-2, 0.6], [3, 1.9]], [[1, 0.5], [3, 0.1]]], np.float32)
    episodes = dataclasses.replace(
        line,
        observations=line.observations | {"achieved_goal": torch.as_tensor(places)},
        final_observations=line.final_observations | {"achieved_goal": np.array([[1, 1.5], [-3, 0.9]], np.float32)},
    )
    labels = GridOracle(PLANE, divisions=2, weight=0.25).label(episodes)
    assert labels.rewards.tolist() == [[0, 0.25], [0, 0], [1.75, 0]]  # regions: left, lower right, upper right; left
    assert labels.included.all()
    assert labels.anti_goals is None
    assert labels.measures == {"regions": 2.0}


@pytest.mark.parametrize(
    ("plane", "message"),
    [
        (spaces.Box(0, 1, (3,)), r"goals are of Box\(0\.0, 1\.0, \(3,\), float32\), expected two bounded"),
        (spaces.Box(0, 1, (13, 13)), "expected two bounded coordinates"),
        (spaces.Box(-np.inf, np.inf, (2,)), "expected two bounded coordinates"),
    ],
)
def test_what_is_no_plane_is_refused(plane, message):
    with pytest.raises(InvalidOptionError, match=message):
        GridOracle(plane, divisions=5, weight=1.0)


@pytest.mark.parametrize(
    ("environment_id", "low", "side"), [("SparsePointMaze-v0", -0.5, 2), ("SparseAntMaze-v0", -4, 4.8)]
)
def test_the_papers_mazes_have_25_regions(environment_id, low, side):
    """In the point maze those of the published source: pairs of cells along both sides."""
    plane, divisions = plane_of(environment_id), GridOracleConfiguration().divisions
    assert np.allclose(plane.low, low) and np.allclose((plane.high - plane.low) / divisions, side) and divisions == 5


def test_bits_are_refused_before_anything_is_written(tmp_path):
    train = get_method("ppo-grid-oracle").train
    with pytest.raises(InvalidOptionError, match="expected two bounded coordinates, x and y"):
        train(get_benchmark("bit-grid/test"), GridOracleConfiguration(), 0, 4_000, tmp_path / "run")
    assert not (tmp_path / "run").exists()
