"""Strips of levels: which are drawn, and that every family's can be."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import procgen_bench
from procgen_bench.baselines.training.task_records import ProposedLevel, ProposedLevels
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.sweeps.level_strips import LevelStrip, draw_strips, level_strip


def strip(environment_id, steps, count=2):
    space, rng = procgen_bench.make_task_space(environment_id), np.random.default_rng(0)
    levels = [
        ProposedLevel(step, space.plain(space.decode(space.sample(rng))), place)
        for step in steps
        for place in range(count)
    ]
    return LevelStrip("uniform, seed 0", environment_id, levels)


def test_the_first_and_the_last_time_are_shown_and_the_newest_of_each():
    shown = strip("BitGrid-v0", range(0, 1_000, 100), count=5).at_times(4, 2)
    assert [[level.step for level in levels] for levels in shown] == [[s, s] for s in (0, 300, 600, 900)]
    assert all([level.solution_length for level in levels] == [3, 4] for levels in shown)
    assert len(strip("BitGrid-v0", [0, 100]).at_times(4, 2)) == 2


def test_the_target_stands_at_the_end_in_a_green_frame(tmp_path):
    def pixels(target):
        shown = replace(strip("GridWorld-v0", [0]), target=target)
        draw_strips([shown], tmp_path / "strip.png", count=1)
        with Image.open(tmp_path / "strip.png") as picture:
            return np.asarray(picture.convert("RGB"))

    green = np.array([0x2E, 0x9E, 0x44])
    without, beside = pixels(None), pixels("targets/A")
    assert beside.shape[1] > 1.5 * without.shape[1]
    assert not (without == green).all(axis=2).any()
    framed = np.flatnonzero((beside == green).all(axis=2).any(axis=0))
    assert framed.min() > beside.shape[1] / 2


def test_what_was_proposed_beside_a_single_target_is_shown_before_it(tmp_path):
    assert level_strip(tmp_path, "grid-world/target-a", "a run") is None, "it has noted nothing"
    space, rng = procgen_bench.make_task_space("GridWorld-v0"), np.random.default_rng(0)
    target, other = get_benchmark("grid-world/target-a").task_suite().tasks[0], space.decode(space.sample(rng))
    ProposedLevels(tmp_path, space).add(0, [other, target, other])
    shown = level_strip(tmp_path, "grid-world/target-a", "a run")
    assert space.resolve(shown.target) == target
    assert [space.resolve(level.task) for level in shown.levels] == [other, other]
    assert len(level_strip(tmp_path, "grid-world/graded", "a run").levels) == 3, "of many tasks none is the target"
    ProposedLevels(tmp_path, space).add(0, [target])
    draw_strips([level_strip(tmp_path, "grid-world/target-a", "targets alone")], tmp_path / "strip.png")


@pytest.mark.parametrize(
    "environment_id",
    [
        pytest.param(name, marks=() if name in ("GridWorld-v0", "BitGrid-v0") else pytest.mark.slow)
        for name in procgen_bench.ENVIRONMENT_IDS
    ],
)
def test_every_family_can_be_drawn(environment_id, tmp_path):
    def pixels(*steps):
        path = tmp_path / "strip.png"
        draw_strips([strip(environment_id, steps)], path)
        with Image.open(path) as picture:
            return np.asarray(picture.convert("RGB"))

    one, two = pixels(0), pixels(0, 2_000_000)
    assert two.shape[1] > one.shape[1] and len(np.unique(two.reshape(-1, 3), axis=0)) > 8
