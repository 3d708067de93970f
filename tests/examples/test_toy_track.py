"""The toy track: who is paid what and learned from, and that an update moves the policy towards what pays."""

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "toy_track.py"))
ENDS = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0], [0.1, 0.0]], np.float32)
DISTANCES = np.array([1.0, 1.0, 3.0, 0.1])


def test_the_farther_sibling_is_learned_from_and_the_nearer_one_if_it_reaches_the_goal():
    anti_goals, included = EXAMPLE["shaped_by"]("siblings", ENDS, np.array([1.0, 2.0, 3.0, 0.1]))
    assert anti_goals.tolist() == ENDS[[1, 0, 3, 2]].tolist()
    assert included.tolist() == [False, True, True, True]
    for reward in ("distance", "anti-goal"):
        anti_goals, included = EXAMPLE["shaped_by"](reward, ENDS, DISTANCES)
        assert included.all() and (anti_goals == EXAMPLE["NEAR_END"]).all()


def test_episodes_are_paid_by_equations_2_and_3():
    anti_goals = np.zeros_like(ENDS)
    assert EXAMPLE["paid"]("distance", ENDS, DISTANCES, anti_goals).tolist() == [-1, -1, -3, 1]
    farther = np.array([2.5, 0.25, 3.0, 0.1])
    assert EXAMPLE["paid"]("siblings", ENDS, farther, anti_goals).tolist() == pytest.approx([-1.5, 0, 0, 1])


def test_every_reward_is_learned_from_and_drawn(tmp_path, capsys):
    EXAMPLE["main"](["--updates", "2", "--out", str(tmp_path / "track.png")])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(EXAMPLE["REWARDS"])
    assert (tmp_path / "track.png").stat().st_size > 10_000


@pytest.mark.slow
def test_siblings_reach_the_goal_and_the_distance_alone_does_not():
    success = {reward: np.mean(EXAMPLE["learn"](reward, 1_500, 0).success[-75:]) for reward in EXAMPLE["REWARDS"]}
    assert success["distance"] < 0.05
    assert min(success["anti-goal"], success["siblings"]) > 0.8
